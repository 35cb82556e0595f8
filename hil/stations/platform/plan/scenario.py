"""Scenario of the platform: rig, motion, clock, rate, devices and recording.

Scenarios live in ``configs/scenarios/``; the one that was really run, overrides included, is
stored inside its recording.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from drives.bank import DriveError
from drives.sim.faults import FaultKind
from hil.config.errors import ConfigError, Wrong, about
from hil.config.fields import NotNegative, Positive
from hil.config.file_search import find_file
from hil.config.scenario import Name, OperatorSettings, RecordingSettings, ScenarioSettings
from hil.config.settings import (
    Change,
    Settings,
    apply_overrides,
    read_toml,
    scenario_toml,
)
from hil.machines.rig.bus_kind import as_kind
from hil.machines.rig.buses import buses_at
from hil.machines.rig.drive_fit import fitted
from hil.machines.rig.drive_reference import count_goes_round
from hil.machines.rig.machine import build_rig, check_rig
from hil.machines.rig.settings import Rig
from hil.stations.platform.plan.fit_changes import FitChange
from hil.stations.platform.plan.motion_settings import (
    Axis,
    ColumnSettings,
    DiagramSettings,
    HoldSettings,
    LegMove,
    LegMovesSettings,
    MotionSettings,
    MovesSettings,
    MoveTo,
    MultiSineSettings,
    RecordedSettings,
    RotationTerm,
    Term,
    TimeSettings,
    TranslationTerm,
)

__all__ = [
    "RIG_PREFIX",
    "Axis",
    "ColumnSettings",
    "Devices",
    "DiagramSettings",
    "FaultSettings",
    "HoldSettings",
    "LegMove",
    "LegMovesSettings",
    "MotionSettings",
    "MoveTo",
    "MovesSettings",
    "MultiSineSettings",
    "Plan",
    "RecordedSettings",
    "RotationTerm",
    "Scenario",
    "Term",
    "TimeSettings",
    "TranslationTerm",
    "drives_url",
    "load_plan",
    "plan_from_table",
]


class Devices(Settings):
    """Devices of a run, by URL."""

    drives: str = "sim:"
    """URL of the drives; ``sim:`` is the simulated bank, ``rig`` the drives that the rig names."""
    fallback: Literal["refuse", "sim"] = "refuse"
    """Action if the drives do not answer: refuse, or continue with emulated ones, and report it."""
    in_place_of: str = ""
    """URL of the real drives, written by the bench when emulated ones stepped in."""


class FaultSettings(Settings):
    """Fault that is switched on in the simulated drives (refused with real ones)."""

    kind: FaultKind
    """Kind of the fault."""
    leg: Annotated[int, Field(ge=1, le=6)]
    """Leg whose drive fails, 1 to 6."""
    start_s: NotNegative
    """Start of the fault from that of the loop [s]: the time that recordings and reports show."""
    duration_s: Positive | None = None
    """Duration of the fault [s]; to the end of the run if absent."""
    value: float = 0.0
    """Size of the fault, in the unit of its kind; 0 where the kind needs none."""


class Scenario(ScenarioSettings):
    """Scenario of a run; two runs of it on the virtual clock are bit-identical."""

    name: Name
    """Name of lower-case letters, digits and underscores; also that of a run's folder."""
    station: Literal["platform"] = "platform"
    """Station; a scenario that names none is one of this."""
    description: str = ""
    """Description in a sentence."""
    rig: str
    """Rig file; in the folder of the scenario, or shipped."""
    motion: MotionSettings
    """Motion of the platform."""
    clock: Literal["virtual", "real"] = "virtual"
    """Clock: ``virtual``, as fast as it computes, bit-identical; ``real``, in real time."""
    rate_hz: Annotated[float, Field(ge=10.0, le=1000.0)] = 500.0
    """Rate of the cycles [Hz]; above 100 for smooth motion, less for drives on a slow line."""
    check_first: bool | None = None
    """Prove the whole motion before anything moves, and refuse it otherwise.

    Left out: yes with the real clock, no in a dry run (where one may watch the gate stop it).
    """
    overruns: Literal["tolerate", "stop"] = "tolerate"
    """Action after a late cycle, which is counted; ``stop``: end with a controlled stop."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Seed of all random numbers: the same seed gives the same run."""
    devices: Devices = Devices()
    world: str = ""
    """World on the rods of simulated cylinders in the physics engine: a scene's name or TOML file.
    Left out: each rod by itself, with the load that the rig says."""
    faults: tuple[FaultSettings, ...] = ()
    """Faults of the simulated drives."""
    recording: RecordingSettings = RecordingSettings()
    operator: OperatorSettings = OperatorSettings()

    @property
    def period_s(self) -> float:
        """Cycle time of the loop [s]."""
        return 1.0 / self.rate_hz

    @property
    def checks_first(self) -> bool:
        """Whether the motion is proved before the machine moves."""
        return self.clock == "real" if self.check_first is None else self.check_first


class Plan(Settings):
    """Scenario with its rig resolved: the effective settings of a run, stored with it."""

    scenario: Scenario
    rig: Rig
    scenario_file: str
    rig_file: str
    fitted: tuple[FitChange, ...] = ()
    """Keys of the scenario that were changed so that its motion fits the rig (``--fit``)."""

    @property
    def drives_url(self) -> str:
        """URL of this run's drives."""
        return drives_url(self.scenario, self.rig)


def drives_url(scenario: Scenario, rig: Rig) -> str:
    """URL of a scenario's drives: its own, or the rig's."""
    url = scenario.devices.drives
    return rig.drives.url if url == "rig" else url


def scenario_model() -> type[Settings]:
    """Model of a scenario of this station."""
    return Scenario


def load_plan(path: Path, overrides: Iterable[Change] = ()) -> Plan:
    """Read a scenario and its rig.

    Args:
        overrides: changes of the scenario; keys under ``rig_settings.`` go to the rig.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    return plan_from_table(scenario_toml(path), path, overrides)


def plan_from_table(table: Mapping[str, Any], path: Path, overrides: Iterable[Change] = ()) -> Plan:
    """Plan of a scenario that is already a table, as by :func:`load_plan`."""
    for_scenario, for_rig = parted(overrides)
    scenario = Scenario.build(apply_overrides(dict(table), for_scenario), str(path))
    rig, rig_path = rig_of(scenario, path, for_rig)
    return Plan(scenario=scenario, rig=rig, scenario_file=str(path), rig_file=str(rig_path))


def parted(overrides: Iterable[Change]) -> tuple[list[Change], list[str]]:
    """Changes of a scenario, and the texts for its rig without their prefix."""
    overrides = tuple(overrides)
    for_rig = [one for one in overrides if isinstance(one, str) and one.startswith(RIG_PREFIX)]
    for_scenario = [one for one in overrides if one not in for_rig]
    return for_scenario, [one.removeprefix(RIG_PREFIX) for one in for_rig]


def rig_of(scenario: Scenario, path: Path, overrides: Iterable[Change] = ()) -> tuple[Rig, Path]:
    """Rig that a scenario names, fitted with its drives, and the rig's file.

    Args:
        path: path of the scenario.
        overrides: changes of the rig.

    Raises:
        ConfigError: if it cannot be read, or the devices cannot be as described.
    """
    rig_path = find_file(scenario.rig, beside=path, folder="rigs", key="rig")
    rig = build_rig(apply_overrides(read_toml(rig_path), overrides), str(rig_path))
    check_rig(rig, str(rig_path))
    _check_devices(scenario, rig, str(path))
    url = drives_url(scenario, rig)
    rig = fitted(rig, rig_path, url, goes_round=count_goes_round(rig))
    check_rig(rig, str(rig_path))
    return rig, rig_path


RIG_PREFIX = "rig_settings."


def _check_devices(scenario: Scenario, rig: Rig, source: str) -> None:
    url = drives_url(scenario, rig)
    try:
        buses = buses_at(url)
    except DriveError as error:
        line = f"devices.drives = {url!r}: {error}"
        raise ConfigError(source, [about("devices.drives", line)]) from None
    bus = as_kind(buses[0])
    if not bus.protocol:
        return
    wrong: list[Wrong] = []
    if scenario.world:
        line = f"world = {scenario.world!r}: of sim: only; emulated drives have their own,"
        line += " hil drives rack --world"
        wrong.append(about("world", line))
    if len(buses) > 1 and (len(buses) > bus.links_max or any(one is not buses[0] for one in buses)):
        line = f"devices.drives = {url!r}: one URL, or two CAN buses with a space between"
        wrong.append(about("devices.drives", line))
    if scenario.clock != "real":
        wrong.append(
            about(
                "devices.drives",
                f"devices.drives = {url!r} with clock = {scenario.clock!r}: drives on a wire need "
                'clock = "real" (--clock real)',
            )
        )
    if scenario.devices.fallback == "sim" and bus.emulate is None:
        line = (
            f'devices.fallback = "sim" with {url!r}: nothing emulates the drives of {bus.protocol}'
        )
        wrong.append(about("devices.fallback", line))
    if scenario.faults:
        line = "faults: they are for simulated drives (sim:) only; real ones have their own"
        wrong.append(about("faults", line))
    if wrong:
        raise ConfigError(source, wrong)
