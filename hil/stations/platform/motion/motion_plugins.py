"""Motions of other distributions: a `MotionKind` each, under the entry points `hil.motions`.

A scenario names one by its ``kind``, as it names ours; its table is checked by its own model. The
motion is tried once at every cycle's time before anything moves, and checked again as it is played:
invalid setpoints are refused by name and time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, Final

import numpy as np
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hil.config.errors import ConfigError, about
from hil.config.libraries import code_origin
from hil.config.offered_settings import settings_fault
from hil.config.offers import Offer, offer_named, offers
from hil.config.settings import Settings
from hil.machines.rig.settings import Rig
from hil.stations.platform.motion.source import MotionSource, clamp_time
from hil_common.arrays.pose import PoseError
from platform6dof.pose import PlatformSetpoint

GROUP: Final = "hil.motions"
"""Entry points whose objects are `MotionKind` values; each name is the ``kind`` of its table."""
OWN_KINDS: Final = ("multi_sine", "moves", "recorded", "diagram", "hold", "legs")
"""Kinds of motions of the bench itself."""
REST_RATE: Final = 1e-6
"""Highest rate at the ends of a motion, where it is at rest [m/s, rad/s]."""

ROTATION_OFF: Final = 1e-6
"""Largest error of a rotation's first two rows from unit length and a right angle, and of the
third from their cross product [1]."""


@dataclass(frozen=True, slots=True)
class MotionKind:
    """Kind of motion, the object of its entry point."""

    settings: type[Settings]
    """Model of the ``[motion]`` table; its field ``kind`` is a `Literal` of the entry's name."""
    build: Callable[[Any, Rig], MotionSource]
    """Makes the motion of such settings for a rig; raises `MotionError` if none can be made."""


def motions_offered() -> tuple[Offer, ...]:
    """Motions of other distributions by name; those that cannot be used have the reason."""
    return offers(GROUP, _plugin_fault, own=OWN_KINDS)


def _motion_plugin(name: str) -> Offer | None:
    return offer_named(GROUP, name, _plugin_fault, own=OWN_KINDS)


def _plugin_fault(entry: EntryPoint, kind: object) -> str:
    if not isinstance(kind, MotionKind):
        what = "hil.stations.platform.motion.motion_plugins.MotionKind"
        return f"{entry.value} is a {type(kind).__name__}; it must be a {what}"
    if fault := settings_fault(entry, kind.settings):
        return fault
    return "" if callable(kind.build) else f"its build is {kind.build!r}, which cannot be called"


class PluginSettings:
    """Mark of the union of our motions: settings of other distributions are taken as well."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Validate settings by the model of their kind; serialise them as they are."""
        return core_schema.no_info_wrap_validator_function(
            _settings_of, handler(source), serialization=core_schema.simple_ser_schema("any")
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Schema of our kinds, and of usable ones of other distributions."""
        schema_of_all = handler(schema)
        theirs = {
            one.name: one.value.settings.__pydantic_core_schema__
            for one in motions_offered()
            if not one.broken
        }
        if theirs:
            more = handler(core_schema.tagged_union_schema(theirs, "kind"))
            schema_of_all["oneOf"] += more["oneOf"]
            schema_of_all["discriminator"]["mapping"] |= more["discriminator"]["mapping"]
        return schema_of_all


def _settings_of(table: Any, ours: Callable[[Any], Settings]) -> Settings:
    kind = table.get("kind") if isinstance(table, Mapping) else getattr(table, "kind", None)
    offer = None
    if isinstance(kind, str) and kind not in OWN_KINDS:
        offer = _motion_plugin(kind)
        if offer is None:
            known = ", ".join(repr(one) for one in (*OWN_KINDS, *_usable()))
            context = {"discriminator": "'kind'", "tag": kind, "expected_tags": known}
            raise PydanticCustomError("union_tag_invalid", "unknown kind", context)
    if offer is None:
        return ours(table)
    if offer.broken:
        text = f"the motion {offer.words} cannot be used: {offer.broken}"
        raise PydanticCustomError("motion_broken", "{text}", {"text": text})
    model: type[Settings] = offer.value.settings
    return table if isinstance(table, model) else model.model_validate(table)


def _usable() -> tuple[str, ...]:
    return tuple(one.name for one in motions_offered() if not one.broken)


def plugin_motion(settings: Any, rig: Rig, source: str, period_s: float) -> PluginMotion:
    """Motion of another distribution's settings, tried at the time of every cycle.

    Args:
        source: the scenario's file, for error texts.
        period_s: cycle time [s].

    Raises:
        ConfigError: if it cannot be made, or returns anything but a setpoint; with the motion's
            name, the distribution, the time and what would have been right.
    """
    offer = _motion_plugin(settings.kind)
    if offer is None or offer.broken:
        why = "is not installed any more" if offer is None else offer.broken
        raise ConfigError(source, [about("motion.kind", f"motion {settings.kind!r}: {why}")])
    motion = PluginMotion(offer, settings, rig, source)
    motion.require_whole(period_s)
    return motion


class PluginMotion:
    """Motion of another distribution, checked at every sample.

    Args:
        source: the scenario's file, for error texts.

    Raises:
        ConfigError: if it cannot be made, or its duration is not valid.
    """

    def __init__(self, offer: Offer, settings: Any, rig: Rig, source: str) -> None:
        self._offer = offer
        self._source = source
        try:
            self._motion = offer.value.build(settings, rig)
            duration_s = self._motion.duration_s
        except (Exception, SystemExit) as error:
            raise self._refused(f"cannot be made: {_describe(error)}") from error
        number = isinstance(duration_s, (int, float)) and not isinstance(duration_s, bool)
        if not (number and math.isfinite(duration_s) and duration_s >= 0.0):
            text = f"has duration_s = {duration_s!r}; it must be a finite number of at least 0 s"
            raise self._refused(text)
        self._duration_s = float(duration_s)

    @property
    def origin(self) -> str:
        """Name, distribution, version and digest of its code, in one line for a recording."""
        name, _, _ = self._offer.distribution.partition(" ")
        return f"{self._offer.name} of {code_origin(name, [self._offer.package])}"

    @property
    def duration_s(self) -> float:
        """Duration of the motion, as first returned [s]."""
        return self._duration_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the setpoint at a time since the motion began.

        Raises:
            ConfigError: if the motion fails, or returns something else than a finite setpoint.
        """
        t_s = clamp_time(t_s, self._duration_s)
        try:
            setpoint = self._motion.sample(t_s)
        except (Exception, SystemExit) as error:
            raise self._refused(f"at t = {t_s:g} s raised {_describe(error)}") from error
        if type(setpoint) is not PlatformSetpoint:
            text = f"at t = {t_s:g} s returned {_short(setpoint)}; it must be a PlatformSetpoint"
            raise self._refused(text)
        try:
            _require_sound(setpoint)
        except Exception as error:
            text = f"at t = {t_s:g} s returned no sound setpoint: {_describe(error)}"
            raise self._refused(text) from error
        return setpoint

    def require_whole(self, period_s: float) -> None:
        """Refuse a motion with an invalid setpoint at any cycle's time, or not at rest at its ends.

        Raises:
            ConfigError: with the first time.
        """
        for index in range(math.ceil(self._duration_s / period_s) + 1):
            self.sample(index * period_s)
        for t_s in (0.0, self._duration_s):
            fastest = float(np.abs(self.sample(t_s).V_BP).max())
            if fastest > REST_RATE:
                text = f"at t = {t_s:g} s moves at {fastest:g} m/s or rad/s; a motion begins and "
                raise self._refused(f"{text}ends at rest, {REST_RATE:g} at most")

    def _refused(self, text: str) -> ConfigError:
        line = f"motion {self._offer.words} {text}"
        return ConfigError(self._source, [about("motion", line)])


def _require_sound(setpoint: PlatformSetpoint) -> None:
    """Check a setpoint in few microseconds; one that was packed by hand was never checked.

    Raises:
        PoseError: wrong shape, not finite, or no rotation.
    """
    packed = setpoint.packed
    if packed.shape != (24,):
        raise PoseError(f"packed has the shape {packed.shape}, must be (24,)")
    values = packed.tolist()
    if not all(map(math.isfinite, values)):
        raise PoseError(f"{values}: every number must be finite")
    a, b, c, d, e, f, g, h, i = values[3:12]
    rows_off = max(
        abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0),
        abs(a * d + b * e + c * f), abs(b * f - c * e - g), abs(c * d - a * f - h),
        abs(a * e - b * d - i),
    )  # fmt: skip
    if rows_off > ROTATION_OFF:
        raise PoseError(f"rotation {values[3:12]} is none, by {rows_off:g}")


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
