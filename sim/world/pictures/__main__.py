"""The process that draws: ``python -m sim.world.pictures egl`` (or ``osmesa``).

It is spoken to as `sim.world.pictures.wire` says. The engine is loaded with the OpenGL of choice,
and nothing but answers goes to standard output.
"""

import os
import signal
import sys
from typing import IO, Final

import numpy as np

from sim.world.pictures.wire import (
    FAILED,
    HEAD,
    NO_OPENGL,
    ORDER,
    PICTURE,
    READY,
    STATE,
    PictureOrder,
    WireError,
    message,
    read_message,
)

PACKAGES: Final = {"egl": "libegl1 libegl-mesa0 libgl1-mesa-dri", "osmesa": "libosmesa6"}
"""Of Debian, that bring each OpenGL without a screen."""


class _NoOpenglError(Exception):
    """OpenGL cannot be had by a library; the text says how it could."""


def main(library: str) -> int:
    """Draw until the input ends.

    Args:
        library: a key of `PACKAGES`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the other side's
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    os.environ["PYOPENGL_PLATFORM"] = library
    try:
        _serve(sys.stdin.buffer, answers, library)
    except BrokenPipeError:
        return 1
    except _NoOpenglError as error:
        _write(answers, message(NO_OPENGL, str(error).encode()))
        return 1
    except WireError as error:
        _write(answers, message(FAILED, str(error).encode()))
        return 1
    return 0


def _serve(orders: IO[bytes], answers: IO[bytes], library: str) -> None:
    given = read_message(orders)
    if given is None:
        return
    if given[0] != ORDER:
        raise WireError(f"message {given[0]!r}: an order {ORDER!r} comes first")
    order = PictureOrder.from_json(given[1])
    # Imported here: whatever speaks of OpenGL comes after the choice of it.
    from sim.world.pictures.drawing import Drawing

    try:
        drawing = Drawing(order, library)
    except WireError:
        raise
    except Exception as error:
        if _names_engine(error.__cause__):
            raise WireError(str(error)) from None
        said = " ".join(str(error).split()) or type(error).__name__
        problem = f"no OpenGL by {library} (apt install {PACKAGES[library]}): {said}"
        raise _NoOpenglError(problem) from None
    _write(answers, message(READY, library.encode()))
    while (given := read_message(orders)) is not None:
        if given[0] != STATE or len(given[1]) % 8:
            raise WireError(f"message {given[0]!r} of {len(given[1])} bytes: no state")
        picture = drawing.draw(np.frombuffer(given[1], "<f8"))
        _write(answers, HEAD.pack(PICTURE, picture.nbytes))
        _write(answers, picture.data.cast("B"))


def _names_engine(cause: BaseException | None) -> bool:
    """Whether the engine itself is absent, and not what it draws by."""
    return isinstance(cause, ModuleNotFoundError) and cause.name == "mujoco"


def _write(answers: IO[bytes], data: bytes | memoryview) -> None:
    rest = memoryview(data)
    while rest:  # unbuffered: a pipe takes a part
        rest = rest[answers.write(rest) or 0 :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
