"""The industrial arm: where it is, where it was asked to be, and its gripper's path."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.bodies import STANDARD
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.kernels import posture
from arm_driver.kinematics.puma import branch_of, nearest
from hil.recording.header import RunHeader
from hil.recording.signals import Signals
from hil.scene.figure import Build, Camera, Figure, LegendEntry, Part, Piece, grid
from hil.scene.solids import Solid, axes_along, ball, bar, box, cylinder, matrix
from hil.scene.track import Track, between_angles, between_poses, rotation_of
from hil.stations.arm.scene.machines import ArmMachines
from hil.stations.arm.scene.space_arm import SpaceArmScene, axis_labels, triad
from hil.stations.arm.signals import SIGNALS
from hil_common.arrays.pose import Pose, PoseError

Array = NDArray[np.float64]

GRID_M: Final = 0.25
TRACE_STEP_M: Final = 5e-4
HAND_M: Final = 0.13
"""Length of the drawn gripper."""

_NOWHERE: Final = np.full(7, np.nan)
_HOME_RAD: Final = np.radians([0.0, 45.0, -180.0, 0.0, 45.0, 0.0])
_PARTS: Final = ("stand", "waist", "upper arm", "elbow", "forearm", "hand", "gripper", "ghost")


class RobotScene:
    """A robot of the PUMA 560's class.

    The solid arm is at the place that the robot sent; its joints there are those of inverse
    kinematics in the posture that was asked. Before the robot has sent anything, it is as asked,
    and the figure's note says so. The ghost is the gripper as asked.
    """

    def __init__(
        self,
        geometry: PumaGeometry,
        name: str,
        *,
        simulated: bool = False,
        signals: Signals = SIGNALS,
    ) -> None:
        self._geometry = geometry
        self._at = signals.places
        self._track = Track(self._at["t_s"], self._at["measured_pose"], TRACE_STEP_M)
        self.title = f"SIMULATED robot {name}" if simulated else f"Robot {name}"
        self.build = self._built()
        """Parts: table and column, six bodies of the arm, ghost of the gripper."""

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames; after a jump in time the path begins anew."""
        self._track.take(rows, now_s)

    def figure(self, now_s: float) -> Figure:
        """Return the arm at a moment [s], between its last two frames."""
        q, note, asked = _HOME_RAD, "Joints not known: drawn at home", _NOWHERE
        known = self._track.between
        if known is not None:
            share = known.share(now_s)

            def ends(name: str) -> tuple[Array, Array, float]:
                return known.before[self._at[name]], known.newest[self._at[name]], share

            asked = between_poses(*ends("target_pose"))
            measured = between_poses(*ends("measured_pose"))
            q, note = self._joints(between_angles(*ends("robot_q")), measured)
        return self._track.drawn(self.posed(q, asked), note)

    def posed(self, q_rad: Array, asked: Array = _NOWHERE) -> Figure:
        """Return the arm at joint angles.

        Args:
            asked: pose of the gripper that was asked [m, 1], shape (7,); NaN: without a ghost.
        """
        transforms = np.zeros((len(_PARTS), 4, 4))
        transforms[:-1] = self.placements(q_rad)
        if np.isfinite(asked).all():
            transforms[-1] = matrix(rotation_of(asked[3:]), asked[:3])
        return Figure(transforms, tuple(self.build.roles.values()))

    def _joints(self, asked_q_rad: Array, measured: Array) -> tuple[Array, str]:
        """Return joint angles that are drawn [rad], and a note about them."""
        if not np.isfinite(asked_q_rad).all():
            return _HOME_RAD, "Joints not known: drawn at home"
        if not np.isfinite(measured).all():
            return asked_q_rad, "Not measured: drawn as asked"
        pose = Pose(measured[:3], rotation_of(measured[3:]))
        try:
            branch = branch_of(self._geometry, asked_q_rad)
            return nearest(self._geometry, pose, asked_q_rad, branch).q_rad, ""
        except (ArmError, PoseError):
            return asked_q_rad, "Not measured: drawn as asked"

    def points_m(self, q_rad: Array) -> Array:
        """Compute shoulder, upper arm's ends beside the waist, elbow, wrist centre, gripper [m].

        Returns:
            Shape (6, 3).
        """
        return self._posture(q_rad)[0]

    def _posture(self, q_rad: Array) -> tuple[Array, Array]:
        """Compute the arm's points [m], shape (6, 3), and its gripper's placement, shape (4, 4)."""
        q = np.array(q_rad, np.float64).reshape(1, 6)
        poses, points = np.empty((1, 12)), np.empty((1, 6, 3))
        posture.poses_of_joints(self._geometry.table, q, poses)
        posture.points_of_joints(
            self._geometry.table, q, poses, STANDARD.upper_arm_offset_m, points
        )
        return points[0], matrix(poses[0, 3:].reshape(3, 3), poses[0, :3])

    def placements(self, q_rad: Array) -> Array:
        """Return the placements of all parts but the ghost, shape (7, 4, 4)."""
        points, hand = self._posture(q_rad)
        shoulder, near, far, elbow, wrist, _ = points
        starts = np.stack([shoulder, near, far, elbow])
        along = np.stack([near - shoulder, far - near, elbow - far, wrist - elbow])
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        placed = np.zeros((7, 4, 4))
        placed[0] = np.eye(4)
        placed[1:5, :3, :3] = axes_along(along)
        placed[1:5, :3, 3] = starts
        placed[1:5, 3, 3] = 1.0
        placed[5] = placed[6] = hand
        return placed

    def _built(self) -> Build:
        geometry, bodies = self._geometry, STANDARD
        upper, fore = bodies.upper_arm_radius_m, bodies.forearm_radius_m
        elbow_m = abs(bodies.upper_arm_offset_m - geometry.d3_m)
        forearm_m = float(np.hypot(0.0, geometry.d4_m))
        waist = cylinder(1.05 * upper, bodies.upper_arm_offset_m + upper).moved(0, 0, -upper)
        parts = (
            Part("stand", self._pedestal()),
            Part("waist", (Piece(waist, "arm_dark"),)),
            Part("upper arm", _limb(geometry.a2_m, upper, 0.85 * upper)),
            Part("elbow", (Piece(cylinder(0.8 * fore, elbow_m), "arm_dark"),)),
            Part("forearm", _limb(forearm_m, fore, 0.7 * fore)),
            Part("hand", _hand(geometry.tool_m)),
            Part("gripper", tuple(Piece(body, "gripper") for body in _fingers())),
            Part("ghost", tuple(Piece(body, "ghost") for body in _fingers(1.04)), ghost=True),
        )
        names = ("base", "arm", "arm_dark", "gripper", "table", "ghost", "x", "y", "z")
        legend = (
            LegendEntry("gripper", "gripper as measured"),
            LegendEntry("ghost", "gripper as asked"),
            LegendEntry("trace", "gripper's path"),
            LegendEntry("grid", f"grid {GRID_M:g} m"),
        )
        reach = geometry.reach_m
        top = geometry.base_height_m
        return Build(
            parts=parts,
            roles={name: name for name in names},
            ground=grid(1.0 * reach, GRID_M, 0.0),
            labels=axis_labels(0.38)[:2],
            legend=legend,
            camera=Camera((0.2 * reach, -0.1 * reach, 0.8 * top), 1.75 * reach, -20.0, 18.0),
        )

    def _pedestal(self) -> tuple[Piece, ...]:
        """Make the table, the column up to the shoulder, and the axes of the robot's base."""
        reach, height = self._geometry.reach_m, self._geometry.base_height_m
        radius = STANDARD.column_radius_m
        shoulder_m = height + 0.7 * STANDARD.upper_arm_radius_m
        return (
            Piece(box((1.3 * reach, 1.3 * reach, 0.05)).moved(0.0, 0.0, -0.03), "table"),
            Piece(cylinder(1.5 * radius, 0.04), "base"),
            Piece(cylinder(radius, shoulder_m), "base"),
            Piece(cylinder(1.3 * radius, 0.24).moved(0.0, 0.0, height - 0.12), "arm_dark"),
            *triad(0.34, 0.008)[:4],  # z would be inside the column
        )


def _limb(length_m: float, low_radius_m: float, high_radius_m: float) -> tuple[Piece, ...]:
    shaft = bar([0.0, 0.0, 0.0], [0.0, 0.0, length_m], high_radius_m)
    return (
        Piece(shaft, "arm"),
        Piece(ball(low_radius_m), "arm"),
        Piece(ball(high_radius_m * 1.05).moved(0.0, 0.0, length_m), "arm_dark"),
    )


def _hand(tool_m: float) -> tuple[Piece, ...]:
    """From the wrist centre to the gripper along z of the gripper's frame [m]."""
    radius = 0.8 * STANDARD.hand_radius_m
    length = max(tool_m - 0.8 * HAND_M, 0.02)
    return (Piece(cylinder(radius, length).moved(0.0, 0.0, -tool_m), "arm_dark"),)


def _fingers(growth: float = 1.0) -> tuple[Solid, ...]:
    """Make a palm and two fingers, their tips in the frame's origin, along its z, apart along y."""
    g, s = growth, HAND_M
    return (
        box((0.35 * s * g, 0.75 * s * g, 0.18 * s * g)).moved(0.0, 0.0, -0.85 * s),
        box((0.25 * s * g, 0.12 * s * g, 0.8 * s * g)).moved(0.0, 0.28 * s, -0.4 * s),
        box((0.25 * s * g, 0.12 * s * g, 0.8 * s * g)).moved(0.0, -0.28 * s, -0.4 * s),
    )


ArmScene = RobotScene | SpaceArmScene


def scenes_of(header: RunHeader) -> tuple[ArmScene, ...]:
    """Return the scenes of a run's arms."""
    plan = header.scenario
    machines = ArmMachines.from_scenario(plan)
    choice = plan.get("scenario", {})
    payload = choice.get("space_arm", {}).get("payload", "")
    robot = plan.get("robot", {}).get("name", "")
    simulated = "robot" in header.simulated
    signals = header.signals
    beside = RobotScene(machines.robot, robot, simulated=simulated, signals=signals)
    if machines.space is None:
        return (beside,)
    return (SpaceArmScene(machines.space, payload, signals), beside)
