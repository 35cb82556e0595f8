"""A run of the arm station, put together from its plan: source, both arms, gate, link, recorder."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from arm_driver import warm as robot
from arm_driver.kinematics.puma import forward
from arm_driver.link import DeclaredPath
from arm_driver.link_report import DisplayedPose
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.inputs import collected
from hil.desk.velocity.source import SourceError, VelocitySource
from hil.machines.robot.offered_links import link_origin
from hil.machines.space_arm.settings import ArmSettings
from hil.recording.header import SIMULATED, RunHeader
from hil.run.end import Conclusion
from hil.run.run import Opening, conduct
from hil.stations.arm.cycle.robot_start import RobotStart
from hil.stations.arm.cycle.stream import Stream, Streamed
from hil.stations.arm.cycle.waypoint_gate import GatedArm
from hil.stations.arm.lead.action_page import PressCounter
from hil.stations.arm.lead.operator import ArmOperator, open_arm_desk
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.proof.cheapest_model import with_cheapest_model
from hil.stations.arm.proof.planned_actions import actions_of
from hil.stations.arm.proof.prepare import ArmProof, prepare
from hil.stations.arm.run.diagram_run import DiagramRun, diagram_run, edited
from hil.stations.arm.run.session import arm_clock, arm_wire, play_stream, writer_of
from hil.stations.arm.run.wire import emulated_controller
from hil.stations.arm.run.world import notes_of, plant_of
from hil.stations.arm.scene.machines import ArmMachines
from hil.stations.arm.signals import arm_signals
from hil.stations.arm.sources.actions import ActionQueue
from hil.stations.arm.sources.settings import make_source
from hil.timing.clock import Clock, VirtualClock
from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import ArmFault
from sim.devices.arm.settings import ArmControllerSettings
from sim.world.space_arm import warm as space_arm
from sim.world.space_arm.simulator import TICK_S

VERSIONED = ("numpy", "scipy", "numba", "mcap")


def run_header(
    prepared: ArmProof, opening: Opening, clock: Clock, diagram: DiagramRun | None = None
) -> RunHeader:
    """Return the header of a run's recording, with all that its report needs.

    Args:
        clock: of the run, which dates it.
        diagram: of its operator.
    """
    plan = prepared.plan
    signals = arm_signals(plan.space_arm.prismatic)
    machines = {"machines": _machines(prepared).to_json()}
    return opening.header(
        signals if diagram is None else diagram.signals(signals),
        clock,
        plan.model_dump(mode="json") | machines | ({} if diagram is None else diagram.header_table),
        {
            "space_arm": plan.space_arm.name,
            **({} if prepared.choice is None else {"space_arm_model": str(prepared.choice)}),
            "robot": robot_line(plan),
            SIMULATED: "robot" if plan.scenario.devices.simulated else "",
            **world_facts(plan),
            **link_facts(plan.scenario.devices.arm),
            "period_s": repr(TICK_S),
            "seed": str(plan.scenario.seed),
            "scale": repr(plan.scenario.mapping.scale),
            "station": signals.station,
        },
        VERSIONED,
    )


def world_facts(plan: ArmPlan) -> dict[str, str]:
    """Return the facts about the world of an emulated robot for the header; empty without one."""
    facts = {"world": plan.scenario.world, "ride": plan.scenario.ride}
    return {name: value for name, value in facts.items() if value}


def link_facts(url: str) -> dict[str, str]:
    """Return the facts about the code of a foreign link for the header; empty for ours."""
    origin = link_origin(url)
    return {"arm_link_code": origin} if origin else {}


def _machines(prepared: ArmProof) -> ArmMachines:
    plan = prepared.plan
    return ArmMachines(
        space=plan.space_arm,
        robot=plan.robot.geometry(),
        period_s=TICK_S,
        gripper_speed_max_m_s=plan.robot.gripper_speed_max_m_s,
        alignment=np.asarray(prepared.mapping.alignment),
        scale=prepared.mapping.scale,
        X_WG0=prepared.mapping.X_WG0,
        X_RT0=prepared.mapping.X_RT0,
    )


def robot_line(plan: ArmPlan) -> str:
    """Return the robot of a run in one line; an emulated one can never be taken for a real one."""
    devices = plan.scenario.devices
    instead = f", in place of {devices.in_place_of}, which was not there"
    place = instead if devices.in_place_of else ""
    world = f", world {plan.scenario.world}" if plan.scenario.world else ""
    simulated = "SIMULATED " if plan.scenario.devices.simulated else ""
    return f"{simulated}{plan.robot.name} ({devices.arm}{place}{world})"


@dataclass(frozen=True, slots=True)
class ArmRunResult(Streamed):
    """Result of a run; figures are taken from its recording."""

    prepared: ArmProof
    """Motion that was proved before the run."""

    @property
    def robot(self) -> str:
        """The robot of the run in one line."""
        return robot_line(self.prepared.plan)


def prepare_plan(plan: ArmPlan) -> ArmProof:
    """Find the robot's place, and prove a planned motion in full.

    Raises:
        ConfigError: if the source's file cannot be used.
        RefusedError: with arm, joint, value and limit; nothing has been sent.
    """
    if not plan.scenario.source.planned:
        return prepare(plan, None)

    def planned_source() -> VelocitySource:
        return source_of(plan, VirtualClock())

    if plan.scenario.space_arm.model != "auto":
        return prepare(plan, planned_source)
    chosen, choice = with_cheapest_model(plan, planned_source)
    return replace(prepare(chosen, planned_source), choice=choice)


def source_of(
    plan: ArmPlan,
    clock: Clock,
    diagram: DiagramRun | None = None,
    press: Callable[[int], object] | None = None,
) -> VelocitySource:
    """Return the source of a plan, at its beginning.

    Args:
        diagram: of its operator.
        press: told the number of the button that he presses at a keyboard, from 1.

    Raises:
        RefusedError: if a device or package is not there, or a live source is to run in no time.
    """
    source = plan.scenario.source
    if not source.planned and plan.scenario.clock == "virtual":
        raise RefusedError(
            f"source.kind = {source.kind!r} is moved by an operator, who needs the real clock: "
            "--clock real"
        )
    try:
        file = Path(plan.scenario_file)
        made = None if diagram is None else diagram.made
        return make_source(source, now_s=clock.now_s, scenario=file, diagram=made, press=press)
    except SourceError as error:
        raise RefusedError(f"source: {error}") from None


def _pressed_source(
    plan: ArmPlan,
    clock: Clock,
    diagram: DiagramRun | None,
    actions: ActionQueue,
    led: ArmOperator | None,
) -> VelocitySource:
    """Return the source of a plan, whose operator presses the buttons of its actions."""
    if led is not None and actions.buttons:
        led.take_table = PressCounter(tuple(actions.buttons), actions.press, led.take_table).take
    press = actions.press_number if actions.buttons else None
    if diagram is None and press is None:
        return source_of(plan, clock)
    return source_of(plan, clock, diagram, press)


def declared_path(prepared: ArmProof) -> DeclaredPath:
    """Return the declared start and end of the stream."""
    start = forward(prepared.plan.robot.geometry(), prepared.start.q_rad)
    return DeclaredPath(start, prepared.steps[-1].waypoint if prepared.steps else None)


def emulated_settings(prepared: ArmProof) -> ArmControllerSettings:
    """Return the settings of an emulated robot that is where the motion begins."""
    angles = tuple(np.degrees(prepared.start.q_rad).tolist())
    return ArmControllerSettings(start_deg=angles, tool_m=prepared.plan.robot.tool_m, feedback=True)


class EmulatedRobot:
    """An emulated robot in this process, if a run asks for one."""

    def __init__(self, prepared: ArmProof, clock: Clock, faults: tuple[ArmFault, ...]) -> None:
        self._prepared, self._clock, self._faults = prepared, clock, faults
        self.shown: Callable[[], str] = str
        """Finds why its joints stopped by themselves or it refused a waypoint; in a world only."""

    def begin(self) -> ArmController:
        """Make it; in the scenario's world, if it names one.

        Raises:
            RefusedError: if it cannot be there.
        """
        plan = self._prepared.plan
        settings, seed = emulated_settings(self._prepared), plan.scenario.seed
        try:
            plant = plant_of(plan)
            robot = emulated_controller(settings, self._clock, seed, self._faults, plant)
        except ValueError as error:
            raise RefusedError(f"nothing has moved: the robot cannot begin so: {error}") from None
        if plant is not None:
            self.shown = lambda: robot.reason
        return robot


def run_arm(
    prepared: ArmProof,
    out: Path,
    *,
    faults: tuple[ArmFault, ...] = (),
    operator: bool = False,
    robot_at: DisplayedPose | None = None,
) -> ArmRunResult:
    """Run a prepared motion, recorded below a folder; the arguments are those of `play_arm`."""
    virtual = prepared.clock == "virtual"
    opening = Opening(prepared.name, out, virtual=virtual, operator=operator)
    return conduct(partial(play_arm, prepared, faults=faults, robot_at=robot_at), opening)


def play_arm(
    prepared: ArmProof,
    opening: Opening,
    *,
    faults: tuple[ArmFault, ...] = (),
    shown_at: int | None = None,
    robot_at: DisplayedPose | None = None,
    edit: Callable[[str], object] | None = None,
) -> Callable[[Conclusion], ArmRunResult]:
    """Play a prepared motion against its robot, within an opening.

    Args:
        shown_at: descriptor to show on what happens, as it happens; None to show nothing.
        robot_at: where the robot's controller shows its gripper, as the operator read it there;
            for a robot that does not send it by itself.
        edit: told why the file of an operator's diagram cannot be read, which is taken each time
            that it is saved; None to look at it no more.

    Raises:
        RefusedError: if the robot is not there, or its source, or the desk; nothing has moved.
        RecordingError: if the run cannot be recorded.
    """
    plan = prepared.plan
    clock = arm_clock(plan.scenario.clock)
    diagram = diagram_run(plan)
    header = run_header(prepared, opening, clock, diagram)
    led = opening.enter(open_arm_desk(plan, header, clock.now_s)) if opening.operator else None
    if edit is not None:
        opening.enter(edited(plan, diagram, edit))
    if diagram is not None and led is not None:
        diagram.led(led)
    actions = actions_of(plan)
    source = _pressed_source(plan, clock, diagram, actions, led)
    opening.at_end(source.close)
    held = source if led is None else led.holds(source, plan.scenario.source.limits.limits())
    stop_request = opening.stop_request if led is None else led.stops(opening.stop_request)
    emulated = EmulatedRobot(prepared, clock, faults)
    order = plan.robot.link_order(plan.scenario.devices.arm)
    wire = arm_wire(order, clock, emulated.begin)
    opening.at_end(wire.close)
    arm = GatedArm(prepared.gate(), wire)
    stream = Stream(
        clock, prepared.station(held, arm, actions), arm, declared_path(prepared),
        RobotStart(plan.robot, prepared.start, robot_at), stop_request, plan.scenario.longest_s,
        plan.robot.oat_convention(), writer_of(order),
        str if led is None else lambda: led.lost, emulated.shown,
    )  # fmt: skip
    planned = plan.scenario.source.planned
    finish = play_stream(
        stream, header, plan.scenario.recording, opening, shown_at=shown_at, status=not planned,
        led=led, first_notes=notes_of(plan), diagram=diagram,
        total_s=len(prepared.steps) * TICK_S if planned else math.inf,
    )  # fmt: skip

    def result(conclusion: Conclusion) -> ArmRunResult:
        found = finish(conclusion)
        return ArmRunResult(found.end, found.run_end, found.events, found.setup, prepared)

    return result


def warm_arm(
    settings: ArmSettings | None = None, *, classic: bool = False, fine: bool = False
) -> None:
    """Compile, or load from the cache, all kernels that a run of an arm calls.

    Args:
        settings: the space arm; one of six revolute joints if left out.
        classic: those of comparisons, too.
        fine: those of ``accuracy = "fine"``, too.
    """
    robot.warm()
    if settings is None:
        with collected():  # it is none of the run that follows
            settings = ArmSettings.load(configs_dir() / "arms" / "bkm.toml")
    space_arm.warm(settings.arm(), settings.home_rad(), classic=classic, fine=fine)
