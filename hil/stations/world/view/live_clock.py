"""Live view of a world: a person sets the speed of its time, and pulls at its bodies.

All of it happens between two turns, in the clock that paces them; the loop knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Final, Protocol

from hil.timing.clock import Tick, check_period_s
from sim.world.viewer.wire import LET_GO, MousePush, ViewedModel

if TYPE_CHECKING:
    from hil.stations.world.view.viewer import Act
    from sim.world.engine.world import World, WorldSnapshot

SPEEDS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Speeds of time that the keys step through, as multiples of real time."""
PICTURE_S: Final = 1.0 / 60.0
"""Time between two states that are shown [s], on the wall's clock."""
BEHIND_S: Final = 0.1
"""Largest lateness that the loop makes up for [s]; the rest is dropped."""
HELD_S: Final = 0.05
"""Longest effect of a pull that is not repeated [s], in the world's time."""
SPACE: Final = 32
RIGHT: Final = 262
FASTER: Final = (61, 43, 334)
"""GLFW codes of the keys =, + and + of the number pad."""
SLOWER: Final = (45, 333)
"""GLFW codes of the keys - and - of the number pad."""


class WorldWindow(Protocol):
    """Window that shows a world and returns what its user does."""

    @property
    def is_open(self) -> bool:
        """Whether it is still open."""
        ...

    @property
    def failure(self) -> str:
        """Reason why an open window is gone without its user; empty if it is not."""
        ...

    def close(self) -> None:
        """Close it; harmless when repeated."""
        ...

    def change(self, model: ViewedModel) -> None:
        """Show another model from the next state on."""
        ...

    def show(self, snapshot: WorldSnapshot, speed: float, *, paused: bool, words: str = "") -> bool:
        """Show a state, unless an earlier one is still being drawn."""
        ...

    def take(self, most_s: float = 0.0) -> list[Act]:
        """Acts of the user since the last call, waiting at most so long for one."""
        ...


class LiveClock:
    """Clock of a run in a live window, with the interface of `hil.timing.clock.Clock`.

    Args:
        window: window that shows the first world already.
        world: returns the world that is stepped; another one after an edit.
        now_s: monotonic time on the wall's clock [s].
        pushed: takes time, number of the turn, and the pull that acts from it on, on each change.
        title: title of the window.
    """

    def __init__(
        self,
        window: WorldWindow,
        world: Callable[[], World],
        now_s: Callable[[], float],
        pushed: Callable[[float, int, str, MousePush], object],
        title: str,
    ) -> None:
        self._window, self._now_s, self._pushed = window, now_s, pushed
        self.world: Callable[[], World] = world
        """Returns the world that is stepped."""
        self._title, self._shown = title, world()
        self._speed = SPEEDS.index(1.0)
        self._steps = 0
        self._updated_s = -PICTURE_S
        self._pull, self._pulled, self._left_s = LET_GO, LET_GO, 0.0
        self.ends: Callable[[], bool] = bool
        """Returns whether the run shall end, which no pause delays."""
        self.paused: bool = False
        """Whether time is paused."""
        self.overruns: int = 0
        """Number of times that the loop dropped its lateness."""
        self.words: str = ""
        """Further text of the window."""

    @property
    def speed(self) -> float:
        """Speed of the world's time, 1 for real time."""
        return SPEEDS[self._speed]

    @property
    def closed(self) -> bool:
        """Whether the window is gone."""
        return not self._window.is_open

    @property
    def failure(self) -> str:
        """Reason why the window is gone without its user; empty if it is not."""
        return self._window.failure

    def now_s(self) -> float:
        """Time on the wall's clock [s]."""
        return self._now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield one tick per turn that is due; none while it is paused, but for single steps.

        Once the window is closed nothing delays the end: turns follow each other at once.

        Raises:
            ValueError: if the period is not finite and positive.
        """
        return self._ticks(check_period_s(period_s))

    def _ticks(self, period_s: float) -> Iterator[Tick]:
        due_s = last_s = self._now_s()
        for index in count():
            due_s = self._wait(due_s)
            now_s = self._now_s()
            late_s = max(now_s - due_s, 0.0)
            if late_s > BEHIND_S:
                self.overruns += 1
                due_s = now_s
            due_s += period_s / self.speed
            self._act(index * period_s, index, period_s)
            passed_s, last_s = (now_s - last_s if index else period_s), now_s
            yield Tick(index, index * period_s, passed_s, late_s)

    def hold(self) -> None:
        """Show the last state until the window is closed: nothing is stepped any more."""
        self.paused = True
        while not self.closed:
            self.service(PICTURE_S)

    def service(self, most_s: float = 0.0) -> None:
        """Show the world if a picture is due, and take the user's acts, waiting at most so long."""
        world = self.world()
        if world is not self._shown:
            self._window.change(viewed(world, self._title))
            self._shown, self._updated_s = world, -PICTURE_S
            self._pull, self._left_s = LET_GO, 0.0
        now_s = self._now_s()
        if now_s - self._updated_s >= PICTURE_S:
            self._updated_s = now_s
            self._window.show(world.snapshot(), self.speed, paused=self.paused, words=self.words)
        for act in self._window.take(most_s):
            self._do(act)

    def _wait(self, due_s: float) -> float:
        """Wait until a turn is due; returns its time [s]."""
        self.service()
        while not (self.closed or self.ends()):
            now_s = self._now_s()
            if self.paused:
                if self._steps:
                    self._steps -= 1
                    return now_s
                self.service(PICTURE_S)
                due_s = self._now_s()
            elif now_s >= due_s:
                return due_s
            else:
                self.service(min(due_s - now_s, PICTURE_S))
        return self._now_s()

    def _do(self, act: Act) -> None:
        if isinstance(act, MousePush):
            self._pull, self._left_s = act, HELD_S
        elif act == SPACE:
            self.paused, self._steps = not self.paused, 0
        elif act == RIGHT and self.paused:
            self._steps += 1
        elif act in FASTER or act in SLOWER:
            step = 1 if act in FASTER else -1
            self._speed = min(max(self._speed + step, 0), len(SPEEDS) - 1)

    def _act(self, t_s: float, index: int, period_s: float) -> None:
        """Apply the pull in the coming turn, and report when it changes."""
        world = self.world()
        if self._left_s <= 0.0 or self.closed:
            self._pull = LET_GO
        self._left_s -= period_s
        pull = self._pull if self._pull.body else LET_GO
        if pull != self._pulled:
            body = pull.body or self._pulled.body
            self._pushed(t_s, index, world.body_name(body), pull)
            self._pulled = pull
        if pull.body:
            name = world.body_name(pull.body)
            world.push(name, pull.wrench[:3], period_s, pull.wrench[3:])


def viewed(world: World, title: str) -> ViewedModel:
    """Model of a world for a window."""
    start, files = tuple(world.positions.tolist()), tuple(world.text.files.items())
    return ViewedModel(text=world.text.text, start=start, title=title, files=files)
