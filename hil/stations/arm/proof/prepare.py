"""Proof before the first byte: the motion, the robot's place for it, and whether it may run.

A planned motion is played out in full, first by the space arm alone, which says where its gripper
goes, then by both arms through the gate. What is refused here is refused with arm, joint, value and
limit, and nothing has been sent. The run takes the same steps again, bit for bit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.motion_map import Mapping
from arm_driver.kinematics.path_report import PathReport
from arm_driver.kinematics.puma import Joints
from arm_driver.kinematics.reference import NoReferenceError, best_reference
from arm_driver.kinematics.workspace import check_path
from hil.config.errors import RefusedError
from hil.desk.velocity.source import VelocitySource
from hil.stations.arm.cycle.control import LOOKS, ArmStation, MappedRobot, play_out
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.cycle.robot_start import posture_at
from hil.stations.arm.cycle.step import (
    ArmStep,
    MotionPhase,
    path_of,
    pose_of,
    robot_sample,
    space_sample,
)
from hil.stations.arm.cycle.waypoint_gate import WaypointGate
from hil.stations.arm.plan.nodes import (
    Nodes,
    live_nodes,
    planned_nodes,
    planned_offsets_m,
    worst_corner,
)
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.plan.simulation_accuracy import SimulationAccuracy
from hil.stations.arm.proof.planned_actions import actions_of, check_end
from hil.stations.arm.proof.start import hold_to_pace
from hil.stations.arm.sources.actions import ActionQueue
from hil_common.arrays.pose import Pose, PoseError
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmLimits, Margin
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.capped_sdirk4 import CappedSdirk4
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Accuracy, Integrator, Sdirk4
from sim.world.space_arm.model_choice import ModelChoice
from sim.world.space_arm.omissions import ReducedModel
from sim.world.space_arm.programmed_rates import ProgrammedRates, RateSettings
from sim.world.space_arm.simulator import TICK_S, SpaceArm, levers_m

Array = NDArray[np.float64]

SINGULAR_VALUE_MIN = 0.005
"""Smallest singular value that the space arm's scaled Jacobian may have."""

SourceMaker = Callable[[], VelocitySource]


@dataclass(frozen=True, slots=True, eq=False)
class ArmProof:
    """A motion that has been proved and may begin."""

    plan: ArmPlan
    mapping: Mapping
    start: Joints
    """The robot's joints at the start."""
    steps: tuple[ArmStep, ...]
    """The whole motion if it is planned; empty if it is live."""
    path: PathReport | None
    """Demands of the motion on the robot; None if it is live."""
    margin: float | None
    """Depth of the path inside the robot's limits, 0 to 1; None if the place was given."""
    offset_m: Array | None = None
    """Offset of each waypoint of a planned motion from the simulated gripper, the start among them
    [m], shape (N, 3); None if they are not corrected, or the motion is live."""
    choice: ModelChoice | None = None
    """Choice of the simulation, if the scenario left it to the bench."""

    @property
    def name(self) -> str:
        """Name of its scenario."""
        return self.plan.scenario.name

    @property
    def clock(self) -> str:
        """``"virtual"`` or ``"real"``."""
        return self.plan.scenario.clock

    @property
    def usual_waypoints(self) -> int | None:
        """Number of waypoints that took too much work to be fine; None if it is live."""
        if not self.plan.scenario.source.planned:
            return None
        return sum(step.usual for step in self.steps)

    def gate(self) -> ArmGate:
        """Make the gate of both arms at the start; raises RefusedError if it refuses that."""
        space, first = space_arm_of(self.plan), rates_of(self.plan)
        at_rest = first.stop(space.state[0])
        gate = ArmGate(
            (space_limits(self.plan), self.plan.robot.gate_limits()),
            TICK_S,
            (
                space_sample(space.snapshot(), at_rest.smallest_singular_value),
                robot_sample(self.plan.robot.geometry(), np.array(self.start.q_rad)),
            ),
        )
        if gate.latched:
            raise RefusedError(f"the start is refused: {gate.latched[0]}")
        return gate

    def station(
        self,
        source: VelocitySource,
        gate: WaypointGate | None = None,
        actions: ActionQueue | None = None,
    ) -> ArmStation:
        """Return control of both arms at the start; gate and actions are its own, or these."""
        robot, space, gate = self.plan.robot, space_arm_of(self.plan), gate or self.gate()
        geometry = robot.geometry()
        judge = RobotJudge(geometry, gate, BranchTracker(geometry, self.start.q_rad, robot.least()))
        repeats = MappedRobot(self.mapping, gate, judge)
        nodes = self._nodes(pose_of(space.snapshot()))
        actions = actions or actions_of(self.plan)
        return ArmStation(space, rates_of(self.plan), source, repeats, nodes, actions)

    def _nodes(self, X_WG0: Pose) -> Nodes | None:
        """Choose the placing of waypoints for a motion from X_WG0; None: on the motion."""
        if self.offset_m is not None:
            return planned_nodes(self.offset_m)
        scenario = self.plan.scenario
        if scenario.source.planned or not scenario.mapping.corrected:
            return None
        return live_nodes(
            X_WG0.position_m, TICK_S, self.plan.robot.gripper_speed_max_m_s, scenario.mapping.scale
        )


def space_arm_of(plan: ArmPlan, integrator: Integrator | None = None) -> SpaceArm:
    """Return the space arm at its start; while no model is chosen, that of the reference.

    Args:
        integrator: None for that of the scenario.
    """
    chosen = plan.scenario.space_arm
    arm = plan.space_arm.arm()
    payload = plan.space_arm.payloads().get(chosen.payload)
    letter = chosen.reference if chosen.model == "auto" else chosen.model
    model = ReducedModel.of(DriveModel(letter).effects, chosen.omissions())
    integrator = integrator or _integrator(arm, chosen.simulation, model)
    contact = None if chosen.fixture is None else chosen.fixture.contact()
    return model.space_arm(arm, plan.posture_rad(), payload, integrator=integrator, contact=contact)


def _integrator(arm: Arm, simulation: SimulationAccuracy, model: ReducedModel) -> Integrator | None:
    """Return the integrator of an accuracy; None for the usual one."""
    if simulation.accuracy == "usual":
        return None
    fine = model.accuracy(Accuracy.fine())
    if not simulation.capped:
        return Sdirk4(levers_m(arm), fine)
    return CappedSdirk4(levers_m(arm), fine=fine, usual=model.accuracy(Accuracy()))


def rates_of(plan: ArmPlan) -> ProgrammedRates:
    """Return the space arm's programmed rates, bounded as the scenario asks."""
    settings = RateSettings(acceleration_max_rad_s2=plan.scenario.acceleration_max_rad_s2)
    return ProgrammedRates(plan.space_arm.arm(), TICK_S, settings)


def space_limits(plan: ArmPlan) -> ArmLimits:
    """Limit the space arm for the gate; its gripper may be as fast as the robot's, unscaled."""
    links = plan.space_arm.arm().links
    robot = plan.robot.gate_limits()
    return ArmLimits(
        name=plan.space_arm.name,
        joint_names=tuple(link.name for link in links),
        position_min_rad=tuple(link.position_min_rad for link in links),
        position_max_rad=tuple(link.position_max_rad for link in links),
        rate_max_rad_s=tuple(plan.space_arm.rate_overshoot * link.rate_max_rad_s for link in links),
        acceleration_max_rad_s2=(
            plan.space_arm.acceleration_overshoot * plan.scenario.acceleration_max_rad_s2,
        )
        * len(links),
        gripper_speed_max_m_s=robot.gripper_speed_max_m_s / plan.scenario.mapping.scale,
        gripper_turn_max_rad_s=robot.gripper_turn_max_rad_s,
        margins=(Margin("smallest singular value", SINGULAR_VALUE_MIN, "1"),),
        clearances=None,
        corners=None,  # it is simulated: no controller blends its path
        joint_units=tuple(link.unit for link in links),
    )


def prepare(plan: ArmPlan, make_source: SourceMaker | None) -> ArmProof:
    """Find the robot's place for a motion, and prove a planned one in full.

    Args:
        make_source: makes the source anew, which ends by itself and says the same each time; None
            for a live motion.

    Raises:
        RefusedError: with arm, joint, value and limit; nothing has been sent.
    """
    if make_source is None:
        if plan.scenario.mapping.start is None:
            raise RefusedError(
                "a live motion needs a place to begin: mapping.start and mapping.start_joints_deg"
            )
        mapping, start = _given_place(plan, pose_of(space_arm_of(plan).snapshot()))
        return ArmProof(plan, mapping, start, (), None, None)
    path, path_m = _gripper_path(plan, make_source())
    offset_m = _offsets_m(plan, path_m)
    if offset_m is not None:
        path = [Pose(x.position_m + d, x.rotation) for x, d in zip(path, offset_m, strict=True)]
    limits, scale = plan.robot.gate_limits(), plan.scenario.mapping.scale
    if plan.scenario.mapping.start is None:
        worst_corner(limits, path, TICK_S, scale)  # refuses before the long search for a place
    mapping, start, margin = _place(plan, path)
    report = _checked(plan, mapping, start, path)
    corner = worst_corner(limits, path, TICK_S, scale)
    if corner is not None:
        report = replace(report, findings=(*report.findings, corner))
    found = ArmProof(plan, mapping, start, (), report, margin, offset_m)
    steps = play_out(found.station(make_source()), steps_max(plan))
    if steps and steps[-1].course is MotionPhase.REFUSED:
        _refuse(steps[-1])
    hold_to_pace(plan.robot, mapping.X_RT0, steps, plan.scenario.devices.arm)
    return replace(found, steps=tuple(steps))


def steps_max(plan: ArmPlan) -> int:
    """Return the number of waypoints by which a motion has come to rest."""
    return round(plan.scenario.longest_s / TICK_S)


def _refuse(step: ArmStep) -> None:
    lines = "\n".join(step.refusals)
    raise RefusedError(
        f"the motion was refused at waypoint {step.index} ({step.t_s:.2f} s), nothing has been "
        f"sent:\n{lines}"
    )


def _gripper_path(plan: ArmPlan, source: VelocitySource) -> tuple[list[Pose], Array]:
    """Return X_WG at the start and at every waypoint, and its places in between [m], (M, 3)."""
    space = space_arm_of(plan)
    first = pose_of(space.snapshot())
    try:
        station = ArmStation(space, rates_of(plan), source, actions=actions_of(plan))
        steps = play_out(station, steps_max(plan))
    except ValueError as error:
        raise RefusedError(f"the motion was refused, nothing has been sent: {error}") from None
    if not steps:
        raise RefusedError("the motion was refused: it has no waypoint")
    if steps[-1].course is MotionPhase.REFUSED:
        _refuse(steps[-1])
    check_end(plan, steps[-1])
    poses = [first, *(pose_of(step.snapshot) for step in steps)]
    return poses, np.vstack([first.position_m, *(path_of(step.snapshot) for step in steps)])


def _offsets_m(plan: ArmPlan, path_m: Array) -> Array | None:
    """Return the offsets of the waypoints from the motion, so that the robot's path fits it [m]."""
    mapping, robot = plan.scenario.mapping, plan.robot
    if not mapping.corrected:
        return None
    model = robot.blend.model(TICK_S)
    return planned_offsets_m(path_m, LOOKS, model, robot.gripper_speed_max_m_s, mapping.scale)


def _place(plan: ArmPlan, path: list[Pose]) -> tuple[Mapping, Joints, float | None]:
    if plan.scenario.mapping.start is not None:
        return *_given_place(plan, path[0]), None
    try:
        best = best_reference(
            plan.robot.geometry(), path, TICK_S, limits=plan.robot.path_limits(),
            scale=plan.scenario.mapping.scale, seed=plan.scenario.seed,
        )  # fmt: skip
    except NoReferenceError as error:
        raise RefusedError(f"the motion was refused, nothing has been sent: {error}") from None
    return best.mapping, best.start, best.margin


def _given_place(plan: ArmPlan, X_WG0: Pose) -> tuple[Mapping, Joints]:
    chosen, joints = plan.scenario.mapping.start, plan.scenario.mapping.start_joints_deg
    if chosen is None or joints is None:
        raise RefusedError("mapping.start and mapping.start_joints_deg are needed")
    X_RT0 = chosen.pose(plan.robot.oat_convention())
    try:
        start = posture_at(plan.robot, X_RT0, np.array(joints))
    except (ArmError, PoseError) as error:
        raise RefusedError(
            f"mapping.start and mapping.start_joints_deg: {plan.robot.name}: {error}"
        ) from None
    return Mapping(X_WG0, X_RT0, scale=plan.scenario.mapping.scale), start


def _checked(plan: ArmPlan, mapping: Mapping, start: Joints, path: list[Pose]) -> PathReport:
    """Judge the robot's whole path, bodies included, before the gate sees its first waypoint."""
    poses = [mapping.robot_pose(pose) for pose in path]
    report = check_path(
        plan.robot.geometry(), poses, TICK_S, start.q_rad, plan.robot.path_limits(),
        arm=plan.robot.name,
    )  # fmt: skip
    if not report.ok:
        lines = "\n".join(str(one) for one in report.violations)
        raise RefusedError(f"the motion was refused, nothing has been sent:\n{lines}")
    return report
