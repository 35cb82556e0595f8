"""Exercise `mobile`: MF-4 is driven to a goal, round rows of goods; its faults."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Final

from hil.config.errors import RefusedError
from hil.diagram.check.seam import Endpiece
from hil.diagram.exercises.exercise import Exercise, LawFault
from hil.stations.task.exercises.drive_law import (
    BASE_S,
    BEAMS,
    FANS,
    MEAN,
    SECONDS,
    TRANSITIONS,
    drive_law,
    nearest_text,
)

if TYPE_CHECKING:
    from hil.diagram.exercises.exercise import Plant
    from hil.diagram.exercises.law import DrawnLaw

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "ahead": ("ahead", "axis", "along", "p1_p2"),
    "aside": ("aside", "turn_to_goal", "goal_angle", "off_course"),
    "askew": ("askew", "turn_at_goal", "end_angle", "left_to_turn"),
    "beside": ("beside", "followed", "d_side", "along_it"),
    "both": ("both", "pair", "u_sides", "vector"),
    "choice": ("choice", "way_round", "pick", "turn_sign"),
    "d_close": ("d_close", "limit_1", "threshold_a", "length_1"),
    "d_near": ("d_near", "limit_2", "threshold_b", "length_2"),
    "end_error": ("end_error", "difference_2", "e_end", "deviation_2"),
    "error": ("error", "difference_1", "e_goal", "deviation_1"),
    "free": ("free", "all_clear", "to_go", "flag_5"),
    "freer": ("freer", "compared", "wider", "which"),
    "front_nearest": ("front_nearest", "d_front", "ahead_m", "front_value"),
    "gap": ("gap", "e_side", "difference_3", "side_error"),
    "hand": ("hand", "kept", "sign_kept", "turn_hand"),
    "hug": ("hug", "k_side", "side_gain", "hold_side"),
    "left_nearest": ("left_nearest", "d_left", "left_value", "left_m"),
    "near": ("near", "blocked", "stop_there", "flag_1"),
    "open": ("open", "front_free", "go_on", "flag_2"),
    "passed": ("passed", "leave", "goal_side", "flag_3"),
    "right_nearest": ("right_nearest", "d_right", "right_value", "right_m"),
    "state": ("state", "mode", "phases", "machine"),
    "there": ("there", "at_goal", "reached", "flag_4"),
    "zone": ("zone", "stage", "input_stage", "conditioned"),
}
"""Part → names."""


def plant(draw: Random) -> Plant:
    """A hangar with the robot in it; the engine is imported only now.

    Raises:
        RefusedError: if the engine is not installed.
    """
    from hil.stations.task.exercises.hangar_plant import HangarPlant
    from sim.world.engine.library import EngineMissingError

    try:
        return HangarPlant(draw)
    except EngineMissingError as error:
        raise RefusedError(str(error)) from None


def _exchange(law: DrawnLaw, one: str, other: str) -> None:
    law.wires[one], law.wires[other] = law.wires[other], law.wires[one]


def _without(law: DrawnLaw, transition: str, guard: str = "") -> None:
    kept = [one for one in TRANSITIONS.split("; ") if not one.startswith(transition)]
    law.set("state", transitions="; ".join(kept))
    if guard:
        del law.wires[f"state.{guard}"]


def _one_hand(law: DrawnLaw, draw: Random) -> None:
    part, value = draw.choice((("to_left", -1.0), ("to_right", 1.0)))
    law.set(part, value=value)


def _thresholds(law: DrawnLaw, _: Random) -> None:
    near, close = (law.blocks[one].parameters["value"] for one in ("d_near", "d_close"))
    law.set("d_near", value=close)
    law.set("d_close", value=near)


def _slow(law: DrawnLaw, draw: Random) -> None:
    law.between("near.u1", "filter", "Lag", time_s=round(draw.uniform(3.0, 4.0), 2))
    law.wire("filter", "open.u1")


FAULTS: Final = (
    LawFault("always the same hand",
          ("Look at which way it turns away from an obstacle.",
           "Give the left more room than the right, then the right more: what changes?",
           "Both constants of the choice have one sign: it always turns the same way round."),
          _one_hand),
    LawFault("the narrower side is chosen",
          ("Look at which way it turns away from an obstacle.",
           "Give the left more room than the right: to which side does it turn?",
           "The comparison of the room on both sides is the wrong way round."),
          lambda law, _: law.block("freer", "Less")),
    LawFault("nothing seen is taken as near",
          ("Look at what it does where there is nothing ahead.",
           "Let no beam of the front see anything: what is the nearest distance then?",
           "A beam that sees nothing counts as a distance of -1 m: nearer than all that is near."),
          lambda law, _: law.set("front_nearest", values=(-1.0,))),
    LawFault("seen and not seen are exchanged",
          ("Look at what becomes of the beams of the front.",
           "Let one beam of the front see something at 0.3 m: does the nearest distance change?",
           "The condition of the front's beams is the wrong way round."),
          lambda law, _: law.set("front_nearest", text=nearest_text("if(s{0}, far, d{0})"))),
    LawFault("the mean of the beams",
          ("Look at an obstacle that only one or two beams see.",
           "Let one beam of the front see something at 0.3 m, the others 4 m: what comes of it?",
           "The mean of the front's beams is taken in place of the least."),
          lambda law, _: law.set("front_nearest", text=MEAN)),
    LawFault("the two distances exchanged",
          ("Look at the distances at which it begins and ends to turn away.",
           "At which distance ahead does it begin to turn, at which does it go on?",
           "D_near and D_close are exchanged."),
          _thresholds),
    LawFault("voltages of the sides exchanged",
          ("Look at which way the robot turns.",
           "Give it a goal on its left, and look at the voltage of each side.",
           "The voltages of left and right are exchanged."),
          lambda law, _: _exchange(law, "both.u1", "both.u2")),
    LawFault("no way back to the goal",
          ("Look at the states, and at what ends each of them.",
           "Follow an obstacle until the goal is free: which state comes next?",
           "The transition from following back to driving is missing."),
          lambda law, _: _without(law, "follow -> drive", "free")),
    LawFault("front not watched while following",
          ("Look at what it looks at in each state.",
           "While it follows an obstacle, put a second one ahead: what does it do?",
           "The transition from following to turning is missing."),
          lambda law, _: _without(law, "follow -> turn")),
    LawFault("centre and front exchanged",
          ("Look at where the robot believes that its front is.",
           "Let the front be east of the centre: which heading does it find?",
           "The signs of the sum that makes the axis are exchanged: it looks backwards."),
          lambda law, _: law.set("ahead", signs="-+")),
    LawFault("the other side is followed",
          ("Look at the distance to what it follows.",
           "With an obstacle on its right while it follows: which side's beams does it take?",
           "Left and right are exchanged where the followed side is chosen."),
          lambda law, _: _exchange(law, "beside.l", "beside.r")),
    LawFault("away and towards exchanged",
          ("Look at how it holds its distance from what it follows.",
           "Bring what it follows nearer: does it turn away?",
           "The signs of the sum that makes the error of the side's distance are exchanged."),
          lambda law, _: law.set("gap", signs="-+")),
    LawFault("a slow filter in the front's distance",
          ("Look at how soon it sees what is ahead.",
           "Give the front's distance a step: how long until 63 % of it have come through?",
           "A low-pass of seconds stands in the front's distance."),
          _slow),
    LawFault("turned away from the final direction",
          ("Look at what it does when it has come to the goal.",
           "At the goal, let the wanted direction be left of the heading: which way does it turn?",
           "The signs of the sum of wanted and measured heading are exchanged."),
          lambda law, _: law.set("end_error", signs="-+")),
)  # fmt: skip

MOBILE: Final = Exercise(
    name="mobile", family="robot",
    about="MF-4 drives to a goal in a hangar, round two rows of goods, and turns to its final "
    "direction: within 10 cm and 5 degrees, in 75 s, and touches nothing but the floor.",
    inputs=(Endpiece("p1", "m", (3,)), Endpiece("p2", "m", (3,)), Endpiece("goal", "m", (3,)),
            Endpiece("direction", "1", (3,)),
            *(Endpiece(fan, "m", (BEAMS,)) for fan in FANS),
            *(Endpiece(f"{fan}_seen", "1", (BEAMS,), type="boolean") for fan in FANS)),
    outputs=(Endpiece("voltages", "1", (2,)),),
    seconds=SECONDS, law=drive_law, plant=plant, faults=FAULTS, base_s=BASE_S, names=NAMES,
)  # fmt: skip
"""Exercise that is offered as an entry point."""
