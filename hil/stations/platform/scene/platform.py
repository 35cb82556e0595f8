"""Platform in space: base, plate with a seat, six legs, and a ghost of the wanted pose."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import RunHeader
from hil.recording.rows import quaternion
from hil.scene.figure import Build, Camera, Figure, Label, LegendEntry, Part, Piece, grid
from hil.scene.margins import RestWatch
from hil.scene.solids import (
    arrow,
    axes_along,
    ball,
    bar,
    box,
    cylinder,
    hull,
    matrix,
    prism,
)
from hil.scene.track import rotation_of
from hil.stations.platform.scene.margins import REST_STATES, legs_of
from hil.stations.platform.scene.shape import LEGS, RigShape
from hil.stations.platform.signals import SIGNALS

Array = NDArray[np.float64]


THICKER: Final = {"warn": 1.2, "fault": 1.45}
"""Factor on these legs' thickness, for people who cannot tell the colours apart."""

BODY: Final = 0.92
"""Share of the closed length that is the cylinder's body; the rest is rod."""

GRID_M: Final = 0.5
NOWHERE: Final = np.full(LEGS, np.nan)
"""Unknown pose or lengths."""

SOLVED_AGE_S: Final = 0.1
"""Age from which a solved pose is not shown as the platform's [s]."""
_AT: Final = SIGNALS.places
_LEGEND: Final = (
    LegendEntry("front", "front"),
    LegendEntry("ghost", "wanted pose"),
    LegendEntry("unknown", "leg not homed"),
    LegendEntry("ok", "leg has travel left, or rests"),
    LegendEntry("warn", "leg near its limit: thicker"),
    LegendEntry("fault", "leg at its limit: thickest"),
    LegendEntry("grid", f"grid {GRID_M:g} m"),
)


class PlatformScene:
    """Scene of a rig, from the header of its recording or bench."""

    def __init__(self, shape: RigShape) -> None:
        self._shape = shape
        self._legs_left = legs_of(shape)
        self._rest = RestWatch(SIGNALS["mode"].codes, REST_STATES)
        self._row: Array | None = None
        self._solved: Array | None = None
        self.title = f"Platform {shape.name}"
        """Title: kind of the machine, and its name."""
        self.build = self._built()
        """Parts: ground, plate, ghost, six cylinders, six rods."""

    @classmethod
    def from_scenario(cls, scenario: Mapping[str, Any]) -> "PlatformScene":
        """Scene of a run, from the scenario in its header.

        Raises:
            KeyError: if it has no rig.
            ValueError: if the rig is not valid.
        """
        return cls(RigShape.from_table(scenario["rig"]))

    def take(self, rows: Array, now_s: float) -> None:
        """Keep the newest frame, and the newest with a pose; their arrival times play no part.

        The pose is solved for in some of the frames only.
        """
        if not len(rows):
            return
        self._row = rows[-1]
        self._rest.take(rows[:, _AT["mode"]].ravel())
        found = np.flatnonzero(np.isfinite(rows[:, _AT["reached_pose"]]).all(axis=1))
        if len(found):
            self._solved = rows[found[-1]]

    def figure(self, now_s: float) -> Figure:
        """Figure of the newest frame, not interpolated: it is at most a few milliseconds old."""
        row = self._row
        if row is None:
            return self.posed(NOWHERE)
        reached, wanted = self._reached(row), row[_AT["wanted_pose"]]
        return self.posed(reached, row[_AT["measured_length_m"]], wanted)

    def posed(self, reached: Array, length_m: Array = NOWHERE, wanted: Array = NOWHERE) -> Figure:
        """Figure of the rig in a pose; unknown values are NaN.

        Args:
            reached: pose of the platform [m, rad], shape (6,).
            length_m: measured lengths, by which the legs are coloured [m], shape (6,).
            wanted: wanted pose [m, rad], shape (6,).
        """
        known = bool(np.isfinite(reached).all())
        plate = _placed(reached) if known else matrix(np.eye(3), self._shape.level_m)
        transforms = np.zeros((3 + 2 * LEGS, 4, 4))
        transforms[0] = np.eye(4)
        transforms[1] = plate
        if np.isfinite(wanted).all():
            transforms[2] = _placed(wanted)
        transforms[3:] = self._legs(plate[:3, 3] + self._shape.platform_joints_m @ plate[:3, :3].T)
        roles = dict(self.build.roles)
        for leg, role in enumerate(self.leg_roles(length_m)):
            roles[f"leg{leg + 1}"] = role
            transforms[3 + leg, :3, :2] *= THICKER.get(role, 1.0)
        note = "" if known else "Pose not known: drawn level at its reference lengths"
        return Figure(transforms, tuple(roles.values()), note=note)

    def _reached(self, row: Array) -> Array:
        """Last pose, unless it is too old, or of a later time than the newest frame."""
        if self._solved is None:
            return NOWHERE
        age_s = float((row[_AT["t_s"]] - self._solved[_AT["t_s"]])[0])
        known = not (age_s < 0.0 or age_s > SOLVED_AGE_S)
        return self._solved[_AT["reached_pose"]] if known else NOWHERE

    def leg_roles(self, length_m: Array) -> list[str]:
        """Colour role of each leg by its remaining travel.

        Args:
            length_m: measured lengths [m], shape (6,).
        """
        return self._legs_left.roles(length_m, self._rest.now)

    def _legs(self, heads_m: Array) -> Array:
        """Placements of six bodies, then six rods, shape (12, 4, 4).

        A rod is a cylinder of unit length, stretched from the body's end to the joint.
        """
        feet = self._shape.base_joints_m
        along = heads_m - feet
        length = np.linalg.norm(along, axis=1)  # (6,)
        direction = along / length[:, None]
        body_m = self._body_m()
        placed = np.zeros((2, LEGS, 4, 4))
        placed[..., :3, :3] = axes_along(direction)
        placed[0, :, :3, 3] = feet
        # From inside the body, so that no gap opens at its rim, to the very joint.
        start_m = np.minimum(body_m, length) * 0.9
        placed[1, :, :3, 2] *= (length - start_m)[:, None]
        placed[1, :, :3, 3] = feet + direction * start_m[:, None]
        placed[..., 3, 3] = 1.0
        return placed.reshape(2 * LEGS, 4, 4)

    def _body_m(self) -> Array:
        return BODY * self._shape.closed_length_m

    def _built(self) -> Build:
        feet, heads = self._shape.base_joints_m, self._shape.platform_joints_m
        radius = float(np.linalg.norm(feet[:, :2], axis=1).max())
        thick = 0.03 * radius
        plate_radius = float(np.linalg.norm(heads[:, :2], axis=1).max())
        frame = _frame_m(self._shape, thick)
        floor, top = frame[0], self._shape.neutral_z_m + 1.1 * plate_radius
        if self._shape.hanging:  # over a floor that its legs do not reach
            reach = float(self._shape.soft_max_m.max())
            floor, top = float(feet[:, 2].min()) - reach - 4.0 * thick, frame[1]
        roles = {name: name for name in ("base", "joint", "plate", "seat", "front", "rod", "ghost")}
        roles |= {axis: axis for axis in "xyz"}
        roles |= {f"leg{leg}": "unknown" for leg in range(1, LEGS + 1)}
        cylinders = tuple(
            Part(
                f"leg {leg + 1}",
                (Piece(cylinder(0.036 * radius, float(self._body_m()[leg])), f"leg{leg + 1}"),),
            )
            for leg in range(LEGS)
        )
        rod = (Piece(cylinder(0.019 * radius, 1.0), "rod"),)
        rods = tuple(Part(f"rod {leg + 1}", rod) for leg in range(LEGS))
        parts = (
            Part("base", _base(feet, thick, frame)),
            Part("plate", _plate(heads, plate_radius, thick)),
            Part("ghost", _ghost(heads, plate_radius, thick), ghost=True),
            *cylinders,
            *rods,
        )
        height = top - floor
        return Build(
            parts=parts,
            roles=roles,
            ground=grid(1.5 * radius, GRID_M, floor),
            labels=_labels(feet, radius),
            legend=_LEGEND,
            camera=Camera((0.0, 0.0, floor + 0.40 * height), 1.14 * max(2.3 * radius, height)),
        )


def _placed(coordinates: Array) -> Array:
    """Placement of the platform in the base for x, y, z [m], alpha, beta, gamma [rad], (4, 4)."""
    x, y, z, w = quaternion(*coordinates[3:].tolist())
    return matrix(rotation_of(np.array([w, x, y, z])), coordinates[:3])


def _frame_m(shape: RigShape, thick_m: float) -> tuple[float, float]:
    """Lowest and highest of the frame that bears the legs [m]: on the floor, or above them."""
    feet = shape.base_joints_m[:, 2]
    if shape.hanging:
        return float(feet.max()) + thick_m, float(feet.max()) + 4.0 * thick_m
    return float(feet.min()) - 4.0 * thick_m, float(feet.min()) - thick_m


def _base(feet_m: Array, thick_m: float, frame_m: tuple[float, float]) -> tuple[Piece, ...]:
    """Pieces of the base: frame, joints of the legs, and the axes of B."""
    outline = 1.05 * feet_m[:, :2]
    pieces = [Piece(prism(outline, *frame_m), "base")]
    pieces += [Piece(ball(1.7 * thick_m, 8).moved(*foot), "joint") for foot in feet_m]
    size = 0.42 * float(np.linalg.norm(feet_m[:, :2], axis=1).max())
    for axis, direction in zip("xyz", np.eye(3), strict=True):
        origin = np.array([0.0, 0.0, frame_m[1] + 0.02 * size])
        pieces += [
            Piece(body.placed(np.eye(3), origin), axis)
            for body in arrow(direction, size, 0.03 * size)
        ]
    return tuple(pieces)


def _plate(heads_m: Array, radius_m: float, thick_m: float) -> tuple[Piece, ...]:
    """Pieces of the plate: plate, joints, a seat that faces along x, and an arrow to the front."""
    top = float(heads_m[:, 2].max()) + 2.6 * thick_m
    pieces = [Piece(prism(1.04 * heads_m[:, :2], top - 1.6 * thick_m, top), "plate")]
    pieces += [Piece(ball(1.6 * thick_m, 8).moved(*head), "joint") for head in heads_m]
    s = radius_m
    shaft = [[x * s, y * s] for x in (0.24, 0.42) for y in (-0.05, 0.05)]
    tip = [[0.42 * s, -0.15 * s], [0.66 * s, 0.0], [0.42 * s, 0.15 * s]]
    pieces += [Piece(prism(outline, top, top + 0.012 * s), "front") for outline in (shaft, tip)]
    lean = np.radians(12.0)
    tilt = np.array(
        [[np.cos(lean), 0.0, -np.sin(lean)], [0.0, 1.0, 0.0], [np.sin(lean), 0.0, np.cos(lean)]]
    )
    back = box((0.08 * s, 0.40 * s, 0.56 * s)).placed(tilt, (-0.31 * s, 0.0, top + 0.46 * s))
    head = box((0.07 * s, 0.18 * s, 0.15 * s)).placed(tilt, (-0.40 * s, 0.0, top + 0.83 * s))
    pieces += [
        Piece(box((0.44 * s, 0.40 * s, 0.12 * s)).moved(-0.05 * s, 0.0, top + 0.20 * s), "seat"),
        Piece(box((0.30 * s, 0.26 * s, 0.15 * s)).moved(-0.05 * s, 0.0, top + 0.07 * s), "joint"),
        Piece(back, "seat"),
        Piece(head, "seat"),
    ]
    return tuple(pieces)


def _ghost(heads_m: Array, radius_m: float, thick_m: float) -> tuple[Piece, ...]:
    """Pieces of the ghost: edges of the plate, and a mast that shows a small lead far out."""
    height = float(heads_m[:, 2].max()) + 1.8 * thick_m
    outline = 1.06 * heads_m[:, :2]
    corners = hull(outline)
    ring = np.column_stack([corners, np.full(len(corners), height)])
    front = np.array([0.66 * radius_m, 0.0, height])
    ends = [*zip(ring, np.roll(ring, -1, axis=0), strict=True)]
    ends.append((front, front + np.array([0.0, 0.0, 0.5 * radius_m])))
    return tuple(Piece(bar(start, end, 0.35 * thick_m), "ghost") for start, end in ends)


def _labels(feet_m: Array, radius_m: float) -> tuple[Label, ...]:
    size = 0.47 * radius_m
    low = float(feet_m[:, 2].min())
    names = [
        Label(axis, (x, y, z + low), axis)
        for axis, (x, y, z) in zip("xyz", (size * np.eye(3)).tolist(), strict=True)
    ]
    numbers = [
        Label(str(leg), (1.16 * x, 1.16 * y, z)) for leg, (x, y, z) in enumerate(feet_m.tolist(), 1)
    ]
    return (*names, *numbers)


def scenes_of(header: RunHeader) -> tuple[PlatformScene]:
    """Scenes of a run's machines."""
    return (PlatformScene.from_scenario(header.scenario),)
