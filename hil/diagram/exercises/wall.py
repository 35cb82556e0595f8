"""A tool pressed on a stiff wall: force by the law of eqs. (7) and (11), gravity and tool weight.

E. V. Strashnov, M. V. Mikhaylyuk (2019). The contact answers within a tick: the loop gain of a
stiff hold is -k_p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Final

from hil.diagram.check.seam import Endpiece
from hil.diagram.exercises.exercise import Exercise, LawFault, Measure, Values
from hil.diagram.exercises.law import DrawnLaw

TOOL_N: Final = 8.0
"""Weight of the tool."""
ARM_N: Final = 40.0
"""Weight of the arm at the tool [N]."""
CONTACT_S: Final = 0.0004
"""Time constant with which the contact's force follows [s]."""
DRAG_NS_M: Final = 200.0
"""Viscous friction of the arm where nothing is touched [N s/m]."""
STEP_S: Final = 0.002
END_S: Final = 8.0


class WallPlant:
    """An arm with friction that presses a tool on a wall, tilted against the vertical."""

    def __init__(self, draw: Random) -> None:
        self._wanted = draw.uniform(15.0, 30.0)
        self._tilt = math.radians(draw.uniform(10.0, 55.0))
        self._turn = math.radians(draw.uniform(-3.0, 3.0))
        self._friction = draw.uniform(3.0, 5.0)
        self._gap_m = draw.uniform(0.002, 0.006)
        self._contact_n = 0.0
        self._rows: list[tuple[float, float]] = []
        self._touched_s = math.inf

    def _tilted(self, time_s: float) -> float:
        return math.cos(self._tilt + self._turn * time_s)

    def inputs(self, time_s: float) -> Values:
        """Return wanted force [N], measured one with the tool's weight in it [N], tilt [deg]."""
        along = self._tilted(time_s)
        tilt = math.degrees(self._tilt + self._turn * time_s)
        return {
            "wanted": [self._wanted], "measured": [self._contact_n + TOOL_N * along],
            "tilt": [tilt],
        }  # fmt: skip

    def step(self, time_s: float, outputs: Values) -> None:
        """Advance by a tick at a force of the drives."""
        net = outputs["force"][0] - ARM_N * self._tilted(time_s)
        if self._gap_m > 0.0:
            free = math.copysign(max(0.0, abs(net) - self._friction), net)
            self._gap_m -= free / DRAG_NS_M * STEP_S
            self._contact_n = 0.0
        else:
            self._touched_s = min(self._touched_s, time_s)
            pressed = net - self._friction
            share = 1.0 - math.exp(-STEP_S / CONTACT_S)
            self._contact_n += share * (pressed - self._contact_n)
            if self._contact_n < 0.0:
                self._contact_n, self._gap_m = 0.0, 1e-5
        self._rows.append((time_s, self._contact_n))

    def measures(self) -> Sequence[Measure]:
        """Return the time to the contact, greatest force, error when it should be settled."""
        first = [
            abs(force - self._wanted) for t, force in self._rows if 0.5 <= t - self._touched_s < 1.0
        ] or [self._wanted]
        late = [abs(force - self._wanted) for t, force in self._rows if t >= END_S - 4.0]
        most = max(force for _, force in self._rows)
        return (
            Measure("time until it touches", min(self._touched_s, END_S), 1.0, "s"),
            Measure("greatest force beyond what is wanted", most - self._wanted, 14.0, "N"),
            Measure("error from 0.5 to 1 s after it touched", sum(first) / len(first), 2.5, "N"),
            Measure("error of the force after 4 s", sum(late) / len(late), 0.8, "N"),
        )


def wall_law(draw: Random) -> DrawnLaw:
    """Return a law that works."""
    law = DrawnLaw()
    law.block("wanted", "In", shape=(), type="real", unit="N", note="force on the wall")
    law.block("measured", "In", shape=(), type="real", unit="N",
              note="at the wrist, the tool's weight in it")  # fmt: skip
    law.block("tilt", "In", shape=(), type="real", unit="deg", note="of the tool, 0: it hangs")
    law.block("angle", "Convert", **{"from": "deg", "to": "rad"})
    law.block("cosine", "Cos")
    law.block("tool", "Gain", k=TOOL_N, unit="N", note="its weight")
    law.block("weight", "Gain", k=ARM_N, unit="N", note="its weight at the tool")
    law.block("contact", "Sum", signs="+-")
    law.block("error", "Sum", signs="+-")
    law.block("kp", "Gain", k=round(draw.uniform(0.3, 0.5), 2))
    law.block("ki", "Gain", k=round(draw.uniform(1.6, 2.2), 2), unit="1/s")
    law.block("integral", "LimitedIntegral", low=-60.0, high=60.0, unit="N")
    law.block("sum", "Sum", signs="++++")
    law.block("force", "Out", unit="N", note="of the drives, along the tool")
    law.wire("tilt", "angle")
    law.wire("angle", "cosine")
    law.wire("cosine", "tool", "weight")
    law.wire("measured", "contact.u1")
    law.wire("tool", "contact.u2")
    law.wire("wanted", "error.u1", "sum.u1")
    law.wire("contact", "error.u2")
    law.wire("error", "kp", "ki")
    law.wire("ki", "integral")
    law.wire("kp", "sum.u2")
    law.wire("integral", "sum.u3")
    law.wire("weight", "sum.u4")
    law.wire("sum", "force")
    return law


def _radians(law: DrawnLaw, _: Random) -> None:
    law.block("angle", "Gain", k=1.0, unit="1/deg")


FAULTS: Final = (
    LawFault("error of the wrong sign",
          ("Look at where the wanted and the measured force meet.",
           "Give it less force than is wanted: does it press more, or less?",
           "The signs of the sum that makes the error are exchanged."),
          lambda law, _: law.set("error", signs="-+")),
    LawFault("a proportional gain above 1",
          ("Look at the force from tick to tick once the wall is touched.",
           "A stiff wall answers one tick later: what is the loop's gain?",
           "k_p is above 1: each tick answers the last with more."),
          lambda law, draw: law.set("kp", k=round(draw.uniform(1.15, 1.4), 2))),
    LawFault("no gravity compensation",
          ("Look at what it asks of the drives when nothing is wanted.",
           "What has to be added for the arm's own weight, at this tilt?",
           "The arm's weight is left out of the sum."),
          lambda law, _: law.set("weight", k=0.0)),
    LawFault("tool weight not subtracted",
          ("Look at what is measured before the wall is touched.",
           "The wrist reads some newtons in free space: whose are they?",
           "The tool's weight is not taken off the measured force."),
          lambda law, _: law.set("tool", k=0.0)),
    LawFault("degrees taken for radians",
          ("Look at how the weights change with the tilt.",
           "Give it a tilt of 60 degrees: what share of the weights is left?",
           "The tilt goes into the cosine in degrees."),
          _radians),
    LawFault("no integral",
          ("Look at the error that stays.",
           "Hold a constant error: does the force go on rising?",
           "The integral's gain is 0: friction stays as an error."),
          lambda law, _: law.set("ki", k=0.0)),
    LawFault("a slow filter in the feedback",
          ("Look at how fast the error follows the measured force.",
           "Give the measured force a step: how long until 63 % of it are in the error?",
           "A low-pass of seconds stands in the feedback."),
          lambda law, draw: law.between("error.u2", "filter", "Lag",
                                        time_s=round(draw.uniform(3.0, 4.0), 2))),
    LawFault("a delay in the feedback",
          ("Look at the time from a measured force to the answer.",
           "Give the measured force a step: when does the error move?",
           "The measured force is delayed by a part of a second."),
          lambda law, draw: law.between("error.u2", "hold", "Delay", ticks=draw.randint(500, 600))),
    LawFault("an integral that cannot reach",
          ("Look at the integral after some seconds.",
           "Hold an error: where does the integral end?",
           "The integral's limits are below what friction takes."),
          lambda law, draw: law.set("integral", low=-1.0, high=round(draw.uniform(0.4, 0.8), 2))),
)  # fmt: skip

WALL: Final = Exercise(
    name="wall", family="force",
    about="A tool is brought to a stiff wall and presses on it with the wanted force: within 2.5 N "
    "half a second after it touches, within 0.8 N after 4 s, never more than 14 N beyond.",
    inputs=(Endpiece("wanted", "N"), Endpiece("measured", "N"), Endpiece("tilt", "deg")),
    outputs=(Endpiece("force", "N"),),
    seconds=END_S, law=wall_law, plant=WallPlant, faults=FAULTS,
)  # fmt: skip
