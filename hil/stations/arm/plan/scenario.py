"""A scenario of the arm station: which space arm does what, and which robot repeats it where.

Scenarios of both stations lie in ``configs/scenarios/``; those of this one say
``station = "arm"``.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from arm_driver.contour.val import OatConvention, from_oat
from arm_driver.link_errors import ArmLinkError
from hil.config.errors import ConfigError, Wrong, about
from hil.config.fields import Coordinate, Positive
from hil.config.file_kind import FileKind
from hil.config.file_search import find_file
from hil.config.named_files import NotAllowedError
from hil.config.scenario import Name, RecordingSettings, ScenarioSettings
from hil.config.settings import Change, Settings, apply_overrides, scenario_toml
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.machines.robot.offered_links import SIM_URL, has_power, link_kind
from hil.machines.robot.settings import RobotSettings
from hil.machines.space_arm.settings import ArmSettings
from hil.run.file_kinds import find_kind
from hil.stations.arm.plan.fixture import FixtureSettings
from hil.stations.arm.plan.simulation_accuracy import (
    FINE_MODELS,
    AskedAccuracy,
    SimulationAccuracy,
    simulation_accuracy,
)
from hil.stations.arm.sources.actions import (
    PlacedAction,
    buttons_of,
    faults_of,
    timed_actions,
)
from hil.stations.arm.sources.settings import ArmSourceSettings, DiagramSourceSettings
from hil_common.arrays.pose import Pose
from sim.world.space_arm.drive import DriveEffects, DriveModel
from sim.world.space_arm.error_bound import ErrorBound
from sim.world.space_arm.links import SpaceArmError
from sim.world.space_arm.omissions import MASSES, Omission, ReducedModel
from sim.world.space_arm.simulator import INSIDE_M

Point = tuple[Coordinate, Coordinate, Coordinate]
OatDeg = tuple[float, float, float]


class SpaceArmChoice(Settings):
    """The arm whose gripper is reproduced."""

    arm: str = "bkm"
    """Arm file; in the folder of the scenario, or shipped."""
    model: Literal["a", "b", "c", "d", "e", "f", "auto"] = "e"
    """Drives of the arm: linear, with limits, backlash, elasticity, dry friction; f has limits and
    the inductance of the windings; ``auto`` is the cheapest simulation of a planned motion that
    stays within ``bound``."""
    omit: tuple[Literal["coriolis", "coefficients", "point-masses", "massless-links"], ...] = ()
    """Parts of the dynamics that are left out: Coriolis torques, fresh coefficients (they are held
    for up to 80 ms), inertias or masses of the links."""
    bound: str | None = None
    """Largest error of the gripper that ``auto`` may make, as ``"0.5%"`` of the motion's range or
    ``"2mm"``."""
    reference: Literal["a", "b", "c", "d", "e"] = "e"
    """Drives that ``auto`` compares with."""
    payload: str = ""
    """Name of one of the arm's payloads that the gripper holds; empty for none."""
    fixture: FixtureSettings | None = None
    """Fixture that the payload may touch, and is then pushed back by."""
    start_deg: tuple[float, ...] | None = None
    """Angles of the revolute joints at the start [deg]; the arm's home if left out."""
    start_m: tuple[float, ...] | None = None
    """Travels of the prismatic joints at the start [m]; the arm's home if left out."""
    accuracy: AskedAccuracy = "auto"
    """Accuracy of the simulation: ``fine`` takes ten times the time (not with model c); ``auto`` is
    fine as long as a waypoint's work allows, and usual with model c."""

    @model_validator(mode="after")
    def _can_be_fine(self) -> Self:
        if self.accuracy == "fine" and self.model not in (*FINE_MODELS, "auto"):
            raise ValueError(f'accuracy = "fine" is not there for model {self.model}; "usual" is')
        return self

    @property
    def simulation(self) -> SimulationAccuracy:
        """Accuracy with which the arm is simulated."""
        return simulation_accuracy(self.accuracy, self.model)

    @model_validator(mode="after")
    def _can_be_chosen(self) -> Self:
        ReducedModel.of(DriveEffects(), self.omissions())
        if self.model != "auto":
            if self.bound is not None:
                raise ValueError(f'bound = {self.bound!r} is for model = "auto"')
            return self
        if self.bound is None:
            raise ValueError('model = "auto" needs a bound, such as bound = "0.5%" or "2mm"')
        if self.omit:
            raise ValueError('model = "auto" chooses what is left out itself: omit must be empty')
        self.error_bound()
        return self

    def omissions(self) -> frozenset[Omission]:
        """Return what is left out of the dynamics."""
        return frozenset(map(Omission, self.omit))

    def error_bound(self) -> ErrorBound:
        """Return the bound of ``auto``; raises `ValueError` if it is none."""
        return ErrorBound.parse(self.bound or "")


class WorkingPoint(Settings):
    """A place of the robot's gripper, in its base."""

    position_m: Point
    """x, y, z in the robot's base [m]."""
    oat_deg: OatDeg
    """Angles o, a, t in the controller's convention [deg]."""

    def pose(self, convention: OatConvention) -> Pose:
        """Return the place as a pose."""
        return Pose(np.array(self.position_m), from_oat(np.radians(self.oat_deg), convention))


class MappingSettings(Settings):
    """Mapping of the space arm's motion to the bench."""

    start: WorkingPoint | None = None
    """Place where the robot begins; left out, the place is computed in which the whole planned
    motion lies deepest inside its reach and limits."""
    start_joints_deg: tuple[float, float, float, float, float, float] | None = None
    """Joint angles of the robot at ``start`` [deg], which choose among its eight postures."""
    scale: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Scale of the distances; other than 1 is not the same motion, and is shown."""
    corrected: bool = True
    """Whether waypoints are put so that the robot's path fits the motion: it joins them by chords
    and rounds the corners. False puts them on the motion."""


class ArmDevices(Settings):
    """Devices on the serial line."""

    arm: str = SIM_URL
    """``sim:`` is the emulated controller in this process; or a URL: serial:…, socket://…, or that
    of a link of another distribution."""
    fallback: Literal["refuse", "sim"] = "refuse"
    """Reaction to a missing robot: refuse, or continue with an emulated one, and show it."""
    in_place_of: str = ""
    """Written by the bench when an emulated robot stepped in."""

    @property
    def simulated(self) -> bool:
        """Whether the robot is an emulated one, so that nothing has power."""
        return bool(self.in_place_of) or not has_power(self.arm)


class ArmScenario(ScenarioSettings):
    """Scenario of the arm station."""

    station: Literal["arm"]
    """Always ``arm``: it makes the file a scenario of this station."""
    name: Name
    """Name of the scenario, after which the folder of a run is called."""
    description: str = ""
    """A line for the reader."""
    space_arm: SpaceArmChoice = SpaceArmChoice()
    """The simulated arm whose gripper is reproduced."""
    robot: str = "rm01"
    """Robot file."""
    mapping: MappingSettings = MappingSettings()
    """Place on the bench where the robot repeats the motion."""
    source: ArmSourceSettings
    """Source of the gripper's motion: a programme, a recording, or an operator."""
    clock: Literal["virtual", "real"] = "virtual"
    """``virtual``: a dry run, as fast as it goes; ``real``: in real time, for a robot on a line."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Seed of all random numbers: the same seed gives the same run."""
    longest_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 600.0
    """Time by which a motion has come to rest [s]; else it is refused, or stopped if it is live."""
    acceleration_max_rad_s2: Positive = 0.02
    """Largest acceleration of the space arm's joints [rad/s²]."""
    devices: ArmDevices = ArmDevices()
    """The robot's line."""
    world: str = ""
    """Scene in the physics engine in which an emulated robot moves: a shipped one, or a file. Left
    out: its joints bear nothing, and it touches nothing."""
    ride: str = ""
    """Recording of a platform's run, its file or folder: in its world the robot is on that
    platform, and is moved by it; the platform feels nothing of the robot."""
    recording: RecordingSettings = RecordingSettings()
    """Recording of the run."""


class ArmPlan(Settings):
    """A scenario with its files read: the effective settings of a run, stored with it."""

    scenario: ArmScenario
    space_arm: ArmSettings
    robot: RobotSettings
    scenario_file: str

    def posture_rad(self) -> NDArray[np.float64]:
        """Return the posture of the space arm at the start [rad; m], shape (n,)."""
        chosen, arm = self.scenario.space_arm, self.space_arm
        return arm.posture_rad(
            arm.home_deg if chosen.start_deg is None else chosen.start_deg,
            arm.home_m if chosen.start_m is None else chosen.start_m,
        )


def scenario_model() -> type[Settings]:
    """Return the model of a scenario of this station."""
    return ArmScenario


def load_arm_plan(path: Path, overrides: Iterable[Change] = ()) -> ArmPlan:
    """Read a scenario, its arm and its robot.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    return arm_plan_from_table(scenario_toml(path), path, overrides)


def arm_plan_from_table(
    table: Mapping[str, Any], path: Path, overrides: Iterable[Change] = ()
) -> ArmPlan:
    """Load a plan as `load_arm_plan` does, from a scenario that is already a table."""
    scenario = ArmScenario.build(apply_overrides(dict(table), overrides), str(path))
    arm_file = _machine(scenario.space_arm.arm, SPACE_ARM, path, "space_arm.arm")
    robot_file = _machine(scenario.robot, ROBOT, path, "robot")
    plan = ArmPlan(
        scenario=scenario,
        space_arm=ArmSettings.load(arm_file),
        robot=RobotSettings.load(robot_file),
        scenario_file=str(path),
    )
    _check(plan, str(path))
    return plan


def _machine(name: str, wanted: FileKind, scenario: Path, key: str) -> Path:
    """Return the file of a machine; one beside the scenario goes before a shipped one."""
    try:
        name = str(find_file(name, beside=scenario, folder=wanted.folder, key=key))
    except NotAllowedError:
        raise
    except ConfigError:
        pass  # the search by kind reports it better
    return find_kind(name, wanted, key=key)[0]


def _frames_of_the_world(source: Any) -> Iterator[str]:
    """Yield the keys of a source that ask for axes of the world."""
    if source.frame == "world":
        yield "source.frame"
    for number, segment in enumerate(getattr(source, "segment", ())):
        if segment.frame == "world":
            yield f"source.segment.{number}.frame"


def _faults_of_actions(plan: ArmPlan) -> Iterator[tuple[str, str]]:
    """Yield the keys of actions that cannot be done, and what is wrong with them."""
    source, chosen = plan.scenario.source, plan.scenario.space_arm
    try:
        placed = timed_actions(source.actions, source.press)
    except ValueError as error:
        yield "source.press", f": {error}"
        return
    names = {name.partition("@")[0].strip() for name in source.press}
    buttons = buttons_of(source.actions)
    unknown = sorted(names - set(buttons))
    if unknown and not isinstance(source, DiagramSourceSettings):  # its buttons are in its diagram
        known = ", ".join(buttons) or "none"
        yield "source.press", f" = {unknown[0]!r}: no action has such a button; there are {known}"
    arm = plan.space_arm.arm()
    for key, text in faults_of(placed, arm, chosen.payload):
        yield f"source.{key}", f": {text}"
    for number, one in enumerate(source.actions):
        if one.button is not None:
            alone = [PlacedAction("", 0.0, action) for action in one.actions()]
            for _, text in faults_of(alone, arm, chosen.payload):
                yield f"source.actions.{number}", f": {text}"
    for one in placed:
        if one.at_s >= plan.scenario.longest_s:
            late = f"at_s = {one.at_s:g} s: the motion ends by {plan.scenario.longest_s:g} s"
            yield f"source.{one.key}", f": {late} (longest_s)"


def _faults_of_model(plan: ArmPlan) -> Iterator[tuple[str, str]]:
    """Find what is wrong with the choice of a model: keys of the scenario, and texts."""
    scenario = plan.scenario
    chosen, key = scenario.space_arm, "space_arm.model"
    if "massless-links" in chosen.omit and not chosen.payload:
        yield "space_arm.omit", " = massless-links: needs a payload to have any inertia"
    if chosen.model == "auto" and not scenario.source.planned:
        kind = f"source.kind = {scenario.source.kind!r} has no plan to choose by"
        found = f"hil arm simplify {chosen.arm} shows what slow motions need"
        yield key, f' = "auto": {kind}; write model = "e", or a simpler one: {found}'
    model = DriveModel(chosen.reference if chosen.model == "auto" else chosen.model)
    if lack := plan.space_arm.arm().lacks(model.effects):
        yield key, f" = {chosen.model!r}: {plan.space_arm.name}: {lack}"


def _faults_of_fixture(plan: ArmPlan) -> Iterator[tuple[str, str]]:
    """Find what is wrong with the fixture of a plan without other faults."""
    chosen, key = plan.scenario.space_arm, "space_arm.fixture"
    if chosen.fixture is None:
        return
    if not chosen.payload:
        yield key, ": only a body in the gripper touches it; name one with payload"
    elif chosen.model == "auto":
        yield key, ': model = "auto" chooses for free motions only; write model = "e", or another'
    elif chosen.omissions() & MASSES:
        yield key, f": touching needs all masses; omit = {list(chosen.omit)} leaves some out"
    else:
        try:
            arm = plan.space_arm.arm().with_payload(plan.space_arm.payloads()[chosen.payload])
            contact = chosen.fixture.contact()
            contact.hold(arm)
        except SpaceArmError as error:
            yield key, f": {error}"
            return
        depth_m = contact.inside_m(arm.arrays(), plan.posture_rad())
        if depth_m > INSIDE_M:
            deep = f": the payload begins {1e3 * depth_m:.3g} mm inside it; begin before its faces"
            yield key, deep


def _check(plan: ArmPlan, source: str) -> None:
    scenario, space_arm, wrong = plan.scenario, plan.space_arm, list[Wrong]()

    def add(key: str, text: str) -> None:
        wrong.append(about(key, f"{key}{text}"))

    payload, payloads = scenario.space_arm.payload, space_arm.payloads()
    if payload and payload not in payloads:
        there = ", ".join(payloads) or "none"
        add("space_arm.payload", f" = {payload!r}: {space_arm.name} has {there}")
    for name, unit in (("start_deg", "deg"), ("start_m", "m")):
        values = getattr(scenario.space_arm, name)
        for place, text in () if values is None else space_arm.wrong_posture(unit, values):
            add(f"space_arm.{name}{place}", text)
    for key, text in _faults_of_model(plan):
        add(key, text)
    for key, text in _faults_of_actions(plan):
        add(key, text)
    for key, text in () if wrong else _faults_of_fixture(plan):
        add(key, text)
    if (scenario.mapping.start is None) != (scenario.mapping.start_joints_deg is None):
        add("mapping", ": start and start_joints_deg belong together; give both or none")
    for key in _frames_of_the_world(scenario.source):
        add(key, " = 'world': where the arm's base stands in it nobody says; 'base' or 'gripper'")
    if scenario.ride and not scenario.world:
        add("ride", f" = {scenario.ride!r}: needs a world in which the robot stands on a platform")
    if scenario.devices.arm != SIM_URL:
        url = f" = {scenario.devices.arm!r}"
        virtual = False
        try:
            virtual = link_kind(scenario.devices.arm).virtual
        except ArmLinkError as error:
            add("devices.arm", f"{url}: {error}")
        if scenario.clock != "real" and not virtual:
            needed = 'a robot on a line needs clock = "real" (--clock real)'
            add("devices.arm", f"{url} with clock = {scenario.clock!r}: {needed}")
        if scenario.world and scenario.devices.fallback == "refuse":
            own = "a robot on a line has its own (hil arm emulate --world)"
            emulated = 'of an emulated robot: devices.arm = "sim:", or devices.fallback = "sim"'
            add("world", f" = {scenario.world!r}: {emulated}; {own}")
    if wrong:
        raise ConfigError(source, wrong)
