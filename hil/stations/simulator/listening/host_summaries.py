"""What ``hil host`` prints with ``--json``: one object each, its keys and their meaning."""

from __future__ import annotations

from typing import TypedDict


class HostKindSummary(TypedDict):
    """One kind of host."""

    name: str
    """As ``hil host listen`` takes it."""
    title: str
    """What people call it."""
    port: int
    """UDP port on which the bench listens."""
    asks_port: int | None
    """UDP port of the host that requests go to; null if it needs none."""
    tells: list[str]
    """Quantities and flags of its wire."""
    emulated: bool
    """``hil host emulate`` has it."""


class HostMapSummary(TypedDict):
    """One map of a host."""

    name: str
    """As ``hil host listen`` takes it."""
    kind: str
    """The kind that it is for."""


class HostListSummary(TypedDict):
    """Kinds of hosts and their maps."""

    ok: bool
    """Always true."""
    kinds: list[HostKindSummary]
    """All that are offered."""
    broken: list[str]
    """Those that cannot be used, and why."""
    maps: list[HostMapSummary]
    """Those that are shipped."""


class HostValuesSummary(TypedDict):
    """What a host told last; null for what its wire does not have."""

    t_s: float | None
    """Its stamp, on its own clock [s]."""
    f_m_s2: list[float | None]
    """Specific force: forward, right, down [m/s²]."""
    omega_rad_s: list[float | None]
    """Body rates about these axes [rad/s]."""
    attitude: list[float | None]
    """From body axes to north, east, down: w, x, y, z."""
    v_m_s: list[float | None]
    """Velocity along the body axes [m/s]."""
    position_m: list[float | None]
    """North, east, down [m]."""
    flags: list[str]
    """PAUSED, RESET, REPLAY, END, GROUND, POSE."""
    speed_factor: float | None
    """Seconds of its simulation in one of ours."""


class HostListenSummary(TypedDict):
    """What was heard of a host."""

    ok: bool
    """At least one packet was understood."""
    kind: str
    """Whose wire was listened to."""
    address: str
    """Where: address and UDP port."""
    seconds: float
    """For how long [s]."""
    packets: int
    """Datagrams that were understood."""
    refused: dict[str, int]
    """Datagrams that were not, by why."""
    rate_hz: float | None
    """Packets a second in the last 2 s [Hz]."""
    jitter_s: float | None
    """Standard deviation of the time between two packets in the last 2 s [s]."""
    loss: float | None
    """Share of the packets that never came; null for a host that does not count them [1]."""
    state: str
    """As a run would see the host at the end: LIVE if it was followed."""
    cause: str
    """Why it was not followed, or was not the last time."""
    why: str
    """What physics says against following it, and what to write; empty if nothing."""
    values: HostValuesSummary | None
    """What it told last; null if nothing came."""


class HostLineSummary(TypedDict):
    """One quantity, held against what it should be."""

    axis: str
    """f_x, f_y, f_z, p, q, r."""
    against: str
    """What it was held against."""
    slope: float | None
    """Of the line through them; about 1 is right [1]."""
    correlation: float | None
    """Of the two [1]."""
    judgement: str
    """What that means: agrees, wrong sign, wrong scale, wrong axis, no gravity, not told."""


class HostCheckSummary(TypedDict):
    """Whether what a host tells fits together."""

    ok: bool
    """No sign and no unit is wrong, a run would follow it, and at least one quantity agrees; of a
    host of poses, that it stands near the middle of its range."""
    kind: str
    """Whose wire was listened to."""
    seconds: float
    """How long the host's record is [s]."""
    packets: int
    """Of the host."""
    why: str
    """What physics says against following it, and what to write; empty if nothing."""
    lines: list[HostLineSummary]
    """Quantity by quantity."""


class HostRecordSummary(TypedDict):
    """A ride that was recorded from a host."""

    ok: bool
    """At least two rows were written."""
    kind: str
    """Whose wire was listened to."""
    file: str
    """The ride: CSV that ``hil cue`` reads."""
    rows: int
    """Packets in it."""
    left_out: int
    """Packets that told less than the first one."""
    refused: dict[str, int]
    """Datagrams that were not understood, by why."""
    seconds: float
    """From its first row to its last [s]."""
    longest_gap_s: float
    """Longest time between two rows [s]."""
