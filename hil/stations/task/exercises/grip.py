"""Exercise `grip`: four fingers grip a wheel, turn it and let it go; its faults."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from hil.diagram.check.seam import Endpiece
from hil.diagram.exercises.exercise import Exercise, LawFault
from hil.diagram.exercises.law import DrawnLaw
from hil.stations.task.exercises.grip_law import NUMBERS, TRANSITIONS, grip_law
from hil.stations.task.exercises.grip_plant import BASE_S, FINGERS, SECONDS, GripPlant

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "firm": ("firm", "flag_1", "held_well", "compared_1"),
    "least": ("least", "of_all", "f_grip", "weakest"),
    "left": ("left", "e_angle", "difference", "to_go"),
    "loose": ("loose", "flag_2", "lost_it", "compared_2"),
    "near": ("near", "flag_3", "there", "compared_3"),
    "opens": ("opens", "u_open", "constant_2", "apart"),
    "slower": ("slower", "e_speed", "difference_2", "w_error"),
    "state": ("state", "mode", "phases", "machine"),
    "voltages": ("voltages", "u_fingers", "vector", "all_four"),
    "wanted": ("wanted", "f_d", "constant_1", "press"),
}
"""Part → names."""


def _without(law: DrawnLaw, transition: str, guard: str) -> None:
    kept = [one for one in TRANSITIONS.split("; ") if not one.startswith(transition)]
    law.set("state", transitions="; ".join(kept))
    del law.wires[f"state.{guard}"]


def _weak(law: DrawnLaw, draw: Random) -> None:
    law.set("wanted", value=round(draw.uniform(12.0, 14.0), 1))
    law.set("firm", values=(10.0,))
    law.set("loose", values=(4.0,))


def _every(law: DrawnLaw, part: str, **parameters: object) -> None:
    for number in NUMBERS:
        law.set(f"{part}_{number}", **parameters)


def _crossed(law: DrawnLaw, draw: Random) -> None:
    one, other = draw.sample(list(NUMBERS), 2)
    law.wire(f"each.y{one}", f"error_{other}.u2")
    law.wire(f"each.y{other}", f"error_{one}.u2")


def _one_limp(law: DrawnLaw, draw: Random) -> None:
    law.set(f"ki_{draw.choice(list(NUMBERS))}", k=0.0)


def _hard(law: DrawnLaw, draw: Random) -> None:
    _every(law, "ki", k=round(draw.uniform(0.08, 0.1), 3))
    _every(law, "sum", high=3.0)


FAULTS: Final = (
    LawFault("the grip is too weak",
          ("Look at how firmly the fingers press while the hand turns.",
           "Compare the wanted force with what four fingers need to carry 5 N m on a rim of 7 cm.",
           "Wanted force, and the forces from which a grip is firm or lost, are a third of what "
           "they should be."), _weak),
    LawFault("turns when the first finger presses",
          ("Look at when the hand begins to turn.",
           "Let one finger press with 40 N and three with 0 N: does it turn?",
           "The greatest of the forces is taken in place of the least."),
          lambda law, _: law.set("least", text="y = max(max(f1, f2), max(f3, f4))")),
    LawFault("a lost grip is not taken again",
          ("Look at what it does when the rim gives way.",
           "While it turns, let all forces fall to 0: does the hand stand?",
           "The transition from turning back to closing is missing."),
          lambda law, _: _without(law, "turn -> close", "lost")),
    LawFault("never lets go",
          ("Look at what it does when the wheel is at its angle.",
           "Let what is left of the angle be 0 while it turns: do the fingers open?",
           "The transition from turning to opening is missing."),
          lambda law, _: _without(law, "turn -> open", "arrived")),
    LawFault("opening closes",
          ("Look at the voltages of the fingers when it lets go.",
           "In the last state: which sign have the voltages?",
           "The voltage that opens has the sign of closing."),
          lambda law, draw: law.set("opens", value=round(draw.uniform(0.3, 0.4), 2))),
    LawFault("errors of the forces of the wrong sign",
          ("Look at where wanted and measured forces meet.",
           "Let a finger press less than it should: which way does its voltage go?",
           "The signs of the sums that make the errors of the forces are exchanged."),
          lambda law, _: _every(law, "error", signs="-+")),
    LawFault("two fingers exchanged",
          ("Look at which finger answers which force.",
           "Let one finger alone press: whose voltage falls?",
           "Two fingers get each other's force."), _crossed),
    LawFault("one finger has no integral",
          ("Look at whether all fingers press alike.",
           "Hold the same error at all fingers: does each voltage go on rising?",
           "The integral's gain of one finger is 0."), _one_limp),
    LawFault("the way of the wrong sign",
          ("Look at where the wanted and the hand's angle meet.",
           "Give it an angle ahead of the hand's: which way does it turn?",
           "The signs of the sum that makes what is left are exchanged."),
          lambda law, _: law.set("left", signs="-+")),
    LawFault("a slow filter in the angle",
          ("Look at how soon what is left follows the hand.",
           "Give the angle a step: how long until 63 % of it have come through?",
           "A low-pass of seconds stands in the hand's angle."),
          lambda law, draw: law.between("left.u2", "filter", "Lag",
                                        time_s=round(draw.uniform(2.0, 3.0), 2))),
    LawFault("the fingers are closed too hard",
          ("Look at the greatest force of a finger.",
           "How fast does a voltage rise while a finger does not press yet?",
           "The integrals' gains are some ten times what they should be."),
          _hard),
)  # fmt: skip

GRIP: Final = Exercise(
    name="grip", family="robot",
    about="Four fingers grip a wheel's rim, a hand turns it by an angle and lets it go: within 2 "
    "degrees, slipping by at most 2 degrees although the rim gives way once, no finger above "
    "85 N, and free after 16 s.",
    inputs=(Endpiece("goal", "rad"), Endpiece("angle", "rad"), Endpiece("speed", "rad/s"),
            Endpiece("forces", "N", (FINGERS,))),
    outputs=(Endpiece("fingers", "1", (FINGERS,)), Endpiece("turn", "1")),
    seconds=SECONDS, law=grip_law, plant=GripPlant, faults=FAULTS, base_s=BASE_S,
    names=NAMES,
)  # fmt: skip
"""Exercise that is offered as an entry point."""
