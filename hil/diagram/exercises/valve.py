"""A valve that is turned: moment by the wrist law, angle by an outer loop, side forces relieved.

The drive is eq. (3) of E. V. Strashnov, M. V. Mikhaylyuk (2019), the moment eqs. (10), (12), (13).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Final

from hil.diagram.check.seam import Endpiece
from hil.diagram.exercises.exercise import Exercise, LawFault, Measure, Values
from hil.diagram.exercises.law import DrawnLaw

STALL_NM: Final = 200.0
IDLE_RAD_S: Final = 1.047
ROTOR_KG_M2: Final = 0.1
VALVE_KG_M2: Final = 0.4
SIDE_N_M: Final = 2000.0
"""Stiffness of the gripper's hold across the axis [N/m]."""
STEP_S: Final = 0.002
PARTS: Final = 4
"""Steps of the plant in a tick."""
END_S: Final = 14.0


class ValvePlant:
    """A hand that turns a valve with friction; its axis is beside that of the valve."""

    def __init__(self, draw: Random) -> None:
        self._goal = math.radians(draw.uniform(110.0, 165.0))
        self._friction = draw.uniform(2.0, 5.0)
        self._drag = draw.uniform(1.5, 2.5)
        distance, turn = draw.uniform(0.006, 0.01), draw.uniform(-math.pi, math.pi)
        self._beside = complex(distance * math.cos(turn), distance * math.sin(turn))
        self._moved = self._beside
        self._angle = self._speed = self._moment = 0.0
        self._rows: list[tuple[float, float, float, float]] = []

    def _side(self) -> complex:
        """Return the side force in the valve's axes [N]."""
        turned = self._beside * complex(math.cos(self._angle), math.sin(self._angle))
        return SIDE_N_M * (turned - self._moved)

    def inputs(self, time_s: float) -> Values:
        """Measure angles [rad], speed [rad/s], moment [N m], side force in the hand's axes [N]."""
        side = self._side() * complex(math.cos(self._angle), -math.sin(self._angle))
        return {
            "goal": [self._goal], "angle": [self._angle], "speed": [self._speed],
            "moment": [self._moment], "side": [side.real, side.imag, 0.0],
        }  # fmt: skip

    def step(self, time_s: float, outputs: Values) -> None:
        """Advance by a tick at a voltage and a velocity across the axis."""
        voltage = max(-1.0, min(1.0, outputs["voltage"][0]))
        x, y, _ = (max(-0.1, min(0.1, one)) for one in outputs["velocity"])
        inertia, h = ROTOR_KG_M2 + VALVE_KG_M2, STEP_S / PARTS
        for _ in range(PARTS):
            motor = STALL_NM * voltage
            load = self._friction if self._speed or abs(motor) > self._friction else abs(motor)
            sign = math.copysign(1.0, self._speed or motor)
            brake = STALL_NM / IDLE_RAD_S + self._drag
            free = self._speed + h / inertia * (motor - sign * load)
            speed = free / (1.0 + h / inertia * brake)
            if self._speed and speed * self._speed < 0.0:
                speed = 0.0
            torque = motor - STALL_NM * speed / IDLE_RAD_S
            self._moment = torque - ROTOR_KG_M2 * (speed - self._speed) / h
            self._angle, self._speed = self._angle + h * speed, speed
            self._moved += complex(x, y) * h
        side = abs(self._side())
        self._rows.append((time_s, self._angle, self._moment, side))

    def measures(self) -> Sequence[Measure]:
        """Measure the valve's final angle and overshoot, side forces and moments in the scene."""
        angle = self._rows[-1][1]
        most = max(one for _, one, _, _ in self._rows)
        return (
            Measure("angle from the goal at the end", math.degrees(abs(self._goal - angle)), 1.5,
                    "deg"),
            Measure("angle beyond the goal", math.degrees(max(0.0, most - self._goal)), 1.5, "deg"),
            Measure("greatest side force", max(one for _, _, _, one in self._rows), 12.0, "N"),
            Measure("greatest moment", max(abs(one) for _, _, one, _ in self._rows), 16.0, "N*m"),
        )  # fmt: skip


def valve_law(draw: Random) -> DrawnLaw:
    """Return a law that works."""
    law = DrawnLaw()
    for name, unit, note in (
        ("goal", "rad", "wanted angle"), ("angle", "rad", "of the valve"),
        ("speed", "rad/s", "of the hand about the axis"), ("moment", "N*m", "about the axis"),
    ):  # fmt: skip
        law.block(name, "In", shape=(), type="real", unit=unit, note=note)
    law.block("side", "In", shape=(3,), type="real", unit="N", frame="hand", note="side force")
    law.block("way", "Sum", signs="+-")
    law.block("outer", "Gain", k=round(draw.uniform(1.8, 2.2), 2), unit="1/s")
    law.block("pace", "Saturation", low=-0.35, high=0.35, unit="rad/s")
    law.block("slip", "Sum", signs="+-")
    law.block("push", "Gain", k=round(draw.uniform(9.0, 11.0), 1), unit="N*m*s")
    law.block("rise", "Gain", k=round(draw.uniform(11.0, 13.0), 1), unit="N*m")
    law.block("held", "LimitedIntegral", low=-14.0, high=14.0, unit="N*m")
    law.block("turning", "Sum", signs="++")
    law.block("bound", "Saturation", low=-14.0, high=14.0, unit="N*m")
    law.block("error", "Sum", signs="+-")
    law.block("kp", "Gain", k=round(draw.uniform(0.15, 0.25), 2))
    law.block("torque", "Sum", signs="++")
    law.block("drive", "Gain", k=1.0 / STALL_NM, unit="1/(N*m)")
    law.block("counter", "Gain", k=round(1.0 / IDLE_RAD_S, 6), unit="s", note="omega / omega_idle")
    law.block("sum", "Sum", signs="++")
    law.block("voltage", "Out", unit="1")
    law.block("rotation", "RotationAbout", axis="z")
    law.block("across", "Rotate", **{"from": "hand", "to": "valve"})
    law.block("relief", "Gain", k=round(draw.uniform(0.0008, 0.001), 5), unit="m/(N*s)")
    law.block("velocity", "Out", unit="m/s", note="of the hand across the axis")
    law.wire("goal", "way.u1")
    law.wire("angle", "way.u2", "rotation")
    law.wire("way", "outer")
    law.wire("outer", "pace")
    law.wire("pace", "slip.u1")
    law.wire("speed", "slip.u2", "counter")
    law.wire("slip", "push", "rise")
    law.wire("rise", "held")
    law.wire("push", "turning.u1")
    law.wire("held", "turning.u2")
    law.wire("turning", "bound")
    law.wire("bound", "error.u1", "torque.u1")
    law.wire("moment", "error.u2")
    law.wire("error", "kp")
    law.wire("kp", "torque.u2")
    law.wire("torque", "drive")
    law.wire("drive", "sum.u1")
    law.wire("counter", "sum.u2")
    law.wire("sum", "voltage")
    law.wire("rotation", "across.rotation")
    law.wire("side", "across.v")
    law.wire("across", "relief")
    law.wire("relief", "velocity")
    return law


def _constant(law: DrawnLaw, draw: Random) -> None:
    law.block("turning", "Constant", value=round(draw.uniform(8.0, 11.0), 1), unit="N*m")
    for part in ("way", "outer", "pace", "slip", "push", "rise", "held"):
        del law.blocks[part]
        law.cut(part)
    law.cut("turning")
    law.block("rest", "Sum", signs="+-")
    law.block("unused", "Abs")
    law.wire("goal", "rest.u1")
    law.wire("angle", "rest.u2")
    law.wire("rest", "unused")


def _swapped(law: DrawnLaw, _: Random) -> None:
    law.block("axes", "MatrixGain", k=((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    law.wire("side", "axes")
    law.wire("axes", "across.v")


def _fixed(law: DrawnLaw, _: Random) -> None:
    law.block("still", "Constant", value=0.0, unit="rad")
    law.wire("still", "rotation")


FAULTS: Final = (
    LawFault("no counter voltage",
          ("Look at what the voltage is made of while the hand turns.",
           "A motor that turns needs omega/omega_idle alone to give no moment: is that there?",
           "The term omega/omega_idle is missing from the voltage."),
          lambda law, _: law.set("counter", k=0.0)),
    LawFault("a moment gain above 1",
          ("Look at the moment from tick to tick.",
           "A stiff grip answers one tick later: what is the loop's gain?",
           "k_p of the moment is above 1."),
          lambda law, draw: law.set("kp", k=round(draw.uniform(3.5, 4.5), 2))),
    LawFault("axes of the side force exchanged",
          ("Look at which way the hand moves under a side force.",
           "Push along x of the hand, at an angle of 0: which way does it go?",
           "x and y of the side force are exchanged."),
          _swapped),
    LawFault("side force in fixed axes",
          ("Look at the side force as the valve turns.",
           "Push along x of the hand at an angle of 90 degrees: which way does it go?",
           "The side force is not turned with the hand: the rotation stands still."),
          _fixed),
    LawFault("a constant moment in place of the outer loop",
          ("Look at the moment when the angle is near its goal.",
           "Change the goal: what changes at the output?",
           "The moment is a constant; nothing looks at the angle."),
          _constant),
    LawFault("the way of the wrong sign",
          ("Look at where the goal and the angle meet.",
           "Give it a goal beyond the angle: which way does it push?",
           "The signs of the sum that makes the way are exchanged."),
          lambda law, _: law.set("way", signs="-+")),
    LawFault("a slow filter in the angle",
          ("Look at how fast the way to go follows the angle.",
           "Give the angle a step: how long until 63 % of it are in the way?",
           "A low-pass of more than a second stands in the measured angle."),
          lambda law, draw: law.between("way.u2", "filter", "Lag",
                                        time_s=round(draw.uniform(1.0, 1.5), 2))),
    LawFault("no limit of the speed",
          ("Look at the side force while the valve turns fast.",
           "Give it a long way to go: which speed does it want?",
           "The limit of the wanted speed is ten times too high: the relief is left behind."),
          lambda law, draw: law.set("pace", low=-3.5, high=round(draw.uniform(3.0, 4.0), 1))),
    LawFault("no integral of the slip",
          ("Look at the moment while the valve does not move yet.",
           "Hold a speed of 0 with a way to go: does the moment go on rising?",
           "The gain of the integral is 0: friction holds the valve."),
          lambda law, _: law.set("rise", k=0.0)),
    LawFault("relief of the wrong sign",
          ("Look at the side force from its beginning.",
           "Push along x at an angle of 0: does the hand give way, or push back?",
           "The relief's gain is negative."),
          lambda law, draw: law.set("relief", k=-round(draw.uniform(0.0008, 0.001), 5))),
)  # fmt: skip

VALVE: Final = Exercise(
    name="valve", family="force",
    about="A valve is turned to its goal: within 1.5 degrees after 14 s and never beyond by more, "
    "with less than 12 N across its axis and less than 16 N m about it.",
    inputs=(Endpiece("goal", "rad"), Endpiece("angle", "rad"), Endpiece("speed", "rad/s"),
            Endpiece("moment", "N*m"), Endpiece("side", "N", (3,), "hand")),
    outputs=(Endpiece("voltage", "1"), Endpiece("velocity", "m/s", (3,), "valve")),
    seconds=END_S, law=valve_law, plant=ValvePlant, faults=FAULTS,
)  # fmt: skip
