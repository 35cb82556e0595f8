"""Live window by a separate process: this side loads no OpenGL and waits for no picture."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final, Self, cast

from hil.config.errors import RefusedError
from hil.ipc.child import DEVNULL, PIPE, ROOT, start_child
from hil.timing.realtime import RealClock
from sim.world.pictures.wire import HEAD, WireError, head, message
from sim.world.viewer.wire import (
    CLOSED,
    FAILED,
    KEY,
    MODEL,
    NO_WINDOW,
    PUSH,
    READY,
    MousePush,
    ViewedModel,
    ViewerState,
    key_of,
    state_bytes,
)

if TYPE_CHECKING:
    from sim.world.engine.world import WorldSnapshot

NO_SCREEN: Final = "no_screen"
"""Code of a `ViewerError`: there is no screen, or no OpenGL on it."""
LIMIT_S: Final = 30.0
"""Longest wait for the window to open [s]."""
REMEDY: Final = (
    "a live window needs a screen with OpenGL (DISPLAY; apt install libgl1 libgl1-mesa-dri) and "
    "pip install hil-bench[world]"
)
Act = int | MousePush
"""Act of the user: a key by its number in GLFW, or a pull at a body."""


class ViewerError(RefusedError):
    """Failure of the window; the text says why."""


class ViewerProcess:
    """Process that shows one world in a window.

    Args:
        model: model that it shows first.
        limit_s: longest wait for it to open [s].
        environment: variables laid over those of this process.
        now_s: monotonic time [s].

    Raises:
        ViewerError: if it does not open.
    """

    def __init__(
        self,
        model: ViewedModel,
        *,
        limit_s: float = LIMIT_S,
        environment: Mapping[str, str] | None = None,
        now_s: Callable[[], float] | None = None,
    ) -> None:
        self._now_s = now_s or RealClock().now_s
        self._child = start_child(
            ("-m", "sim.world.viewer"), stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            environment=environment, folder=ROOT,
        )  # fmt: skip
        self._ends = cast("IO[bytes]", self._child.stdin), cast("IO[bytes]", self._child.stdout)
        for end in self._ends:
            os.set_blocking(end.fileno(), False)
        self._unsent = memoryview(b"")
        self._received = bytearray()
        self._is_ready = False
        self.is_open: bool = True
        """Whether the window is still open."""
        self.failure: str = ""
        """Reason why an open window is gone without its user; empty if it is not."""
        self.change(model)
        try:
            self._open(limit_s)
        except BaseException:
            self.close()
            raise

    def _open(self, limit_s: float) -> None:
        end_s = self._now_s() + limit_s
        while not self._is_ready:
            left_s = end_s - self._now_s()
            if left_s <= 0.0:
                raise ViewerError(f"no window within {limit_s:g} s: machine too busy?")
            self.take(left_s)
            if not self.is_open:
                status = self._child.end(patience_s=1.0)
                raise ViewerError(f"the window's process ended (exit status {status}); {REMEDY}")

    @property
    def pid(self) -> int:
        """Process identifier."""
        return self._child.pid

    def change(self, model: ViewedModel) -> None:
        """Show another model from the next state on."""
        self._unsent = memoryview(bytes(self._unsent) + message(MODEL, model.to_json()))

    def show(self, snapshot: WorldSnapshot, speed: float, *, paused: bool, words: str = "") -> bool:
        """Show a state, unless an earlier one is still being drawn: nothing waits for a picture.

        Returns:
            Whether it is sent.
        """
        self._send()
        if self._unsent or not self.is_open:
            return False
        state = state_bytes(snapshot.state, snapshot.model)
        self._unsent = memoryview(ViewerState(speed, paused, words, state).to_bytes())
        self._send()
        return True

    def take(self, most_s: float = 0.0) -> list[Act]:
        """Acts in the window since the last call, waiting at most so long for one.

        A window that cannot continue is closed, and `failure` says why.

        Raises:
            ViewerError: if it never opened.
        """
        try:
            return self._take(most_s)
        except ViewerError as error:
            self.is_open = False
            if not self._is_ready:
                raise
            self.failure = str(error)
            return []

    def _take(self, most_s: float) -> list[Act]:
        orders, answers = self._ends
        sending = [orders] if self._unsent else []
        try:
            readable, writable, _ = select.select([answers], sending, [], max(most_s, 0.0))
        except ValueError:  # closed
            self.is_open = False
            return []
        if writable:
            self._send()
        if not readable:
            return self._acts()
        data = os.read(answers.fileno(), 1 << 16)
        self._received += data
        acts = self._acts()
        if self.is_open and not data:  # a window that a person closes says so before its end
            self.is_open = False
            self.failure = "the window's process ended by itself" if self._is_ready else ""
        return acts

    def close(self) -> None:
        """End it; harmless when repeated."""
        self.is_open = False
        self._child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self) -> None:
        if not self._unsent:
            return
        with suppress(BlockingIOError):
            try:
                self._unsent = self._unsent[os.write(self._ends[0].fileno(), self._unsent) :]
            except (BrokenPipeError, ValueError):
                self._unsent = memoryview(b"")

    def _acts(self) -> list[Act]:
        found: list[Act] = []
        try:
            while len(self._received) >= HEAD.size:
                kind, length = head(bytes(self._received[: HEAD.size]))
                end = HEAD.size + length
                if len(self._received) < end:
                    break
                body = bytes(self._received[HEAD.size : end])
                del self._received[:end]
                if (act := self._obey(kind, body)) is not None:
                    found.append(act)
        except WireError as error:
            raise ViewerError(f"the window said nonsense: {error}") from None
        return found

    def _obey(self, kind: bytes, body: bytes) -> Act | None:
        match kind:
            case kind if kind == READY:
                self._is_ready = True
            case kind if kind == KEY:
                return key_of(body)
            case kind if kind == PUSH:
                return MousePush.from_body(body)
            case kind if kind == CLOSED:
                self.is_open = False
            case kind if kind in (FAILED, NO_WINDOW):
                self.is_open = False
                why = body.decode(errors="replace")
                if kind == NO_WINDOW:
                    raise ViewerError(f"{why}; {REMEDY}", NO_SCREEN)
                raise ViewerError(why)
            case _:
                raise WireError(f"message {kind!r}")
        return None
