"""The process of a live window: ``python -m sim.world.viewer``.

Its protocol is that of `sim.world.viewer.wire`. It ends at once when its work is done: the screen's
library cannot be left in order while the window's thread still draws.
"""

from __future__ import annotations

import os
import select
import signal
from typing import TYPE_CHECKING, Final

from sim.world.pictures.wire import HEAD, WireError, head, message
from sim.world.viewer.wire import (
    CLOSED,
    FAILED,
    LET_GO,
    LOOK,
    MODEL,
    NO_WINDOW,
    READY,
    ViewedModel,
    ViewerState,
    key_message,
)

if TYPE_CHECKING:
    from sim.world.viewer.window import LiveWindow

TURN_S: Final = 1.0 / 60.0
"""Least time between two pictures."""


class _Orders:
    """Messages from standard input, taken as they come."""

    def __init__(self) -> None:
        self._received = bytearray()
        self.ended: bool = False
        """Whether the other side has closed the pipe."""

    def take(self, most_s: float | None) -> list[tuple[bytes, bytes]]:
        """Return the messages after some time, or after the first one without a limit."""
        if select.select([0], [], [], most_s)[0]:
            data = os.read(0, 1 << 20)
            self.ended = not data
            self._received += data
        found: list[tuple[bytes, bytes]] = []
        while len(self._received) >= HEAD.size:
            kind, length = head(bytes(self._received[: HEAD.size]))
            end = HEAD.size + length
            if len(self._received) < end:
                break
            found.append((kind, bytes(self._received[HEAD.size : end])))
            del self._received[:end]
        return found


def main() -> int:
    """Show a window until it or the input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the other side's
    os.environ.pop("PYOPENGL_PLATFORM", None)  # of pictures without a screen
    answers = os.dup(1)
    os.dup2(2, 1)
    # Imported here: the engine reads by what it draws when it is loaded.
    from sim.world.engine.library import EngineMissingError
    from sim.world.viewer.window import NoWindowError

    last = message(CLOSED, b"")
    try:
        _serve(answers)
    except BrokenPipeError:
        return 1
    except NoWindowError as error:
        last = message(NO_WINDOW, str(error).encode())
    except (WireError, EngineMissingError) as error:
        last = message(FAILED, str(error).encode())
    os.write(answers, last)
    return 0


def _serve(answers: int) -> None:
    orders = _Orders()
    waiting: list[tuple[bytes, bytes]] = []
    while not waiting:
        waiting = orders.take(None)
        if orders.ended:
            return
    kind, body = waiting.pop(0)
    if kind != MODEL:
        raise WireError(f"message {kind!r}: a model {MODEL!r} comes first")
    from sim.world.viewer.window import LiveWindow

    window = LiveWindow(
        ViewedModel.from_json(body), lambda key: os.write(answers, key_message(key))
    )
    os.write(answers, message(READY, b""))
    last_push = LET_GO
    while window.is_open and not orders.ended:
        _follow(window, waiting)
        push = window.turn()
        if push.body or push != last_push:
            os.write(answers, push.to_bytes())
        last_push = push
        waiting = orders.take(TURN_S)
    window.close()


def _follow(window: LiveWindow, orders: list[tuple[bytes, bytes]]) -> None:
    """Take models in their order, and of states that follow the last one the newest."""
    newest = None
    for kind, body in orders:
        if kind == MODEL:
            window.change(ViewedModel.from_json(body))
            newest = None
        elif kind == LOOK:
            newest = body
        else:
            raise WireError(f"message {kind!r}: neither model nor state")
    if newest is not None:
        window.show(ViewerState.from_body(newest))


if __name__ == "__main__":
    os._exit(main())
