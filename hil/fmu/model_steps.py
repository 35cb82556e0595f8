"""A model a cycle at a time: its step for the next cycle is asked for, and read when it is due.

So its time is the run's: after n cycles it has done n steps, and nothing waits for it. An answer
that is late is waited for by going on without it, cycle by cycle, until the deadline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from hil.fmu.wire import StepAnswer, StepStatus

VIRTUAL_WAIT_S: Final = 5.0
"""Where no time passes for the run, an answer is waited for so long [s]."""


class ModelSteps(Protocol):
    """What does the steps: `hil.fmu.process.ModelProcess`, or what stands in for it in a test."""

    def ask(self, index: int, inputs: tuple[float, ...]) -> None:
        """Ask for the step with this number."""
        ...

    def take(self) -> StepAnswer | None:
        """Its answer, if there is one."""
        ...

    def wait(self, longest_s: float) -> StepAnswer:
        """Its answer, waited for [s]."""
        ...

    def give_up(self, after_s: float) -> StepAnswer:
        """End it, because it is too late [s]; the answer that says so."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model says in one cycle."""

    values: tuple[float, ...]
    """Its outputs; the newest there are."""
    index: int
    """Steps of the bench after which they are so."""
    fresh: bool
    """Whether they are new in this cycle."""
    late: int
    """Cycles so far that had to go on without their answer."""
    failure: StepAnswer | None
    """Why nothing new will come; None while all is well."""
    share: float = 1.0
    """How much of the way to the next values has passed, where a step takes several cycles."""


class Stepping:
    """Asks and reads.

    Args:
        steps: what does them; it has said its initial values.
        first: those.
        deadline_s: an answer that takes longer is none [s].
        virtual: whether no time passes for the run: then each answer is waited for.
        cycles: in which one step is due.
    """

    def __init__(
        self,
        steps: ModelSteps,
        first: StepAnswer,
        deadline_s: float,
        *,
        virtual: bool,
        cycles: int = 1,
    ) -> None:
        self._steps, self._deadline_s, self._virtual = steps, deadline_s, virtual
        self._newest = first
        self._cycles, self._passed = cycles, 0
        self._asked = 0
        self._asked_s = 0.0
        self._late = 0
        self._said = False
        self._failure: StepAnswer | None = None

    def poll(self, now_s: float, inputs: tuple[float, ...], *, go_on: bool = True) -> Reading:
        """One cycle: read what is due, and ask for the next step.

        Args:
            now_s: on the clock of the run [s].
            inputs: of the next step, finite.
            go_on: whether there is to be a next step; the model stands still otherwise.
        """
        if self._failure is not None:
            return self._reading(fresh=False)
        self._passed += self._asked > self._newest.index
        due = self._asked > self._newest.index and self._passed >= self._cycles
        fresh, self._said = not self._said, True
        if due:
            fresh = self._read(now_s)
        if self._failure is None and go_on and self._asked == self._newest.index:
            self._asked += 1
            self._passed = 0
            self._asked_s = now_s
            self._steps.ask(self._asked, inputs)
        return self._reading(fresh=fresh)

    def _read(self, now_s: float) -> bool:
        answer = self._steps.wait(VIRTUAL_WAIT_S) if self._virtual else self._steps.take()
        if answer is None:
            if now_s - self._asked_s <= self._deadline_s:
                self._late += 1
                return False
            answer = self._steps.give_up(self._deadline_s)
        if answer.status is StepStatus.OK and answer.index != self._asked:
            answer = StepAnswer(StepStatus.CRASHED, answer.index, (), "answered another step")
        if answer.status is not StepStatus.OK:
            self._failure = answer
            return False
        self._newest = answer
        return True

    def _reading(self, *, fresh: bool) -> Reading:
        newest = self._newest
        share = min(1.0, self._passed / self._cycles)
        return Reading(newest.values, newest.index, fresh, self._late, self._failure, share)
