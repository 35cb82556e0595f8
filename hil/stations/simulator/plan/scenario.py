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
from hil.stations.platform.plan.scenario import Plan, Scenario, parted, rig_of
from hil.stations.simulator.plan.source_registry import ANY_SOURCE, source_kind

Algorithm = Literal["classical", "adaptive", "optimal", "mpc", "direct"]


class CueingSettings(Settings):
    """Settings that make a small motion of a vehicle's."""

    preset: str
    """Parameters of the algorithm: a name in ``configs/cueing``, or a TOML file."""
    ground_preset: str = ""
    """Parameters while the host says that the vehicle is on the ground; left out: no other ones."""
    presets: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    """Further ones that an operator may change to while a ride lasts."""
    algorithm: Algorithm | None = None
    """Algorithm in place of the preset's own."""
    preview_s: Annotated[float, Field(ge=0.0, le=30.0)] | None = None
    """Preview of a predictive preset, in place of the preset's own [s]; only with a source that
    knows its future, such as a recording."""
    gain: Annotated[float, Field(ge=0.0, le=10.0)] = 1.0
    """Factor on the vehicle's force, rates and, where a pose comes in, on the pose [1]."""
    head_m: tuple[Coordinate, Coordinate, Coordinate] = (0.0, 0.0, 0.0)
    """Position of the rider's head in the platform's frame, forward, left, up [m]."""
    governor: bool = True
    """Whether what is asked is kept within the rig's limits before the gate sees it."""

    @property
    def names(self) -> tuple[str, ...]:
        """All presets, by their numbers: the one for the air, that for the ground, then others."""
        ground = (self.ground_preset,) if self.ground_preset else ()
        return tuple(dict.fromkeys((self.preset, *ground, *self.presets)))

    def key_of(self, name: str) -> str:
        """Return the key whose first preset is this one of `names`."""
        return next(
            f"cueing.{key}"
            for key, there in (
                ("preset", (self.preset,)), ("ground_preset", (self.ground_preset,)),
                ("presets", self.presets),
            )
            if name in there
        )  # fmt: skip


class RideScenario(Scenario):
    """Scenario of a ride; two runs of one on the virtual clock are bit-identical."""

    station: Literal["simulator"] = "simulator"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Kind of the bench."""
    motion: SkipJsonSchema[None] = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """A ride has none of its own: it follows ``[source]``."""
    source: Annotated[Settings, ANY_SOURCE]
    """Source that is followed: ``kind`` is one of the installed sources, then its own keys."""
    cueing: CueingSettings
    """Cueing of the ride."""
    vehicle_head_m: tuple[Coordinate, Coordinate, Coordinate] = (0.0, 0.0, 0.0)
    """Position of the head from the vehicle's own sensor, forward, right, down [m]."""
    duration_s: Seconds | None = None
    """Time after which the ride comes to rest and parks [s]; left out: when its source ends."""

    @property
    def source_kind(self) -> str:
        """Name of the installed source that it follows."""
        source: Any = self.source
        return source.kind


class RidePlan(Plan):
    """A ride's scenario with its rig resolved."""

    scenario: RideScenario  # pyright: ignore[reportIncompatibleVariableOverride]
    presets: tuple[CueingPreset, ...]
    """Presets of the scenario, by their numbers."""

    trusted: bool = False
    """Whether the person who started the run trusts native code that its source loads; no file can
    set it."""

    @property
    def lasts_s(self) -> float:
        """Duration of the ride [s]; infinite if that is not known."""
        file = Path(self.scenario_file)
        source = source_kind(self.scenario.source, file)
        lasts_s = source.lasts_s(self.scenario.source, file)
        return min(lasts_s, self.scenario.duration_s or lasts_s)


def scenario_model() -> type[Settings]:
    """Return the model of a scenario of this station."""
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
    """Load a ride as :func:`load_ride` does, from a scenario that is already a table."""
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
