"""Runs that somebody leads: the desk that panels find, the handles of a panel, and what keys do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

from hil.diagram.run.prover_program import PROGRAM
from hil.stations.world.operator_motion_settings import (
    CopyMotion,
    HandlesSettings,
    JogMotion,
    KeysSettings,
)
from hil.stations.world.signals import STATION

if TYPE_CHECKING:
    from hil.desk.velocity.panel_operator import LedOperator
    from hil.recording.header import RunHeader
    from hil.run.journal import Journal
    from hil.run.lead import Handles, HandlesPlace
    from hil.stations.world.bench import WorldBench
    from hil.stations.world.scenario import WorldPlan
    from hil.stations.world.sources.source_setup import LiveMeans
    from hil.timing.stop import StopWish

AXES_TOLD: Final = ("x", "y", "z", "about x", "about y", "about z")


def desk_for(
    plan: WorldPlan, header: RunHeader, now_s: Callable[[], float]
) -> AbstractContextManager[LedOperator]:
    """A desk that panels find; a motion that somebody leads has to be held there.

    Raises (on entering):
        RefusedError: on the virtual clock, or if the desk cannot be set up; nothing has moved.
    """
    from hil.desk.velocity.panel_operator import led_run  # Linux only

    prover = () if plan.diagram is None else PROGRAM
    scenario = plan.scenario
    return led_run(
        header, scenario.step_s, STATION, scenario.clock, now_s, live=plan.live, prover=prover
    )


def led_by(
    led: LedOperator, means: LiveMeans, bench: Callable[[], WorldBench], journal: Journal,
    signals: StopWish,
) -> Callable[[], str]:  # fmt: skip
    """Let an operator at a desk hold a run and stop it.

    Args:
        bench: of the run at this moment; an edit makes a new one.

    Returns:
        Why he wants the end, asked once a step; empty while he does not.
    """

    def say(text: str, data: dict[str, str | bool]) -> None:
        world = bench().world
        journal.put(world.time_s, round(world.time_s / world.step_s), text, data, who="operator")

    def why() -> str:
        led.look()
        led.hear_source("the motion is over" if bench().source.ended else "")
        return led.stopped

    means.held = lambda: led.held or not led.live
    led.say = say
    led.stops(signals)
    return why


def handles() -> Handles:
    """Handles of a panel as jogged runs take them."""
    from hil.desk.velocity.handles import screen_handles
    from hil.stations.world.sources.jog_operators import SCREEN_M_S, SCREEN_RAD_S

    return screen_handles(SCREEN_M_S, SCREEN_RAD_S, _place)


def _place(scenario: Mapping[str, Any]) -> HandlesPlace | None:
    """Where a jogged run listens; a script is played as it is written."""
    from hil.desk.velocity.remote_writer import ScreenPlace

    motion = scenario["motion"]
    if motion["kind"] != "jog" or motion.get("by", {}).get("kind") == "script":
        return None
    return ScreenPlace({}, "motion.by")


def how_to_lead(plan: WorldPlan) -> tuple[str, ...]:
    """What whoever leads a run has to know, line by line."""
    motion = plan.scenario.motion
    if isinstance(motion, CopyMotion) and plan.live:
        return (
            f"listening on {motion.listen} for frames (an emulated sender: hil world send)",
            "without fresh ones the joints stop and hold; Ctrl-C ends the run",
        )
    if not isinstance(motion, JogMotion):
        return ()
    if isinstance(motion.by, HandlesSettings):
        return (f"listening on {motion.by.listen} for who knows the token; Ctrl-C ends the run",)
    if not isinstance(motion.by, KeysSettings):
        return ()
    from hil.desk.velocity.keyboard import PAIRS

    drives = [drive.joint for drive in plan.robot.drives]
    names = [f"joint {one}" for one in motion.joints or drives[:6]]
    if motion.axes != "joints":
        names = [*AXES_TOLD]
    keys = "  ".join(f"{'/'.join(pair)}  {name}" for pair, name in zip(PAIRS, names, strict=False))
    whose = "" if motion.axes == "joints" else f"  of the {motion.axes}"
    return (f"{keys}{whose}, + / -", "moves while its key is held", "q  end")
