"""A person who drives: keys, handles or a gamepad set the sliders of the diagram, while held.

Numbers of the diagram that runs are set in each step, which costs nothing, and each one that is
another is recorded like a change of the diagram, so that a recording holds all that he did.
Let go, the sliders are zero; where a desk holds the run, it also pauses until it is held again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from hil.diagram.run.change import DiagramChange
from hil.diagram.run.changer import DRIVER
from hil.run.edit_texts import EditEvents, EditText
from hil.stations.world.cycle.diagram_law import DiagramLaw
from hil.stations.world.sources.jog_operators import SCREEN_M_S, SCREEN_RAD_S, velocity_source
from hil.timing.clock import Tick

if TYPE_CHECKING:
    from hil.desk.velocity.source import Twist, VelocitySource
    from hil.diagram.run.live import Version
    from hil.stations.task.plan.task import LedBlocks
    from hil.stations.task.plan.task_plan import TaskPlan
    from hil.stations.world.cycle.loop import BetweenSteps, WorldRun
    from hil.stations.world.sources.source_setup import LiveInputs

SHARES: Final = 20
"""Steps of a slider from rest to its end."""


class Driver:
    """Person who drives the robot of a run, between its steps.

    Args:
        blocks: panel blocks of the diagram that he sets.
        source: his keys or handles; None for one who has the panel's page alone.
        held: whether a desk counts the run as held; None where nobody has to hold it there.
        now_s: monotonic time [s].
    """

    def __init__(
        self, blocks: LedBlocks, source: VelocitySource | None, held: Callable[[], bool] | None,
        now_s: Callable[[], float],
    ) -> None:  # fmt: skip
        self._blocks, self._source, self._held, self._now_s = blocks, source, held, now_s
        self._set: dict[str, Any] = {}
        self._events, self._last = EditEvents(who=DRIVER), Tick(0, 0.0, 0.0, 0.0)

    def act(self, run: WorldRun, tick: Tick) -> None:
        """Set the numbers of the diagram to what is asked for now; never waits."""
        law = run.bench.gated.law
        if not isinstance(law, DiagramLaw):
            return
        self._last, version = tick, law.diagram.now.version
        asked = self._asked(version)
        for name, value in asked.items():
            path, _, parameter = name.rpartition(".")
            version.engine.values[version.engine.table.numbers[f"{path}/{parameter}"]] = value
        news = {key: one for key, one in asked.items() if self._set.get(key, 0) != one}
        self._set |= news
        if news:
            text = EditText(DiagramChange(news, source=DRIVER, forced=True).json(), DRIVER)
            self._events.put(run.journal, tick, text, (), {"step": tick.index})
        self._events.serve(run.journal, tick)

    def close(self, run: WorldRun) -> None:
        """Record the rest."""
        self._events.finish(run.journal, self._last)

    def _asked(self, version: Version) -> dict[str, Any]:
        """Value of each number of the diagram that he sets now."""
        held, found = self._held is None or self._held(), dict[str, Any]()
        if self._held is not None:
            found[self._blocks.pause] = not held or bool(_of(version, self._blocks.pause))
        if self._source is None:
            return found
        twist = self._source.sample(self._now_s())
        ahead, turn = shares_of(twist) if held else (0.0, 0.0)
        if twist is None:
            found[self._blocks.stop] = _of(version, self._blocks.stop) + 1
        if self._blocks.ahead:
            found[self._blocks.ahead] = ahead
        return found | {self._blocks.turn: turn}


def _of(version: Version, name: str) -> Any:
    """Value of a parameter as the panel's page, or the file, has it."""
    path, _, parameter = name.rpartition(".")
    return version.value(path, parameter) or 0


def shares_of(twist: Twist | None) -> tuple[float, float]:
    """Shares of the sliders, -1 to 1: ahead, and to the left."""
    if twist is None:
        return 0.0, 0.0
    sideways = twist.linear_m_s[1] / SCREEN_M_S
    about = twist.angular_rad_s[2] / SCREEN_RAD_S
    ahead = _share(float(twist.linear_m_s[0] / SCREEN_M_S))
    return ahead, _share(float(sideways if abs(sideways) >= abs(about) else about))


def _share(value: float) -> float:
    """Share within its limits, in whole steps; what is not finite is rest."""
    if not math.isfinite(value):
        return 0.0
    return round(SHARES * min(max(value, -1.0), 1.0)) / SHARES


@contextmanager
def opened_driver(plan: TaskPlan, means: LiveInputs, *, at_desk: bool) -> Iterator[BetweenSteps]:
    """The driver of a run, whose keys or handles are open while it lasts.

    Raises:
        RefusedError: if his device does not exist; nothing has moved.
    """
    by, source = plan.scenario.driver, None
    if by is not None:
        source = velocity_source(by, plan.world.document, means.now_s, means.keys_fd)
    blocks = plan.task.led[plan.scenario.navigator]
    held = (lambda: means.held()) if at_desk else None  # set once the desk is there
    try:
        yield Driver(blocks, source, held, means.now_s)
    finally:
        if source is not None:
            source.close()
