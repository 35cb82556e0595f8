"""JSON objects of ``hil host`` with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import TypedDict


class HostKindSummary(TypedDict):
    """One kind of host."""

    name: str
    """Name of the kind, as ``hil host listen`` takes it."""
    title: str
    """Name that people use."""
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
    """Name of the map, as ``hil host listen`` takes it."""
    kind: str
    """The kind that it is for."""


class HostListSummary(TypedDict):
    """Kinds of hosts and their maps."""

    ok: bool
    """True."""
    kinds: list[HostKindSummary]
    """All that are offered."""
    broken: list[str]
    """Kinds and maps that cannot be used, and why."""
    maps: list[HostMapSummary]
    """Maps that are shipped."""


class HostValuesSummary(TypedDict):
    """Last values of a host; null for what its wire does not have."""

    t_s: float | None
    """Stamp of the packet, on the host's own clock [s]."""
    f_m_s2: list[float | None]
    """Specific force: forward, right, down [m/s²]."""
    omega_rad_s: list[float | None]
    """Body rates about these axes [rad/s]."""
    attitude: list[float | None]
    """Rotation from body axes to north, east, down, as a quaternion w, x, y, z."""
    v_m_s: list[float | None]
    """Velocity along the body axes [m/s]."""
    position_m: list[float | None]
    """North, east, down [m]."""
    flags: list[str]
    """PAUSED, RESET, REPLAY, END, GROUND, POSE."""
    speed_factor: float | None
    """Seconds of its simulation in one of ours."""


class HostListenSummary(TypedDict):
    """Figures of the packets received from a host."""

    ok: bool
    """True if at least one packet was understood."""
    kind: str
    """Kind of the host whose wire was received."""
    address: str
    """Address and UDP port of the bench on which it was received."""
    seconds: float
    """Duration of the reception [s]."""
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
    """State of the host at the end, as a run would see it: LIVE if it was followed."""
    cause: str
    """Reason why it was not followed, or was not the last time."""
    why: str
    """Contradiction of physics that prevents following, and what to write; empty if none."""
    values: HostValuesSummary | None
    """Last values received; null if nothing came."""


class HostLineSummary(TypedDict):
    """Comparison of one quantity with what it should be."""

    axis: str
    """f_x, f_y, f_z, p, q, r."""
    against: str
    """Quantity that it was compared with."""
    slope: float | None
    """Slope of the line through the two; about 1 is right [1]."""
    correlation: float | None
    """Correlation of the two [1]."""
    judgement: str
    """Meaning of the figures: agrees, wrong sign, wrong scale, wrong axis, no gravity, not told."""


class HostCheckSummary(TypedDict):
    """Whether what a host sends fits together."""

    ok: bool
    """True if no sign and no unit is wrong, a run would follow it, and at least one quantity
    agrees; of a host of poses, if it is near the middle of its range."""
    kind: str
    """Kind of the host whose wire was received."""
    seconds: float
    """Duration of the host's record [s]."""
    packets: int
    """Packets received from the host."""
    why: str
    """Contradiction of physics that prevents following, and what to write; empty if none."""
    lines: list[HostLineSummary]
    """Quantity by quantity."""


class HostRecordSummary(TypedDict):
    """A ride that was recorded from a host."""

    ok: bool
    """True if at least two rows were written."""
    kind: str
    """Kind of the host whose wire was received."""
    file: str
    """The ride: CSV that ``hil cue`` reads."""
    rows: int
    """Packets in it."""
    left_out: int
    """Packets with fewer quantities than the first one."""
    refused: dict[str, int]
    """Datagrams that were not understood, by why."""
    seconds: float
    """Time from the first row to the last [s]."""
    longest_gap_s: float
    """Longest time between two rows [s]."""
