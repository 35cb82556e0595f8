"""Control laws of a scenario's robot: built in, or a functional diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.sources.planned_motion import slides_of
from sim.world.control.laws import ControlBy, DriveLaw, Gains, JointLaw, Law, LawError
from sim.world.motion.chain import Chain, ChainError
from sim.world.robots.model import Robot

if TYPE_CHECKING:
    from hil.diagram.run.diagram_use import DiagramUse, UsedDiagram
    from hil.diagram.run.models import DiagramModels
    from hil.stations.world.cycle.received_sensors import ReceivedSensors
    from hil.stations.world.cycle.robot_signals import RobotSignals
    from hil.stations.world.plan.scenario import WorldPlan
    from sim.world.engine.world import WorldRobot


def signals_to_diagram(
    plan: WorldPlan, robot: WorldRobot, use: DiagramUse, chain: Chain | None,
    sensors: ReceivedSensors,
) -> RobotSignals:  # fmt: skip
    """Signals of a robot for its diagram, and the groups of joints that it commands.

    Raises:
        RefusedError: if a joint is not driven, or an end does not exist.
    """
    from hil.stations.world.cycle.robot_signals import RobotSignals, SignalGroup  # seldom needed

    driven, slide = [drive.joint for drive in plan.robot.drives], slides_of(plan.robot)
    if missing := [joint for joint in use.commanded(driven) if joint not in driven]:
        there = ", ".join(map(str, driven)) or "none"
        raise RefusedError(f"diagram.joints: joint {missing[0]} is not driven; there are {there}")
    rows = [(one.name, one.joints, one.end) for one in use.group]
    groups: list[SignalGroup] = []
    for name, joints, end in rows or [("", use.joints or tuple(driven), use.end)]:
        places = tuple(driven.index(joint) for joint in joints)
        slides = tuple(slide[place] for place in places)
        own = chain if end is None else _chain_to(plan, end, robot, name)
        groups.append(SignalGroup(name, places, slides, own))
    try:
        return RobotSignals(robot, sensors, groups)
    except ConfigError as error:
        raise RefusedError(str(error)) from None


def _chain_to(plan: WorldPlan, end: int, robot: WorldRobot, name: str) -> Chain:
    try:
        return Chain(plan.tree, end, held=robot.coordinates())
    except ChainError as error:
        place = f"diagram.group {name}: end" if name else "diagram.end"
        raise RefusedError(f"{place}: {error}") from None


def diagram_law(
    plan: WorldPlan, robot: WorldRobot, gains: Gains, chain: Chain | None,
    sensors: ReceivedSensors, *, paced: bool = False,
) -> DriveLaw:  # fmt: skip
    """Control law made of a scenario's diagram.

    Args:
        paced: whether its cycles are in real time, and must not wait.

    Raises:
        RefusedError: if it does not fit the robot.
    """
    from hil.stations.world.cycle.diagram_law import DiagramLaw  # seldom needed

    scenario, document = plan.scenario, plan.robot
    if plan.diagram is None or scenario.diagram is None:
        raise RefusedError(f"robot {scenario.robot}: it is moved by a diagram that is not there")
    use = scenario.diagram
    robot_signals = signals_to_diagram(plan, robot, use, chain, sensors)
    built_in = joint_law(document, scenario.control, "computed", gains, scenario.step_s)
    try:
        return DiagramLaw(
            plan.diagram, use, robot_signals, scenario.control, document.drives, built_in,
            scenario.step_s, _models(plan.diagram, trusted=plan.trusted, paced=paced),
        )  # fmt: skip
    except ConfigError as error:
        raise RefusedError(str(error)) from None


def _models(used: UsedDiagram, *, trusted: bool, paced: bool) -> DiagramModels | None:
    if not used.sound.flat.models:
        return None
    from hil.diagram.run.models import DRY_WAIT_S, DiagramModels  # seldom needed

    wait_s = None if paced else DRY_WAIT_S
    return DiagramModels(used.sound.flat, trusted=trusted, wait_s=wait_s)


def joint_law(robot: Robot, control: ControlBy, law: Law, gains: Gains, step_s: float) -> JointLaw:
    """Built-in law of a robot's drives; raises as `diagram_law`."""
    try:
        return JointLaw(robot.drives, control, law, gains, step_s)
    except LawError as error:
        raise RefusedError(f"control: {error}") from None
