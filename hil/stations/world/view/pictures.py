"""Pictures by a separate process: this side loads neither OpenGL nor the engine."""

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
"""Libraries of OpenGL without a screen, in the order in which they are tried."""
LIMIT_S: Final = 30.0
"""Longest wait for an answer [s]: the first loads the engine, a fine picture takes seconds."""
PIPE_BYTES: Final = 1 << 20
"""Size of the pipes between the processes [bytes], if the system permits it."""

Bytes = NDArray[np.uint8]
Positions = Sequence[float] | NDArray[np.float64]


class PicturesError(RefusedError):
    """Failure to draw a picture; the text says why."""


class _NoOpenglError(PicturesError):
    """Failure of one OpenGL library."""


class PictureProcess:
    """Process that draws one model.

    Args:
        order: model, views and size of the pictures.
        limit_s: longest wait for an answer [s].
        environment: variables laid over those of this process.
        now_s: monotonic time [s].

    Raises:
        PicturesError: if there is no OpenGL, the engine does not take the model, or no answer comes
        within the limit.
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
        """Model, views and size of the pictures."""
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
        self._read_into(HEAD.size)

    @property
    def pid(self) -> int:
        """Process identifier."""
        return self._child.pid

    def draw(self, positions: Positions) -> Bytes:
        """Draw a state from every view, shape (views, height, width, 3).

        Raises:
            PicturesError: if it does not come within the limit; the process is ended then.
        """
        return next(self.film((positions,)))

    def film(self, states: Iterable[Positions]) -> Iterator[Bytes]:
        """Draw states in their order; while one picture is used the next is drawn.

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
        """Body of the next message, which must be of this kind."""
        end_s = self._now_s() + self._limit_s
        while (answer := self._next()) is None:
            left_s = end_s - self._now_s()
            if left_s <= 0.0:
                raise PicturesError(f"no picture within {self._limit_s:g} s: machine too busy?")
            if not self._pump(left_s):
                status = self._child.end(patience_s=1.0)
                raise PicturesError(f"the process that draws ended (exit status {status})")
        kind, body = answer
        if kind in (FAILED, NO_OPENGL):
            refusal = PicturesError if kind == FAILED else _NoOpenglError
            raise refusal(body.tobytes().decode(errors="replace"))
        if kind != wanted or (kind == PICTURE and body.size != self.order.size):
            raise PicturesError(f"answer {kind!r} of {body.size} bytes: wanted {wanted!r}")
        return body

    def _next(self) -> tuple[bytes, Bytes] | None:
        """Next complete message; each is read into a buffer of its own size."""
        if self._received < self._place.size:
            return None
        if self._kind is None:
            try:
                self._kind, length = head(self._place.tobytes())
            except WireError as error:
                raise PicturesError(str(error)) from None
            self._read_into(length)
            return self._next()
        kind, body = self._kind, self._place
        self._kind = None
        self._read_into(HEAD.size)
        return kind, body

    def _read_into(self, size: int) -> None:
        self._place, self._received = np.empty(size, np.uint8), 0

    def _pump(self, most_s: float) -> bool:
        """Send and receive what can be, waiting for some of it; whether the process still answers.

        Both at once: it does not read while nobody takes its pictures.
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
            count = os.readv(answers.fileno(), [self._place.data[self._received :]])
            self._received += count
            return count > 0
        return True
