"""Poses as SimTools and FlyPT Mover send them: a template filled with unipolar numbers.

``<Axis1a>`` to ``<Axis6a>`` stand for axes, ``<255>`` for one byte; all else is sent as it stands.
The middle of an axis' range is neutral. In text an axis is a decimal number, in binary a big-endian
integer of as many bytes as its bits need. The pose is the tool's own: no filter makes it.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.vehicle_limits import MeansSettings
from hil.hosts.wires.unverifiable_signs import unseen_text
from platform6dof.cueing.attitude import from_euler
from platform6dof.cueing.vehicle import (
    UNKNOWN,
    Vector3,
    VehicleFlags,
    VehicleState,
)

_PART: Final = re.compile(rb"<Axis([1-6])a>|<(\d{1,3})>")
_NAN: Final = math.nan

Coordinate = Literal["surge", "sway", "heave", "roll", "pitch", "yaw"]
_ORDER: Final = ("surge", "sway", "heave", "roll", "pitch", "yaw")
REST_SHARE: Final = 0.4
"""A ride begins from no further off the middle than this share of an axis' span."""
Span = Annotated[float, Field(ge=-4.0, le=4.0)]


class PoseTemplateSettings(MapSettings):
    """Map of a template of poses."""

    kind: Literal["pose_template"] = "pose_template"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    means: MeansSettings = MeansSettings(position_margin_m=0.05, attitude_margin_rad=0.15)
    """What a pose may do from one packet to the next; only the two margins say something here."""
    template: Annotated[str, Field(min_length=8, max_length=400)] = (
        "<Axis1a>,<Axis2a>,<Axis3a>,<Axis4a>,<Axis5a>,<Axis6a>X"
    )
    """As it stands in the tool."""
    binary: bool = False
    """Whether axes are integers of bytes and not decimal text."""
    bits: Annotated[int, Field(ge=8, le=16)] = 12
    """Of an axis."""
    axes: tuple[Coordinate, Coordinate, Coordinate, Coordinate, Coordinate, Coordinate] = _ORDER
    """What axes 1 to 6 are."""
    spans: tuple[Span, Span, Span, Span, Span, Span] = (0.1, 0.1, 0.1, 0.1745, 0.1745, 0.1745)
    """What the upper end of the axes' ranges means: surge forward, sway right, heave up [m], roll
    right wing down, pitch nose up, yaw nose right [rad]; negative for an axis the other way."""

    signs_seen: Annotated[str, Field(max_length=1000)] = ""
    """How the signs of axes and spans are known, which nothing in a packet can contradict: who
    looked, and when, or the tool's document. Left out, it is not followed."""

    def unseen(self) -> str:
        """That nobody has looked at the signs of the axes."""
        if self.signs_seen.strip():
            return ""
        _, shown = _parts(self.template, self.binary, self.bits)
        return unseen_text(tuple(self.axes[at] for at in shown), "axes and spans")

    def pose_finding(self, position_m: Vector3, turn_rad: Vector3) -> str:
        """Why a pose cannot be that of a tool at rest: each axis stands near its middle then."""
        x, y, z = position_m
        values = (x, y, -z, *turn_rad)
        pose: dict[str, float] = dict(zip(_ORDER, values, strict=True))
        _, shown = _parts(self.template, self.binary, self.bits)
        spans = {self.axes[at]: self.spans[at] for at in shown}
        shares = {name: pose[name] / span for name, span in spans.items() if span}
        if all(abs(share) <= REST_SHARE for share in shares.values()):
            return ""
        seen = ", ".join(f"{name} {100.0 * share:+.0f} %" for name, share in shares.items())
        top = 2**self.bits - 1
        raw = [0.5 * (share + 1.0) * top for share in shares.values()]
        said = f"a tool at rest sends the middle of its range, {top // 2} of {top}: {seen}"
        for bits in range(8, 17):
            if all(abs(one / 2 ** (bits - 1) - 1.0) < REST_SHARE for one in raw):
                return f"{said}; in its map: bits = {bits}"
        return f"{said}; set bits, binary, axes or spans in its map, or centre the tool"

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if sorted(self.axes) != sorted(_ORDER):
            raise ValueError(f"axes: each of {', '.join(_ORDER)} once is needed")
        _parts(self.template, self.binary, self.bits)
        return self


class PoseTemplateCodec:
    """Understands packets of one template."""

    def __init__(self, settings: PoseTemplateSettings) -> None:
        self._pattern, self._shown = _parts(settings.template, settings.binary, settings.bits)
        self._binary, self._bytes = settings.binary, (settings.bits + 7) // 8
        self._top = 2**settings.bits - 1
        self.wanted: str = f"{settings.template!r} with {settings.bits} bits, as its map says"
        """What a packet is, in words."""
        self._axes, self._spans = settings.axes, settings.spans

    def decode(self, datagram: bytes) -> Packet | Refused:
        """The pose of a packet, or why it is none."""
        found = self._pattern.fullmatch(datagram)
        if found is None:
            return Refused.TEXT
        pose = dict.fromkeys(_ORDER, 0.0)
        for axis, written in zip(self._shown, found.groups(), strict=True):
            number = int.from_bytes(written, "big") if self._binary else int(written)
            if number > self._top:
                return Refused.RANGE
            share = 2.0 * number / self._top - 1.0
            pose[self._axes[axis]] = share * self._spans[axis]
        state = VehicleState(
            t_s=_NAN,
            f_m_s2=UNKNOWN,
            omega_rad_s=UNKNOWN,
            attitude=from_euler(pose["roll"], pose["pitch"], pose["yaw"]),
            position_m=(pose["surge"], pose["sway"], -pose["heave"]),
            flags=VehicleFlags.POSE,
            speed_factor=_NAN,
        )
        return Packet(state)

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: the tool sends by itself."""
        del now_s
        return ()


@lru_cache(maxsize=16)
def _parts(template: str, binary: bool, bits: int) -> tuple[re.Pattern[bytes], tuple[int, ...]]:
    """What a packet looks like, and which axes its numbers are, from 0."""
    try:
        text = template.encode("ascii")
    except UnicodeEncodeError:
        raise ValueError(f"template {template!r}: ASCII only; write bytes as <255>") from None
    number = rb"(.{%d})" % ((bits + 7) // 8) if binary else rb"(\d{1,5})"
    pattern, axes, end = b"", [], 0
    for found in _PART.finditer(text):
        pattern += re.escape(text[end : found.start()])
        axis, byte = found.groups()
        if axis is None:
            if int(byte) > 255:
                raise ValueError(f"template: <{byte.decode()}> is no byte, 0 to 255")
            pattern += re.escape(bytes([int(byte)]))
        else:
            pattern += number
            axes.append(int(axis) - 1)
        end = found.end()
    if not axes or len(set(axes)) != len(axes):
        raise ValueError(f"template {template!r}: needs <Axis1a> to <Axis6a>, each at most once")
    if not binary and re.search(rb"a><Axis", text):
        raise ValueError(f"template {template!r}: text needs something between two axes")
    return re.compile(pattern + re.escape(text[end:]), re.DOTALL), tuple(axes)


_OPTIONS: Final = ("template", "bits", "binary", "spans")
"""Keys of its map that an emulated one takes as they are."""
KIND: Final = HostKind(
    name="pose_template",
    title="SimTools, FlyPT Mover: poses by a template, text or binary",
    port=4123,
    fields=frozenset({"attitude", "position_m", "flags.POSE"}),
    settings=lambda: PoseTemplateSettings,
    codec=PoseTemplateCodec,
    wire=lambda settings, version: (version, {name: getattr(settings, name) for name in _OPTIONS}),
)
