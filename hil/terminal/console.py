"""The console of every verb: output for people or as JSON, and exit status."""

import math
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from enum import IntEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, ParamSpec

import typer
from rich.console import (
    Console,
    ConsoleOptions,
    ConsoleRenderable,
    RenderHook,
    RenderResult,
    RichCast,
)
from rich.segment import Segment
from rich.text import Text

from hil.config.errors import ConfigError, RefusedError
from hil.config.visible_text import visible
from hil.run.station import Checked
from hil.terminal.compile_notice import announce_compiling

P = ParamSpec("P")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

PIPED_WIDTH = 120
SILENCE_S = 1.0
"""Longest wait that is not announced where the output is piped [s]."""


class _Visible:
    """Output stream that makes control characters visible."""

    def __init__(self, inner: ConsoleRenderable | RichCast | str) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text, style, control in console.render(self._inner, options):
            yield Segment(text if control else visible(text), style, control)


class _AllVisible(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Visible(each) for each in renderables]


def _console(*, stderr: bool, width: int | None = None) -> Console:
    """A console on which text is text: no markup, no emoji, no control characters."""
    console = Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)
    console.push_render_hook(_AllVisible())
    return console


out = _console(stderr=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
err = _console(stderr=True)


def styled(style: str, words: str) -> Text:
    """Words in a style, for a line or a cell."""
    return Text(words, style=style)


@contextmanager
def waiting(words: str, *, quiet: bool = False) -> Iterator[None]:
    """Say on standard error what is waited for: at once on a terminal, else after a second.

    Args:
        quiet: say it to nobody on a terminal, whose other output is for a program.
    """
    _waits.append(words)
    try:
        with _said(words, quiet=quiet):
            yield
    finally:
        _waits.pop()


@contextmanager
def _said(words: str, *, quiet: bool) -> Iterator[None]:
    if err.is_terminal:
        with nullcontext() if quiet else err.status(words):
            yield
        return
    late = threading.Timer(SILENCE_S, err.print, (f"{words} …",), {"soft_wrap": True})
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()


class Exit(IntEnum):
    """Exit status of the program."""

    WELL = 0
    REFUSED = 1  # the machine or the motion was refused or tripped
    USAGE = 2  # bad usage or configuration
    FAULT = 3  # an error of the program itself


JSON_FORMAT: Final = 1
"""Version of what `--json` prints; docs/formats.md says what changes it."""


def print_json(value: Mapping[str, Any]) -> None:
    """Print exactly one JSON object with the version of its format; a missing number is null."""
    _printed.append(True)
    sys.stdout.buffer.write(json_text(value) + b"\n")
    sys.stdout.buffer.flush()


def json_text(value: Mapping[str, Any]) -> bytes:
    """Text of what `print_json` prints."""
    import orjson

    option = orjson.OPT_SERIALIZE_NUMPY
    return orjson.dumps({"format": JSON_FORMAT, **value}, _plain, option=option)


def _plain(value: Any) -> Any:
    """A named tuple or a model as a mapping."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no form in JSON")


_printed: list[bool] = []
_waits: list[str] = []
"""Names of what is waited for now."""


def report_bad_usage(arguments: Sequence[str]) -> None:
    """One JSON object for a script whose command line was not understood, if it wanted JSON."""
    if "--json" in arguments and not _printed:
        print_json({"ok": False, "error": "bad usage; standard error says what is wrong"})


def show_recording(path: Path, parts: int) -> None:
    """Print where a recording is, and in how many files if it is not in one."""
    more = f" (and {parts - 1} more, as a recorder was killed; they are read as one)"
    out.print(f"recording: {path}{more if parts > 1 else ''}", soft_wrap=True)


def leave(ok: bool) -> NoReturn:
    """End with the status for good or for refused."""
    raise typer.Exit(Exit.WELL if ok else Exit.REFUSED)


def verb(function: Callable[P, None]) -> Callable[P, None]:
    """Give a command the common end: an error becomes one text (or JSON object) and a status."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        # Loaded before it is needed: without descriptors it could not be any more.
        from hil.recording.header import RecordingError
        from hil.terminal.fault import system_refusal, unforeseen

        try:
            with announce_compiling(lambda words: err.print(words, soft_wrap=True), _waits.__len__):
                function(*args, **kwargs)
        except (ConfigError, RecordingError) as error:
            _end(error, Exit.USAGE, as_json=bool(kwargs.get("as_json")))
        except RefusedError as error:
            _end(error, Exit.REFUSED, as_json=bool(kwargs.get("as_json")))
        except KeyboardInterrupt:
            # A run has its own signals: this is a check, a report or another verb without motion.
            interrupted = RefusedError("interrupted; nothing was moved by it")
            _end(interrupted, Exit.REFUSED, as_json=bool(kwargs.get("as_json")))
        except (BrokenPipeError, typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            if refused := system_refusal(error):
                _end(RefusedError(refused), Exit.REFUSED, as_json=bool(kwargs.get("as_json")))
            _end(unforeseen(error), Exit.FAULT, as_json=bool(kwargs.get("as_json")))

    return wrapped


def _end(error: Exception, status: Exit, *, as_json: bool) -> NoReturn:
    if as_json:
        values = error.values if isinstance(error, RefusedError) else {}
        print_json({"ok": False, "error": str(error)} | values)
    err.print(styled("red", "error:"), str(error), soft_wrap=True)
    raise typer.Exit(status)


def numbers(text: str, count: int, option: str, names: str) -> list[float]:
    """Comma-separated finite numbers of an option; a `ConfigError` if there are not so many."""
    parts = [part.strip() for part in text.split(",")]
    values: list[float] = []
    for part in parts:
        try:
            value = float(part) if part.isascii() and "_" not in part else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ConfigError(option, [f"{part!r} is no finite number (expected {names})"])
        values.append(value)
    if len(values) != count:
        raise ConfigError(option, [f"{len(values)} numbers; {count} are needed: {names}"])
    return values


def show_checked(checked: Checked, *, as_json: bool) -> NoReturn:
    """Show what a proof found, and end with its status."""
    if as_json:
        print_json({"ok": checked.ok} | dict(checked.values))
    else:
        checked.show()
    leave(checked.ok)
