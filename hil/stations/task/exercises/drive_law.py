"""A law that drives MF-4 to a goal, round what its beams see, in the spirit of the published one.

E. V. Strashnov, L. A. Finagin (2026): drive towards the goal; where an obstacle is near ahead, turn
until the way is free; follow the obstacle until the goal is free; at the goal, turn to the final
direction. Other than published, it turns to the freer side and watches the front in every state.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hil.diagram.exercises.law import DrawnLaw

BASE_S: Final = 0.01
"""Period of the law [s]."""
SECONDS: Final = 76.0
"""Duration of a scene [s]."""
FANS: Final = ("left", "front", "right")
"""Sides of the robot that have beams."""
BEAMS: Final = 5
"""Number of beams of a side."""
STATES: Final = "drive turn follow align"
TRANSITIONS: Final = (
    "* -> align: there 0; drive -> turn: near 1; turn -> follow: open 2; "
    "follow -> turn: near 3; follow -> drive: free 4"
)
"""Transitions of a law that works."""
SEEN: Final = "if(s{0}, d{0}, far)"
"""Value of a beam: its distance if it sees something, else one that is far."""
_UNITS: Final = "y m, far m, " + ", ".join(f"d{k} m" for k in range(1, BEAMS + 1))


def nearest_text(value: str) -> str:
    """Text of the least of all beams, each with a value of this form."""
    beams = (value.format(k) for k in range(1, BEAMS + 1))
    return "y = min(min(min(min({}, {}), {}), {}), {})".format(*beams)


NEAREST: Final = nearest_text(SEEN)
"""Text of the nearest that a side sees."""
MEAN: Final = "y = ({})/5".format(" + ".join(SEEN.format(k) for k in range(1, BEAMS + 1)))
"""Text of the mean of a side's beams."""


def drive_law(draw: Random) -> DrawnLaw:
    """Return a law that works."""
    law = DrawnLaw()
    _places(law)
    for fan in FANS:
        _fan(law, fan)
    _hand(law)
    _states(law, draw)
    _motion(law, draw)
    return law


def _places(law: DrawnLaw) -> None:
    """Distance and turn to the goal, and turn to the final direction."""
    for name, words in (("p1", "centre of the robot"), ("p2", "its front"), ("goal", "of p1")):
        law.block(name, "In", shape=(3,), type="real", unit="m", note=words)
    law.block("direction", "In", shape=(3,), type="real", unit="1", note="final one of the front")
    law.block("to_goal", "Sum", signs="+-")
    law.block("ahead", "Sum", signs="+-")
    law.wire("goal", "to_goal.u1")
    law.wire("p1", "to_goal.u2", "ahead.u2")
    law.wire("p2", "ahead.u1")
    law.block("distance", "Norm")
    law.wire("to_goal", "distance")
    for vector, angle in (("to_goal", "bearing"), ("ahead", "heading"), ("direction", "end")):
        law.block(f"{angle}_parts", "Demux", width=3)
        law.block(angle, "Atan2")
        law.wire(vector, f"{angle}_parts")
        law.wire(f"{angle}_parts.y2", f"{angle}.u1")
        law.wire(f"{angle}_parts.y1", f"{angle}.u2")
    for angle, error, turn in (("bearing", "error", "aside"), ("end", "end_error", "askew")):
        law.block(error, "Sum", signs="+-")
        law.block(turn, "WrapAngle")
        law.wire(angle, f"{error}.u1")
        law.wire("heading", f"{error}.u2")
        law.wire(error, turn)


def _fan(law: DrawnLaw, fan: str) -> None:
    """The nearest that a side sees."""
    law.block(fan, "In", shape=(BEAMS,), type="real", unit="m", note="beams")
    law.block(f"{fan}_seen", "In", shape=(BEAMS,), type="boolean", note="whether a beam meets one")
    law.block(f"{fan}_beams", "Demux", width=BEAMS)
    law.block(f"{fan}_flags", "Demux", width=BEAMS)
    law.block(
        f"{fan}_nearest", "Expression", text=NEAREST, names="far", values=(8.0,), units=_UNITS
    )
    law.wire(fan, f"{fan}_beams")
    law.wire(f"{fan}_seen", f"{fan}_flags")
    for k in range(1, BEAMS + 1):
        law.wire(f"{fan}_beams.y{k}", f"{fan}_nearest.d{k}")
        law.wire(f"{fan}_flags.y{k}", f"{fan}_nearest.s{k}")


def _hand(law: DrawnLaw) -> None:
    """To which side it turns away: the freer one, kept until it drives to the goal again."""
    for side in ("left", "right"):
        law.block(f"{side}_room", "SumElements")
        law.wire(side, f"{side}_room")
    law.block("freer", "Greater", note="whether the left is")
    law.wire("left_room", "freer.u1")
    law.wire("right_room", "freer.u2")
    law.block("to_left", "Constant", value=1.0)
    law.block("to_right", "Constant", value=-1.0)
    law.block("choice", "Switch")
    law.wire("freer", "choice.condition")
    law.wire("to_left", "choice.u1")
    law.wire("to_right", "choice.u2")
    law.block("hand", "SampleHold", initial=1.0, note="1: turns left, the obstacle is right")
    law.block("driving", "UnitDelay", initial=1.0)
    law.block("busy", "Expression", text="y = driving < 0.5")
    law.wire("choice", "hand.u")
    law.wire("driving", "busy.driving")
    law.wire("busy", "hand.hold")
    law.block("beside", "Expression", text="y = if(hand > 0, r, l)", units="y m, l m, r m")
    law.wire("hand", "beside.hand")
    law.wire("left_nearest", "beside.l")
    law.wire("right_nearest", "beside.r")


def _states(law: DrawnLaw, draw: Random) -> None:
    """What ends each state, and the machine that has them."""
    law.block("d_near", "Constant", value=round(draw.uniform(0.33, 0.37), 3), unit="m")
    law.block("d_close", "Constant", value=round(draw.uniform(0.68, 0.72), 3), unit="m")
    law.block("near", "Less")
    law.block("open", "Greater")
    law.wire("front_nearest", "near.u1", "open.u1")
    law.wire("d_near", "near.u2")
    law.wire("d_close", "open.u2")
    law.block("range", "Constant", value=0.04, unit="m", note="of the goal")
    law.block("there", "Less")
    law.wire("distance", "there.u1")
    law.wire("range", "there.u2")
    law.block("away", "Multiply")
    law.wire("hand", "away.u1")
    law.wire("aside", "away.u2")
    law.block("passed", "Within", low=-0.2, high=1.5, unit="1",
              note="the goal is ahead, or on the side without the obstacle")  # fmt: skip
    law.block("free", "And")
    law.wire("away", "passed")
    law.wire("passed", "free.u1")
    law.wire("open", "free.u2")
    law.block("state", "StateMachine", names=STATES, transitions=TRANSITIONS,
              gives="drive turn follow align",
              values=tuple(tuple(float(i == k) for k in range(4)) for i in range(4)))  # fmt: skip
    for guard in ("there", "near", "open", "free"):
        law.wire(guard, f"state.{guard}")
    law.wire("state.drive", "driving")


def _motion(law: DrawnLaw, draw: Random) -> None:
    """Voltages of both sides, by the state."""
    gain = round(draw.uniform(0.75, 0.85), 2)
    law.block("seek", "Gain", k=gain, note="voltage by angle")
    law.block("seek_limit", "Saturation", low=-0.3, high=0.3)
    law.wire("aside", "seek")
    law.wire("seek", "seek_limit")
    law.block("settle", "Gain", k=gain, note="voltage by angle")
    law.block("settle_limit", "Saturation", low=-0.3, high=0.3)
    law.wire("askew", "settle")
    law.wire("settle", "settle_limit")
    law.block("keep", "Constant", value=round(draw.uniform(0.30, 0.34), 3), unit="m")
    law.block("gap", "Sum", signs="+-")
    law.wire("keep", "gap.u1")
    law.wire("beside", "gap.u2")
    law.block("hug", "Gain", k=round(draw.uniform(0.75, 0.85), 2), unit="1/m")
    law.block("hug_limit", "Saturation", low=-0.25, high=0.25)
    law.wire("gap", "hug")
    law.wire("hug", "hug_limit")
    law.block("guard", "Expression",
              text="y = k*(max(0*keep, keep - r) - max(0*keep, keep - l))", names="k keep",
              values=(1.0, 0.25), units="k 1/m, keep m, l m, r m")  # fmt: skip
    law.wire("left_nearest", "guard.l")
    law.wire("right_nearest", "guard.r")
    law.block("turning", "Expression",
              text="y = drive*(seek + guard) + hand*(turn*spin + follow*hug) + align*settle",
              names="spin", values=(0.28,))  # fmt: skip
    for port, source in (("drive", "state.drive"), ("turn", "state.turn"),
                         ("follow", "state.follow"), ("align", "state.align"), ("hand", "hand"),
                         ("seek", "seek_limit"), ("guard", "guard"), ("hug", "hug_limit"),
                         ("settle", "settle_limit")):  # fmt: skip
        law.wire(source, f"turning.{port}")
    law.block("speed", "Expression",
              text="y = fast*(drive*limit(1 - abs(aside), 0, 1)*limit(d/slow, 0.2, 1)"
              " + 0.8*follow)",
              names="fast slow", values=(round(draw.uniform(0.55, 0.6), 2), 0.5),
              units="d m, slow m")  # fmt: skip
    for port, source in (("drive", "state.drive"), ("follow", "state.follow"), ("aside", "aside"),
                         ("d", "distance")):  # fmt: skip
        law.wire(source, f"speed.{port}")
    law.block("left_side", "Sum", signs="+-")
    law.block("right_side", "Sum", signs="++")
    law.wire("speed", "left_side.u1", "right_side.u1")
    law.wire("turning", "left_side.u2", "right_side.u2")
    law.block("both", "Mux", width=2)
    law.wire("left_side", "both.u1")
    law.wire("right_side", "both.u2")
    law.block("limit", "Saturation", low=-1.0, high=1.0)
    law.block("voltages", "Out", unit="1", note="left, right")
    law.wire("both", "limit")
    law.wire("limit", "voltages")
