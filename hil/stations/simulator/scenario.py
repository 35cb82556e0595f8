"""A ride's scenario: everything of the platform's, with a live source in place of a motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from hil.config.errors import ConfigError, about
from hil.config.fields import Coordinate, Seconds
from hil.config.settings import Change, Settings, apply_overrides, scenario_toml
from hil.machines.cueing.preset import CueingPreset, read_preset
from hil.stations.platform.scenario import Plan, Scenario, parted, rig_of
from hil.stations.simulator.source_registry import AnySource, source_kind

Algorithm = Literal["classical", "adaptive", "optimal", "mpc", "direct"]


class CueingSettings(Settings):
    """What makes a small motion of a vehicle's."""

    preset: str
    """Parameters of the algorithm: a name in ``configs/cueing``, or a TOML file."""
    ground_preset: str = ""
    """The same while the host says that the vehicle is on the ground; left out: no other one."""
    presets: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    """Further ones that an operator may change to while a ride lasts."""
    algorithm: Algorithm | None = None
    """In place of the preset's own."""
    preview_s: Annotated[float, Field(ge=0.0, le=30.0)] | None = None
    """How far a predictive preset looks ahead, in place of the preset's own [s]; only with a source
    that knows its future, such as a recording."""
    gain: Annotated[float, Field(ge=0.0, le=10.0)] = 1.0
    """Factor on the vehicle's force, rates and, where a pose comes in, on the pose [1]."""
    head_m: tuple[Coordinate, Coordinate, Coordinate] = (0.0, 0.0, 0.0)
    """Where the rider's head is in the platform's frame, forward, left, up [m]."""
    governor: bool = True
    """Whether what is asked is kept within the rig's limits before the gate sees it."""

    @property
    def names(self) -> tuple[str, ...]:
        """All presets, by their numbers: the one for the air, that for the ground, then others."""
        ground = (self.ground_preset,) if self.ground_preset else ()
        return tuple(dict.fromkeys((self.preset, *ground, *self.presets)))

    def key_of(self, name: str) -> str:
        """The key in which a preset of `names` stands first."""
        return next(
            f"cueing.{key}"
            for key, there in (
                ("preset", (self.preset,)), ("ground_preset", (self.ground_preset,)),
                ("presets", self.presets),
            )
            if name in there
        )  # fmt: skip


class RideScenario(Scenario):
    """Everything a ride needs; two runs of one scenario on the virtual clock are bit-identical."""

    station: Literal["simulator"] = "simulator"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which kind of bench this is."""
    motion: SkipJsonSchema[None] = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """A ride has none of its own: it follows ``[source]``."""
    source: Annotated[Settings, AnySource()]
    """What is followed: ``kind`` says which of the installed sources, then its own keys."""
    cueing: CueingSettings
    """How it is followed."""
    vehicle_head_m: tuple[Coordinate, Coordinate, Coordinate] = (0.0, 0.0, 0.0)
    """Where the head is from the vehicle's own sensor, forward, right, down [m]."""
    duration_s: Seconds | None = None
    """After so long the ride comes to rest and parks [s]; left out: when its source ends."""

    @property
    def source_kind(self) -> str:
        """Which of the installed sources it follows."""
        source: Any = self.source
        return source.kind


class RidePlan(Plan):
    """A ride's scenario with its rig resolved."""

    scenario: RideScenario  # pyright: ignore[reportIncompatibleVariableOverride]
    presets: tuple[CueingPreset, ...]
    """What the presets of the scenario are, by their numbers."""

    trusted: bool = False
    """Whether the person who started the run trusts native code that its source loads; no file can
    say so."""

    @property
    def lasts_s(self) -> float:
        """How long it will ride [s]; infinite if that is not known."""
        file = Path(self.scenario_file)
        source = source_kind(self.scenario.source, file)
        lasts_s = source.lasts_s(self.scenario.source, file)
        return min(lasts_s, self.scenario.duration_s or lasts_s)


def scenario_model() -> type[Settings]:
    """What a scenario of this station says."""
    return RideScenario


def load_ride(path: Path, overrides: Iterable[Change] = ()) -> RidePlan:
    """Read a ride's scenario and its rig.

    Args:
        overrides: changes of it; keys under ``rig_settings.`` go to the rig.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    return ride_from_table(scenario_toml(path), path, overrides)


def ride_from_table(
    table: Mapping[str, Any], path: Path, overrides: Iterable[Change] = ()
) -> RidePlan:
    """Like :func:`load_ride`, for a scenario that is already a table."""
    for_scenario, for_rig = parted(overrides)
    scenario = RideScenario.build(apply_overrides(dict(table), for_scenario), str(path))
    rig, rig_path = rig_of(scenario, path, for_rig)
    neutral = rig.neutral
    if any((neutral.alpha_deg, neutral.beta_deg, neutral.gamma_deg)):
        line = "neutral: a ride needs a neutral pose that stands level and straight, all angles 0"
        raise ConfigError(str(rig_path), [about("neutral", line)])
    cueing = scenario.cueing
    presets = tuple(read_preset(one, key=cueing.key_of(one), beside=path) for one in cueing.names)
    return RidePlan(
        scenario=scenario, rig=rig, scenario_file=str(path), rig_file=str(rig_path), presets=presets
    )
