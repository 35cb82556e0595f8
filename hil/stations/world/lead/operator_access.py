"""Runs that an operator leads: the desk that panels find, handles of a panel, and help on keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

from hil.diagram.run.prover_program import PROGRAM
from hil.stations.world.plan.operator_motions import (
    CopyMotion,
    HandlesSettings,
    JogMotion,
    KeysSettings,
)
from hil.stations.world.signals import STATION

if TYPE_CHECKING:
    from hil.desk.velocity.panel_operator import PanelOperator
    from hil.recording.header import RunHeader
    from hil.run.journal import Journal
    from hil.run.lead import Handles, HandlesPlace
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.plan.scenario import WorldPlan
    from hil.stations.world.sources.source_setup import LiveInputs
    from hil.timing.stop import StopRequest

AXES_TOLD: Final = ("x", "y", "z", "about x", "about y", "about z")


def open_desk(
    plan: WorldPlan, header: RunHeader, now_s: Callable[[], float], *, driven: bool = False
) -> AbstractContextManager[PanelOperator]:
    """Desk that panels find; a motion that an operator leads has to be held there.

    Args:
        driven: whether a person drives the robot by its diagram, which has to be held, too.

    Raises (on entering):
        RefusedError: on the virtual clock, or if the desk cannot be set up; nothing has moved.
    """
    from hil.desk.velocity.panel_operator import led_run  # Linux only

    prover = () if plan.diagram is None else PROGRAM
    scenario = plan.scenario
    return led_run(
        header,
        scenario.step_s,
        STATION,
        scenario.clock,
        now_s,
        live=plan.live or driven,
        prover=prover,
    )


def led_by(
    led: PanelOperator, means: LiveInputs, bench: Callable[[], WorldBench], journal: Journal,
    signals: StopRequest,
) -> Callable[[], str]:  # fmt: skip
    """Let an operator at a desk hold a run and stop it.

    Args:
        bench: current bench of the run; an edit makes a new one.

    Returns:
        Function that polls for the reason of his stop once a step; empty while there is none.
    """

    def say(text: str, data: dict[str, str | bool]) -> None:
        world = bench().world
        journal.put(world.time_s, round(world.time_s / world.step_s), text, data, who="operator")

    def why() -> str:
        led.poll()
        led.take_source_end("the motion is over" if bench().source.ended else "")
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
    """Place where a jogged run listens for handles; None for a script, which runs as written."""
    from hil.desk.velocity.remote_writer import ScreenPlace

    motion = scenario["motion"]
    if motion["kind"] != "jog" or motion.get("by", {}).get("kind") == "script":
        return None
    return ScreenPlace({}, "motion.by")


def operator_instructions(plan: WorldPlan) -> tuple[str, ...]:
    """Instructions for the operator of a run, line by line."""
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
