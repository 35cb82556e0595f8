"""What was asked of a bench, by number, and why the last wish did nothing."""

from collections.abc import Callable

from hil.desk.messages import Answer
from hil.desk.operation import Operation


class BenchRequests:
    """Questions that are on their way, and the latest reason why nothing was done."""

    def __init__(self, next_id: Callable[[], int]) -> None:
        self._next_id = next_id
        self._asked: dict[int, str] = {}
        self._refused, self._what = "", ""

    def ask(self, what: str) -> int:
        """The number of a question."""
        number = self._next_id()
        self._asked[number] = what
        return number

    @property
    def refused(self) -> str:
        """Why the last wish did nothing; empty if it did."""
        return f"{self._what}: {self._refused}" if self._what else self._refused

    def refuse(self, what: str, why: str) -> None:
        """Note that something was not even asked."""
        self._what, self._refused = what, why

    def forget(self) -> None:
        """Something new is asked: what became of the last is not of interest any more."""
        self._what = self._refused = ""

    def answered(self, answer: Answer) -> None:
        """Hear the desk's answer to a question."""
        what = self._asked.pop(answer.id, None)
        if what is None:
            return
        if not answer.ok:
            self.refuse(what, answer.error)
        elif self._what == what:
            self.forget()  # it was asked once more, and now it is done

    def update(self, before: Operation, now: Operation) -> None:
        """Hear control: its word on a press replaces that on the one before."""
        if now.refused != before.refused or now.seen != before.seen:
            self._what, self._refused = "", str(now.refused)
