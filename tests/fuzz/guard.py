"""Judges one reading of one input, within the process that reads: time, memory, files, error.

An input is read or refused by the reader's own error, in words that name the place; within 5 s of
CPU and 300 MB; nothing is opened outside the document's folder, no program is started, and nothing
is left in the folder for temporary files.
"""

import os
import resource
import signal
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

CPU_MAX_S: Final = 5.0
MEMORY_MAX_MB: Final = 300.0
TEXT_MAX: Final = 60_000
"""Characters of what a user reads of one document at most."""
_STARTS: Final = (
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn",
    "socket.connect", "socket.bind",
)  # fmt: skip
_CHANGES: Final = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate")
_LIBRARIES: Final = tuple(
    f"{Path(one).resolve()}{os.sep}"
    for one in {sys.prefix, sys.base_prefix, sysconfig.get_paths()["stdlib"]}
)


class TooLongError(BaseException):
    """The time is up; no reader catches it."""


@dataclass
class Watch:
    """What a process opens and starts, by its audit events.

    Args:
        allowed: folders that may be read.
    """

    allowed: tuple[Path, ...]
    found: list[str] = field(default_factory=list)
    active: bool = False

    def __post_init__(self) -> None:
        self._prefixes = (*(f"{one.resolve()}{os.sep}" for one in self.allowed), *_LIBRARIES)
        sys.addaudithook(self._see)

    def _see(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event == "open" and isinstance(args[2], int) and args[2] & os.O_DIRECTORY:
            return  # a folder on the way to a file, which `see_file` is given as a whole
        if event in ("open", *_CHANGES) and isinstance(args[0], str | bytes):
            self._judge(event, os.fsdecode(args[0]))
        elif event.startswith(_STARTS):
            self.found.append(f"{event} {args[0]!r:.200}")

    def see_file(self, path: Path) -> None:
        """Judge a file that is opened folder by folder, of which audit events give parts."""
        if self.active:
            self._judge("open", str(path))

    def _judge(self, event: str, name: str) -> None:
        self.active = False  # what follows may open something itself
        place = os.path.realpath(name) if "\0" not in name else name
        self.active = True
        folders = (one.rstrip(os.sep) for one in self._prefixes)
        if not place.startswith(self._prefixes) and place not in folders:
            self.found.append(f"{event} of {name[:200]}")


def judge(read: Callable[[Path], object], errors: tuple[type[BaseException], ...], file: Path,
          watch: Watch, place: str) -> str:  # fmt: skip
    """Return what is wrong with how a file is read; empty if nothing is.

    Args:
        errors: the reader's own.
        place: what its error must name; empty if it cannot know it.
    """
    before, base_mb = _left(), _peak_mb(reset=True)
    watch.found.clear()
    wrong = ""
    used_s = _cpu_s()
    try:
        with _limited(base_mb):
            watch.active = True
            try:
                read(file)
            except errors as error:
                wrong = _words(str(error), place)
    except TooLongError:
        wrong = f"takes more than {CPU_MAX_S:g} s"
    except MemoryError:
        wrong = f"takes more than {MEMORY_MAX_MB:g} MB"
    except BaseException as error:
        wrong = f"{type(error).__name__}: {str(error)[:300]} {_where(error)}"
    finally:
        watch.active = False
    used_s = _cpu_s() - used_s
    if not wrong and used_s > CPU_MAX_S:
        wrong = f"took {used_s:.1f} s, more than {CPU_MAX_S:g} s"
    if not wrong and (grown_mb := _peak_mb() - base_mb) > MEMORY_MAX_MB:
        wrong = f"took {grown_mb:.0f} MB, more than {MEMORY_MAX_MB:g} MB"
    if not wrong and watch.found:
        wrong = watch.found[0]
    if left := sorted(_left() - before):
        wrong = wrong or f"leaves {left[0]} behind"
    return wrong


def _words(text: str, place: str) -> str:
    if not text.strip():
        return "an error without words"
    if len(text) > TEXT_MAX:
        return f"an error of {len(text)} characters: {text[:200]!r}"
    if any(not one.isprintable() for one in text.replace("\n", "")):
        return f"an error with control characters: {text[:300]!r}"
    if place and not any(one in text for one in (place, "/configs/", "command line: ")):
        return f"an error without its place: {text[:300]!r}"
    return ""


def _where(error: BaseException) -> str:
    """Last line of the project's own that an exception comes through."""
    found, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "site-packages" not in name and "/tests/" not in name:
            found = f"{Path(name).name}:{trace.tb_lineno} {trace.tb_frame.f_code.co_name}"
        trace = trace.tb_next
    return f"({found})"


@contextmanager
def _limited(base_mb: float) -> Iterator[None]:
    """Limits while a reader runs; past them it gets an exception, and a library a signal."""

    def stop(_signal: int, _frame: object) -> None:
        raise TooLongError

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = int(_status("VmSize") * 1024) + (int(2 * MEMORY_MAX_MB) << 20)
    cpu = int(sum(os.times()[:2])) + 20
    signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (size, hard))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_PROF, CPU_MAX_S, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _cpu_s() -> float:
    return sum(os.times()[:2])


def _status(name: str) -> float:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(float(line.split()[1]) for line in file if line.startswith(f"{name}:"))


def _peak_mb(*, reset: bool = False) -> float:
    """Resident memory at its highest since the last reset."""
    if reset:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    return _status("VmHWM") / 1024


def _left() -> set[str]:
    return {one.name for one in Path(tempfile.gettempdir()).iterdir()}
