"""Pictures by a process of their own: this side loads neither OpenGL nor the engine."""

from __future__ import annotations

import fcntl
import os
import select
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.ipc.child import DEVNULL, PIPE, ROOT, start_child
from hil.timing.realtime import RealClock
from sim.world.pictures.wire import (
    FAILED,
    HEAD,
    NO_OPENGL,
    ORDER,
    PICTURE,
    READY,
    PictureOrder,
    WireError,
    head,
    message,
    state_message,
)

LIBRARIES: Final = ("egl", "osmesa")
"""OpenGL without a screen, in the order in which it is tried."""
LIMIT_S: Final = 30.0
"""For one answer: the first loads the engine, a fine picture on a busy machine takes seconds."""
PIPE_BYTES: Final = 1 << 20
"""That wait between the processes, if the system lets them."""

Bytes = NDArray[np.uint8]
Positions = Sequence[float] | NDArray[np.float64]


class PicturesError(RefusedError):
    """No picture could be had; the text says why."""


class _NoOpenglError(PicturesError):
    """It cannot be had by one library."""


class PictureProcess:
    """A process that draws one model.

    Args:
        order: what it draws, and how.
        limit_s: for an answer.
        environment: variables laid over this process' own.
        now_s: time on a clock that only goes on.

    Raises:
        PicturesError: if there is no OpenGL, the engine does not take the model, or nothing is
            answered within the limit.
    """

    def __init__(
        self,
        order: PictureOrder,
        *,
        limit_s: float = LIMIT_S,
        environment: Mapping[str, str] | None = None,
        now_s: Callable[[], float] | None = None,
    ) -> None:
        self.order = order
        """What it draws, and how."""
        self._limit_s, self._now_s = limit_s, now_s or RealClock().now_s
        reasons: list[str] = []
        for library in LIBRARIES:
            self._start(library, environment)
            try:
                self._wait(READY)
            except _NoOpenglError as error:
                reasons.append(str(error))
                self.close()
            except BaseException:
                self.close()
                raise
            else:
                self.library = library
                """By which it draws."""
                return
        raise PicturesError("pictures need OpenGL:\n" + "\n".join(reasons))

    def _start(self, library: str, environment: Mapping[str, str] | None) -> None:
        self._child = start_child(
            ("-m", "sim.world.pictures", library),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, environment=environment, folder=ROOT,
        )  # fmt: skip
        self._ends = cast("IO[bytes]", self._child.stdin), cast("IO[bytes]", self._child.stdout)
        for end in self._ends:
            os.set_blocking(end.fileno(), False)
            with suppress(OSError):
                fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._unsent = memoryview(message(ORDER, self.order.to_json()))
        self._kind: bytes | None = None
        self._owed = 0
        self._hear_into(HEAD.size)

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._child.pid

    def draw(self, positions: Positions) -> Bytes:
        """A state's picture of every view, shape (views, height, width, 3).

        Raises:
            PicturesError: if there is none within the limit; the process is ended then.
        """
        return next(self.film((positions,)))

    def film(self, states: Iterable[Positions]) -> Iterator[Bytes]:
        """Pictures of states, in their order; while one is used the next is drawn.

        Raises:
            PicturesError: if one does not come within the limit; the process is ended then.
        """
        while self._owed:  # a film that was left before its end
            self._picture()
        for positions in states:
            self._unsent = memoryview(bytes(self._unsent) + state_message(positions))
            self._owed += 1
            if self._owed > 1:
                yield self._picture()
            else:
                self._pump(0.0)
        if self._owed:
            yield self._picture()

    def close(self) -> None:
        """End the process; harmless when repeated."""
        self._child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _picture(self) -> Bytes:
        try:
            body = self._wait(PICTURE)
        except PicturesError:
            self.close()
            raise
        self._owed -= 1
        return body.reshape(self.order.shape)

    def _wait(self, wanted: bytes) -> Bytes:
        """The body of the next message, which is of a kind."""
        end_s = self._now_s() + self._limit_s
        while (heard := self._next()) is None:
            left_s = end_s - self._now_s()
            if left_s <= 0.0:
                raise PicturesError(f"no picture within {self._limit_s:g} s: machine too busy?")
            if not self._pump(left_s):
                status = self._child.end(patience_s=1.0)
                raise PicturesError(f"the process that draws ended (exit status {status})")
        kind, body = heard
        if kind in (FAILED, NO_OPENGL):
            refusal = PicturesError if kind == FAILED else _NoOpenglError
            raise refusal(body.tobytes().decode(errors="replace"))
        if kind != wanted or (kind == PICTURE and body.size != self.order.size):
            raise PicturesError(f"answer {kind!r} of {body.size} bytes: wanted {wanted!r}")
        return body

    def _next(self) -> tuple[bytes, Bytes] | None:
        """A message that is there as a whole; each is heard into a place of its own size."""
        if self._heard < self._place.size:
            return None
        if self._kind is None:
            try:
                self._kind, length = head(self._place.tobytes())
            except WireError as error:
                raise PicturesError(str(error)) from None
            self._hear_into(length)
            return self._next()
        kind, body = self._kind, self._place
        self._kind = None
        self._hear_into(HEAD.size)
        return kind, body

    def _hear_into(self, size: int) -> None:
        self._place, self._heard = np.empty(size, np.uint8), 0

    def _pump(self, most_s: float) -> bool:
        """Send and hear what can be, waiting for some of it; whether the process still speaks.

        Both at once: it does not listen while nobody takes its pictures.
        """
        orders, answers = self._ends
        sending = [orders] if self._unsent else []
        try:
            readable, writable, _ = select.select([answers], sending, [], most_s)
        except ValueError:  # closed
            return False
        if writable:
            try:
                self._unsent = self._unsent[os.write(orders.fileno(), self._unsent) :]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                self._unsent = memoryview(b"")
        if readable:
            count = os.readv(answers.fileno(), [self._place.data[self._heard :]])
            self._heard += count
            return count > 0
        return True
