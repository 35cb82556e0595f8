"""``hil panel``: the operator's window. Qt is loaded once what it needs is known to be there."""

import ctypes
import importlib.util
import os
import socket
import sys
from typing import Annotated

import typer

from hil.cli.command_summaries import BenchSummary, PanelSummary
from hil.config.errors import ConfigError, RefusedError
from hil.terminal.console import Json, print_json, verb

NEEDED = ("PySide6", "pyqtgraph")
WITHOUT_SCREEN = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")
"""Qt platforms that need no display server."""

WhatArg = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO|RUN",
        help="A scenario, ready to run; or the folder of a run or its .mcap, to be replayed. "
        "Nothing: the bench that runs, else the list of scenarios.",
    ),
]


@verb
def panel(what: WhatArg = None, as_json: Json = False) -> None:
    """Open the operator's window: watch and lead a bench, or replay what was recorded.

    The window is a process of its own: it asks the bench, and can neither delay nor move it by
    dying. With --json it prints what it would open, and opens nothing.
    """
    from hil.panel.shell.models.start_view import start_view_of

    opening = start_view_of(what)
    if as_json:
        print_json(
            PanelSummary(
                ok=True,
                opens=opening.what,
                path=None if opening.path is None else str(opening.path),
                station=opening.station or None,
                benches=[
                    BenchSummary(name=place.name, pid=place.pid, path=str(place.path))
                    for place in opening.benches
                ],
            )
        )
        return
    require_extra()
    require_display()
    from hil.panel.shell.app import run_panel

    raise typer.Exit(run_panel(opening))


def require_extra() -> None:
    """Refuse to go on without the packages that draw, and say how they are had."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            "panel",
            [
                "the panel needs PySide6 and pyqtgraph: pip install hil-bench[panel] "
                f"(missing: {', '.join(missing)})"
            ],
        )
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        raise ConfigError(
            "panel",
            [f"PySide6 does not load: {error}; `make panel-packages` lists the system's packages"],
        ) from error


def require_display() -> None:
    """Refuse to go on without a screen, where Qt would abort; say what would be right."""
    if os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0] in WITHOUT_SCREEN:
        return
    if sys.platform != "linux" or os.environ.get("WAYLAND_DISPLAY"):
        return
    display = os.environ.get("DISPLAY", "")
    if not display:
        raise RefusedError(
            "no display: neither DISPLAY nor WAYLAND_DISPLAY is set; start the panel in a desktop "
            "session, through `ssh -X`, or on a virtual screen with `xvfb-run`"
        )
    if not _answers(display):
        raise RefusedError(
            f"no display: nothing answers at DISPLAY={display}; need a running X server, such as "
            "`xvfb-run` starts"
        )
    try:
        ctypes.CDLL("libxcb-cursor.so.0")
    except OSError:
        raise RefusedError(
            "libxcb-cursor.so.0 is not installed, without which Qt opens no window: "
            "apt install libxcb-cursor0 (`make panel-packages` lists them all)"
        ) from None


def _answers(display: str) -> bool:
    """Whether an X server listens at a display such as ``:0``, ``host:10.0`` (X(7))."""
    host, _, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not number.isdecimal():
        return False
    try:
        if host in ("", "unix") or host.startswith("/"):
            return _answers_locally(int(number))
        with socket.create_connection((host, 6000 + int(number)), timeout=5.0):
            return True
    except (OSError, OverflowError):
        return False


def _answers_locally(number: int) -> bool:
    for place in (f"\0/tmp/.X11-unix/X{number}", f"/tmp/.X11-unix/X{number}"):  # noqa: S108 X(7)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(place)
            except OSError:
                continue
            return True
    return False
