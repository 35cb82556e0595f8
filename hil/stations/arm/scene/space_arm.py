"""The simulated space arm: its links, its gripper, what it holds, and the gripper's path."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.space_arm.settings import ArmSettings
from hil.recording.signals import Signals
from hil.scene.figure import Build, Camera, Figure, Label, LegendEntry, Part, Piece, grid
from hil.scene.solids import Solid, arrow, axes_along, ball, bar, box, cylinder, matrix
from hil.scene.track import Track, between_angles
from hil.stations.arm.signals import arm_signals
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.links import Link

Array = NDArray[np.float64]

THICKNESS: Final = 0.0115
"""Radius of the arm's tubes as a share of its stretched length."""


class SpaceArmScene:
    """A space arm with what it holds.

    Raises:
        ArmError: if the arm is none.
        KeyError: if it has no such payload.
    """

    def __init__(
        self, settings: ArmSettings, payload: str = "", signals: Signals | None = None
    ) -> None:
        self._at = (signals or arm_signals(settings.prismatic)).places
        self._arm = settings.arm()
        self._home_rad = settings.home_rad()
        self._joints = tuple(_JointMotion(link) for link in self._arm.links)
        self._tool = matrix(self._arm.tool_rotation, self._arm.tool_offset_m)
        body = settings.payloads()[payload] if payload else None
        self._reach_m = _reach_m(self._arm)
        self._track = Track(self._at["t_s"], self._at["space_pose"], 1e-3 * self._reach_m / 15.0)
        self.title = f"SIMULATED space arm {settings.name}"
        self.build = self._built(body, payload)
        """The parts: base, links, gripper with payload."""

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames; after a jump in time the path begins anew."""
        self._track.take(rows, now_s)

    def figure(self, now_s: float) -> Figure:
        """Return the arm at a moment [s], between its last two frames."""
        q, note = self._home_rad, "Joints not known: drawn at home"
        known = self._track.between
        if known is not None:
            before, newest = (row[self._at["space_q"]] for row in (known.before, known.newest))
            found = between_angles(before, newest, known.share(now_s))
            if np.isfinite(found).all():
                q, note = found, ""
        return self._track.drawn(self.posed(q), note)

    def posed(self, q_rad: Array) -> Figure:
        """Return the arm at joint angles [rad], shape (n,)."""
        transforms = np.empty((len(self._joints) + 2, 4, 4))
        transforms[0] = np.eye(4)
        transforms[1:] = self.placements(q_rad)
        return Figure(transforms, tuple(self.build.roles.values()))

    def points_m(self, q_rad: Array) -> Array:
        """Compute joints and gripper [m], shape (n + 1, 3), at joint angles [rad], shape (n,)."""
        return self.placements(q_rad)[:, :3, 3]

    def placements(self, q_rad: Array) -> Array:
        """Return the links in the base, then the gripper, shape (n + 1, 4, 4)."""
        placed = np.empty((len(self._joints) + 1, 4, 4))
        pose = np.eye(4)
        for number, (joint, angle) in enumerate(zip(self._joints, q_rad.tolist(), strict=True)):
            pose = pose @ joint.pose(angle)
            placed[number] = pose
        placed[-1] = pose @ self._tool
        return placed

    def _built(self, payload: Body | None, payload_name: str) -> Build:
        radius = THICKNESS * self._reach_m
        links = self._arm.links
        ends = [link.offset_m for link in links[1:]] + [self._arm.tool_offset_m]
        parts = [Part("base", _base(radius))]
        parts += [
            Part(link.name, _link(link.axis, end, radius))
            for link, end in zip(links, ends, strict=True)
        ]
        held = () if payload is None else (Piece(payload_box(payload), "payload"),)
        parts.append(Part("gripper", (*gripper(2.2 * radius), *held)))
        names = ("base", "arm", "arm_dark", "gripper", "payload", "x", "y", "z")
        legend = [LegendEntry("gripper", "gripper")]
        if payload_name:
            legend.append(LegendEntry("payload", "payload"))
        legend.append(LegendEntry("trace", "gripper's path"))
        step = 1.0 if self._reach_m > 4.0 else 0.5
        legend.append(LegendEntry("grid", f"grid {step:g} m"))
        placed = self.placements(self._home_rad)
        points = np.vstack([np.zeros(3), placed[:, :3, 3]])
        for piece in held:
            corners = piece.solid.vertices_m @ placed[-1, :3, :3].T + placed[-1, :3, 3]
            points = np.vstack([points, corners])
        low, high = points.min(axis=0), points.max(axis=0)
        middle = 0.5 * (low + high)
        size = float(np.linalg.norm(high - low))
        floor = -4.0 * radius
        return Build(
            parts=tuple(parts),
            roles={name: name for name in names},
            ground=grid(0.75 * self._reach_m, step, floor, middle[:2]),
            labels=axis_labels(9.0 * radius),
            legend=tuple(legend),
            camera=Camera(tuple(middle.tolist()), 1.05 * size, -52.0, 20.0),
        )


class _JointMotion:
    """One joint: placement of its link in the link before, for an angle."""

    def __init__(self, link: Link) -> None:
        x, y, z = link.axis
        self._cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        self._square = self._cross @ self._cross
        self._rotation = link.rotation
        self._offset_m = link.offset_m
        self._along = link.rotation @ link.axis if link.prismatic else None

    def pose(self, angle_rad: float) -> Array:
        """Rodrigues' formula about the axis, after the joint's own placement, shape (4, 4).

        A prismatic joint moves the link by that many metres along it.
        """
        if self._along is not None:
            return matrix(self._rotation, self._offset_m + angle_rad * self._along)
        turn = np.eye(3) + np.sin(angle_rad) * self._cross
        turn += (1.0 - np.cos(angle_rad)) * self._square
        return matrix(self._rotation @ turn, self._offset_m)


def payload_box(body: Body) -> Solid:
    """Make a box of uniform mass with the body's mass, centre and moments of inertia.

    Three sides a, b, c of a box have moments m (b² + c²)/12 and so on; solved for the sides.
    """
    moments, axes = np.linalg.eigh(body.inertia_kg_m2)
    if np.linalg.det(axes) < 0.0:
        axes = axes * [1.0, 1.0, -1.0]
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass_kg
    sides = np.sqrt(np.maximum(squares, 1e-4 * squares.max()))
    return box(sides.tolist()).placed(axes, body.com_m)


def gripper(size_m: float) -> tuple[Piece, ...]:
    """Make a palm and two fingers that end in the frame's origin, and open along its x."""
    s = size_m
    return (
        Piece(box((0.25 * s, 0.8 * s, 0.7 * s)).moved(-1.0 * s, 0.0, 0.0), "arm_dark"),
        Piece(box((0.9 * s, 0.16 * s, 0.3 * s)).moved(-0.45 * s, 0.3 * s, 0.0), "gripper"),
        Piece(box((0.9 * s, 0.16 * s, 0.3 * s)).moved(-0.45 * s, -0.3 * s, 0.0), "gripper"),
    )


def axis_labels(size_m: float) -> tuple[Label, ...]:
    """Make names at the ends of a base's axes [m]."""
    ends = (size_m * np.eye(3)).tolist()
    return tuple(Label(axis, (x, y, z), axis) for axis, (x, y, z) in zip("xyz", ends, strict=True))


def triad(size_m: float, radius_m: float) -> tuple[Piece, ...]:
    """Make axes x, y, z at a frame's origin [m]."""
    return tuple(
        Piece(body, axis)
        for axis, direction in zip("xyz", np.eye(3), strict=True)
        for body in arrow(direction, size_m, radius_m)
    )


def _base(radius_m: float) -> tuple[Piece, ...]:
    pillar = cylinder(2.2 * radius_m, 4.0 * radius_m).moved(0.0, 0.0, -4.0 * radius_m)
    return (Piece(pillar, "base"), *triad(8.0 * radius_m, 0.22 * radius_m))


def _link(axis: Array, end_m: Array, radius_m: float) -> tuple[Piece, ...]:
    """Make the housing of a joint about its axis, and a tube to the next, in the link's frame."""
    width = 2.6 * radius_m
    turn = axes_along(axis.reshape(1, 3))[0]
    housing = cylinder(1.35 * radius_m, width).placed(turn, -0.5 * width * axis)
    pieces = [Piece(housing, "arm_dark")]
    if np.linalg.norm(end_m) > radius_m:
        pieces.append(Piece(bar(np.zeros(3), end_m, radius_m), "arm"))
    else:
        pieces.append(Piece(ball(1.2 * radius_m), "arm"))
    return tuple(pieces)


def _reach_m(arm: Arm) -> float:
    lengths = [np.linalg.norm(link.offset_m) for link in arm.links]
    return float(sum(lengths) + np.linalg.norm(arm.tool_offset_m))
