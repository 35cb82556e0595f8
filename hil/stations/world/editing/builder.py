"""The process that reads, checks and compiles changed documents while a run goes on.

It polls a file itself, too, and builds it each time that it is saved; so the loop of the run only
takes what has come, without waiting.
"""

from __future__ import annotations

import fcntl
import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self, cast

from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import GIVEN
from hil.ipc.child import DEVNULL, PIPE, SINGLE_THREADED, start_child
from hil.run.edit_texts import EditRefusedError, EditText
from hil.stations.world.editing.bench_swap import swapped
from hil.stations.world.editing.editor import EditAnswer, answered
from hil.stations.world.editing.plans import plan_from_header
from hil.stations.world.editing.wire import (
    ANSWER,
    BEGIN,
    EDIT,
    READY,
    MessageReader,
    answer_from,
    answer_message,
    message,
)
from hil.stations.world.plan.document_texts import document_text

if TYPE_CHECKING:
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.plan.scenario import WorldPlan

LOOK_S: Final = 0.1
"""Period at which a watched file is polled [s]."""
START_S: Final = 60.0
"""Longest start of the process [s]."""
PIPE_BYTES: Final = 1 << 20
"""Size asked of a pipe [bytes]: a model goes through in one piece."""
READ_BYTES: Final = 1 << 20
"""Most that one read takes [bytes]."""


class BuilderProcess:
    """Builds documents for one run; edits come from a file that is saved, and from `offer`.

    Args:
        plan: plan of the run.
        watched: name of the document to poll, as the scenario names its robot; empty for none.

    Raises:
        RefusedError: if the process does not begin.
    """

    def __init__(self, plan: WorldPlan, watched: str = "") -> None:
        self._reader = MessageReader()
        self._asked = 0
        self._lost = ""
        self._child = start_child(
            ("-m", "hil.stations.world.editing.builder"), stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            environment=SINGLE_THREADED,
        )  # fmt: skip
        begin = {"plan": plan.to_table(), "watched": watched, "beside": plan.scenario_file}
        begin["given"] = GIVEN.has("robot", watched)
        self._child.send(message(BEGIN, begin))
        try:
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def _await_ready(self) -> None:
        for end in (self._child.stdin, self._child.stdout):
            if end is not None:
                with suppress(OSError):
                    fcntl.fcntl(end.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._answers = cast("IO[bytes]", self._child.stdout).fileno()
        if not select.select([self._answers], [], [], START_S)[0]:
            raise RefusedError(f"edits: their process did not begin within {START_S:g} s")
        while (found := self._reader.next()) is None:
            if not (data := os.read(self._answers, READ_BYTES)):
                status = self._child.end(1.0)
                raise RefusedError(f"edits: their process ended (exit status {status})")
            self._reader.feed(data)
        self._rehearsal = answer_from(found[1], found[2])
        os.set_blocking(self._answers, False)

    def rehearse(self, bench: WorldBench) -> None:
        """Put the plan's own document into a copy of a bench, so that all is loaded that it takes.

        Raises:
            RefusedError: if that cannot be; then no edit can.
        """
        try:
            if self._rehearsal.built is None:
                raise EditRefusedError(*self._rehearsal.faults)
            swapped(bench, self._rehearsal.built)
        except EditRefusedError as error:
            raise RefusedError(f"edits: {error}") from None

    @property
    def pid(self) -> int:
        """Process identifier."""
        return self._child.pid

    def offer(self, edit: EditText) -> None:
        """Build a document; it is taken once that is done."""
        self._asked += 1
        self._child.send(message(EDIT, asdict(edit)))

    def due(self, index: int) -> EditAnswer | None:
        """Next answer that has come since, or None."""
        if self._lost:
            return None
        with suppress(BlockingIOError):
            data = os.read(self._answers, READ_BYTES)
            if not data:
                self._lost = f"edits: their process ended (exit status {self._child.end(0.1)})"
                return None
            self._reader.feed(data)
        found = self._reader.next()
        if found is None or found[0] != ANSWER:
            return None
        self._asked = max(0, self._asked - 1)
        return answer_from(found[1], found[2])

    def left(self) -> tuple[str, ...]:
        """Reports of documents that were not built in time, and of a process that has ended."""
        lost = (self._lost,) if self._lost else ()
        return (*lost, *(["an edit: the run was over before it was built"] * bool(self._asked)))

    def close(self) -> None:
        """End the process; harmless when repeated."""
        self._child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Watch:
    """Poll of a document's text for changes."""

    def __init__(self, name: str, beside: Path) -> None:
        self._name, self._beside = name, beside
        self._last = self._text()

    def changed(self) -> EditText | None:
        """Text that was saved since, or None; a file that is gone for a moment is no edit."""
        now = self._text()
        if now is None or now == self._last:
            return None
        self._last = now
        return now

    def _text(self) -> EditText | None:
        try:
            return document_text(self._name, key="robot", beside=self._beside)
        except ConfigError:
            return None


def serve(orders: int, answer: Callable[[bytes], object]) -> None:
    """Build what is asked for, and what is saved, until the end of the orders."""
    reader, plan, watch = MessageReader(), None, None
    while True:
        timeout_s = None if watch is None else LOOK_S
        if select.select([orders], [], [], timeout_s)[0]:
            data = os.read(orders, READ_BYTES)
            if not data:
                return
            reader.feed(data)
        while (found := reader.next()) is not None:
            kind, document, _ = found
            if kind == BEGIN:
                plan = plan_from_header(document["plan"])
                watch = _watch(document)
                warm = answered(plan, EditText(plan.robot_text, plan.robot_file))
                answer(answer_message(warm, READY))  # it has loaded what building needs
            elif kind == EDIT and plan is not None:
                answer(answer_message(answered(plan, EditText(**document))))
        if watch is not None and plan is not None and (edit := watch.changed()) is not None:
            answer(answer_message(answered(plan, edit)))


def _watch(document: Any) -> _Watch | None:
    if document["given"]:  # by a person, to the process that began this one
        GIVEN.take(document["watched"], "robot")
    return _Watch(document["watched"], Path(document["beside"])) if document["watched"] else None


def _write(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(sys.stdout.fileno(), rest) :]


if __name__ == "__main__":
    serve(sys.stdin.fileno(), _write)
