"""A diagram that runs alone and is watched: tick by tick, back, and on until a condition holds.

Every so many ticks all numbers are kept, and each act with its tick, so a tick that is gone back to
is computed again and has the same bits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.diagram.check.drivers import source_of_port
from hil.diagram.check.flat import Endpoint
from hil.diagram.check.types import FoundType
from hil.diagram.file.model import DiagramFile
from hil.diagram.run.condition import Condition
from hil.diagram.run.engine import DiagramState
from hil.diagram.run.fault import StoppedError
from hil.diagram.run.live import Successor, Version
from hil.diagram.run.trace import Trace

if TYPE_CHECKING:
    from hil.diagram.run.models import DiagramModels

BACK_S: Final = 10.0
"""How far back it can go [s]."""
_KEPT_EACH_S: Final = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class _Moment:
    """What runs, between two ticks."""

    version: Version
    state: DiagramState


@dataclass(frozen=True, slots=True, eq=False)
class _Act:
    """What a person did after a tick."""

    tick: int
    name: str
    """Of the input that was set; empty for another version."""
    values: NDArray[np.float64]
    """Of the input, from then on."""
    moment: _Moment | None = None
    """The other version, with what was carried over."""


class SteppedRun:
    """A diagram that runs for somebody who watches it.

    Args:
        version: that runs; its inputs are 0 until they are set.
        models: its FMUs, begun; they go forward only, and so does it then.
    """

    def __init__(self, version: Version, models: DiagramModels | None = None) -> None:
        self._models = models
        self.version = version
        """That runs: an older one where it was gone back to before a change."""
        self.fault: StoppedError | None = None
        """Why it cannot go on; None if it can."""
        self._acts: list[_Act] = []
        self._condition: Condition | None = None
        self._judged: slice | None = None
        """Where the numbers of the condition stand; None if what runs has none."""
        self._held = False
        self._traces: dict[Endpoint, Trace] = {}
        self._places: dict[Endpoint, slice] = {}
        self._each = max(1, round(_KEPT_EACH_S / self.base_s))
        self._most = max(1, round(BACK_S / self.base_s))
        self._kept = deque([self._now()])

    def _now(self) -> _Moment:
        return _Moment(self.version, self.version.engine.snapshot())

    @property
    def base_s(self) -> float:
        """Time of a tick [s]."""
        return self.version.sound.flat.base_s

    @property
    def tick(self) -> int:
        """Ticks computed so far."""
        return self.version.engine.tick

    @property
    def oldest(self) -> int:
        """The tick that it can go back to."""
        return self._kept[0].state.tick

    @property
    def goes_back(self) -> bool:
        """Whether it can go back, which FMUs cannot."""
        return self._models is None

    # Forward.

    def step(self) -> bool:
        """Compute a tick; whether it could be, and the condition did not begin to hold."""
        if self.fault is not None:
            return False
        if self.tick - self._kept[-1].state.tick >= self._each:
            self._keep()
        try:
            self._next()
        except StoppedError as error:
            self.fault = error
            return False
        self._append(self._traces)
        held, self._held = self._held, self._holds()
        return not (self._held and not held)

    def advance(self, ticks: int) -> bool:
        """Compute some ticks; whether nothing stopped it before, as `step`."""
        return all(self.step() for _ in range(ticks))

    def _next(self) -> None:
        """Compute a tick, and do what was done after it."""
        models = self._models
        if models is not None:
            models.before(self.version.engine)
        self.version.engine.step()
        if models is not None:
            models.after(self.version.engine)
        self._do_again()

    def _do_again(self) -> None:
        """Do what was done at this tick; twice is as good as once."""
        for act in self._acts:
            if act.tick == self.tick:
                self._do(act)

    def _do(self, act: _Act) -> None:
        if act.moment is not None:
            self._enter(act.moment)
        elif act.name in self.version.engine.inputs:
            self.version.engine.set_input(act.name, act.values)

    def _enter(self, moment: _Moment) -> None:
        """Let this be what runs."""
        moment.version.engine.restore(moment.state)
        if moment.version is not self.version:
            self.version = moment.version
            self._place()

    def _place(self) -> None:
        """Find what is watched and judged in the version that runs."""
        one = self._condition
        self._judged = None if one is None else self._found((one.path, one.port))
        alike = [end for end, one in self._traces.items() if self._size(end) == one.size]
        self._places = {end: self.version.engine.place(*end) for end in alike}

    def _append(self, ends: Iterable[Endpoint]) -> None:
        engine = self.version.engine
        for end in ends:
            if (place := self._places.get(end)) is not None:
                self._traces[end].append(engine.tick, engine.values[place])

    def _keep(self) -> None:
        self._kept.append(self._now())
        # The second one must be old enough, or it would not reach back so far.
        while len(self._kept) > 1 and self._kept[1].state.tick <= self.tick - self._most:
            self._kept.popleft()
        self._acts = [one for one in self._acts if one.tick >= self.oldest]

    # Back.

    def back(self, ticks: int) -> int:
        """Go back by so many ticks, or as far as it can; the tick that it is at then.

        What was done since then is done again as it goes on, unless something else is done.

        Raises:
            RefusedError: If it has FMUs.
        """
        if not self.goes_back:
            raise RefusedError("an FMU's state cannot be put back: end the run, and begin anew")
        target = max(self.oldest, self.tick - max(0, ticks))
        self._enter(next(one for one in reversed(self._kept) if one.state.tick <= target))
        self._do_again()
        self.fault = None
        while self.tick < target:
            self._next()
        for trace in self._traces.values():
            trace.cut(target)
        self._held = self._holds()
        return target

    # What a person does.

    def set_input(self, name: str, values: Any) -> None:
        """Give an input its numbers from now on; what was to come after it is forgotten.

        Raises:
            RefusedError: If there is no such input, or it has another number of numbers.
        """
        engine = self.version.engine
        if name not in engine.inputs:
            raise RefusedError(f"{name[:60]!r}: no such input")
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        size = engine.inputs[name].stop - engine.inputs[name].start
        if len(numbers) == 1:
            numbers = np.repeat(numbers, size)
        if len(numbers) != size or not np.isfinite(numbers).all():
            raise RefusedError(f"{name} = {values!r:.60}: {size} finite number(s) are needed")
        self._did(_Act(self.tick, name, numbers))

    def change(self, changes: Mapping[Endpoint, Any], file: DiagramFile | None = None) -> None:
        """Go on with another version of the diagram, which carries its states over.

        Raises:
            ConfigError: If it cannot run; the one before does then.
        """
        after, _ = self.version.changed(changes, file)
        Successor(self.version, after).carry_over()
        moment = _Moment(after, after.engine.snapshot())
        self._did(_Act(self.tick, "", np.empty(0), moment))
        self.fault = None
        self._held = self._holds()

    def _did(self, act: _Act) -> None:
        """Do it now; nothing that was to come is left."""
        same = act.tick, act.name or None
        earlier = (one for one in self._acts if one.tick <= act.tick)
        self._acts = [one for one in earlier if (one.tick, one.name) != same]
        self._acts.append(act)
        while len(self._kept) > 1 and self._kept[-1].state.tick >= act.tick:
            self._kept.pop()
        self._do(act)

    def stop_when(self, condition: Condition | None) -> None:
        """Stop in `step` each time that a condition begins to hold; None: never.

        Raises:
            RefusedError: If there is no such output.
        """
        if condition is not None:
            condition.check(len(self.values(condition.path, condition.port)))
        self._condition = condition
        self._place()
        self._held = self._holds()

    def _holds(self) -> bool:
        if self._condition is None or self._judged is None:
            return False
        return self._condition.holds(self.version.engine.values[self._judged])

    # What is seen.

    def values(self, path: str, port: str) -> NDArray[np.float64]:
        """Numbers of an output now, row after row.

        Raises:
            RefusedError: If there is none.
        """
        try:
            return self.version.engine.port(path, port)
        except KeyError:
            raise RefusedError(f"{path[:60]}.{port[:60]}: no such output") from None

    def type_of(self, path: str, port: str) -> FoundType | None:
        """Type of an output; None if there is none."""
        sound = self.version.sound
        source = source_of_port(sound.flat, path, port)
        return None if source is None else sound.types[source]

    def _found(self, end: Endpoint) -> slice | None:
        """Where the numbers of an output stand; None if there is none."""
        try:
            return self.version.engine.place(*end)
        except KeyError:
            return None

    def _size(self, end: Endpoint) -> int:
        """How many numbers an output has; 0 if there is none."""
        place = self._found(end)
        return 0 if place is None else place.stop - place.start

    def watch(self, ends: Iterable[Endpoint]) -> None:
        """Keep the past of these outputs, and of no other; what is known of it is there at once.

        With FMUs nothing is known of what was not watched.
        """
        wanted = [end for end in dict.fromkeys(ends) if self._size(end)]
        fresh = {end: Trace(self._size(end), self._most) for end in wanted
                 if end not in self._traces}  # fmt: skip
        self._traces = {end: fresh.get(end) or self._traces[end] for end in wanted}
        self._place()
        if fresh and self.goes_back:
            self._recall(fresh)

    def _recall(self, ends: Iterable[Endpoint]) -> None:
        """Compute once more what is kept, to know what outputs had."""
        now = self._now()
        self._enter(self._kept[0])
        self._do_again()
        while self.tick < now.state.tick:
            self._next()
            self._append(ends)
        self._enter(now)

    def trace(self, path: str, port: str) -> Trace | None:
        """The past of an output that is watched; None if it is not."""
        return self._traces.get((path, port))
