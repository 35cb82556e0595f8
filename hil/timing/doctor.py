"""The abilities of this machine for the bench, and how to get what is missing.

Returns data; the caller prints it. All files are read below `root`, which is `/` but for tests.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hil.timing.clock import Clock
from hil.timing.latency import latency_test
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup

RATES_HZ: Final = (100.0, 250.0, 500.0, 1000.0)
MIN_FREE_BYTES: Final = 1024**3
MIN_PYTHON: Final = (3, 11)


class Grade(StrEnum):
    """Severity of a finding."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


_LATENCY_GRADES: Final = {"good": Grade.OK, "usable": Grade.WARN, "unfit": Grade.BAD}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    item: str
    """Name of the item."""
    verdict: Grade
    """OK, WARN (works, but worse) or BAD (something will not work)."""
    detail: str
    """State of the item."""
    remedy: str = ""
    """Remedy for what is missing; empty if nothing is."""


def diagnose(
    duration_s: float = 3.0,
    folder: Path = Path(),
    root: Path = Path("/"),
    clock: Clock | None = None,
    policy: RealtimePolicy | None = None,
) -> list[Finding]:
    """Look at everything that a run depends on.

    Args:
        duration_s: time to spend on the latency test, all rates together [s].
        folder: where recordings will go.
        clock: what is measured; None = the real clock.
        policy: what is asked of the system; None = all that a run asks for.

    Returns:
        Findings in a fixed order: the machine, permissions, places, kernels, lateness per rate.
    """
    return [
        _python(),
        _system(),
        _preemption(root),
        _processors(root),
        _governor(root),
        *_permissions(root, policy),
        _shared_memory(root),
        _free_space(folder),
        _kernels(),
        *_latency(duration_s, clock, policy),
    ]


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info < MIN_PYTHON:
        return Finding("Python", Grade.BAD, version, "install Python 3.11 or newer")
    return Finding("Python", Grade.OK, version)


def _system() -> Finding:
    detail = f"{platform.system()} {platform.release()} {platform.machine()}"
    if sys.platform != "linux":
        return Finding("system", Grade.WARN, f"{detail}: dry runs only", "Linux for real time")
    return Finding("system", Grade.OK, detail)


def _preemption(root: Path) -> Finding:
    version = _text(root / "proc/version")
    if _text(root / "sys/kernel/realtime") == "1" or "PREEMPT_RT" in version:
        return Finding("kernel", Grade.OK, "PREEMPT_RT")
    model = next((word for word in version.split() if word.startswith("PREEMPT")), "no preemption")
    remedy = "a PREEMPT_RT kernel (Debian: linux-image-rt-amd64) bounds the worst lateness"
    return Finding("kernel", Grade.WARN, model, remedy)


def _processors(root: Path) -> Finding:
    number = os.cpu_count() or 1
    isolated = _text(root / "sys/devices/system/cpu/isolated")
    detail = f"{number} processors, isolated: {isolated or 'none'}"
    if number < 2:
        return Finding("processors", Grade.BAD, detail, "at least 2: one runs the loop alone")
    if not isolated:
        remedy = f"boot with isolcpus={number - 1} nohz_full={number - 1} and pin the loop to it"
        return Finding("processors", Grade.WARN, detail, remedy)
    return Finding("processors", Grade.OK, detail)


def _governor(root: Path) -> Finding:
    folder = root / "sys/devices/system/cpu"
    files = sorted(folder.glob("cpu[0-9]*/cpufreq/scaling_governor"))
    governors = sorted({_text(file) for file in files})
    if not governors:
        return Finding("clock frequency", Grade.OK, "not scaled by this system")
    detail = ", ".join(governors)
    if governors != ["performance"]:
        remedy = "cpupower frequency-set -g performance"
        return Finding("clock frequency", Grade.WARN, f"governor {detail}", remedy)
    return Finding("clock frequency", Grade.OK, f"governor {detail}")


def _permissions(root: Path, policy: RealtimePolicy | None) -> Iterator[Finding]:
    if sys.platform != "linux":
        return
    with RealtimeSetup(policy, root / "dev/cpu_dma_latency") as report:
        granted = report.items
    for item in granted:
        yield Finding(item.item, Grade.OK if item.ok else Grade.WARN, item.detail, item.remedy)


def _shared_memory(root: Path) -> Finding:
    # The ring to the recorder is a memory file: it counts against memory, not against /dev/shm.
    available = dict(
        line.split(":", 1) for line in _text(root / "proc/meminfo").splitlines() if ":" in line
    ).get("MemAvailable", "")
    if not available:
        return Finding("memory", Grade.WARN, "unknown", "see that 1 GB is free")
    mebibytes = int(available.split()[0]) // 1024
    if mebibytes < 1024:
        return Finding("memory", Grade.WARN, f"{mebibytes} MiB available", "free at least 1 GiB")
    return Finding("memory", Grade.OK, f"{mebibytes} MiB available")


def _free_space(folder: Path) -> Finding:
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        return Finding("disk", Grade.BAD, f"{place}: not writable", "choose another folder (--out)")
    free_bytes = shutil.disk_usage(place).free
    detail = f"{free_bytes // 1024**2} MiB free in {place}"
    if free_bytes < MIN_FREE_BYTES:
        return Finding("disk", Grade.BAD, detail, f"free at least {MIN_FREE_BYTES // 1024**2} MiB")
    return Finding("disk", Grade.OK, detail)


def _kernels() -> Finding:
    spec = find_spec("platform6dof")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    configured = os.environ.get("NUMBA_CACHE_DIR")
    if configured:
        places.append(configured)
    if any(True for place in places for _ in Path(place).rglob("*.nbi")):
        return Finding("compiled kernels", Grade.OK, "in the cache")
    return Finding("compiled kernels", Grade.WARN, "not compiled yet", "hil warm")


def _latency(
    duration_s: float, clock: Clock | None, policy: RealtimePolicy | None
) -> Iterator[Finding]:
    if clock is None:
        try:
            # Imported here: only the real clock needs Linux.
            from hil.timing.realtime import RealClock

            clock = RealClock()
        except OSError as error:
            yield Finding("lateness", Grade.BAD, f"not measured: {error}", "Linux for real time")
            return
    results = []
    with RealtimeSetup(policy):
        for rate_hz in RATES_HZ:
            results.append(latency_test(clock, rate_hz, duration_s / len(RATES_HZ)))
    for result in results:
        grade = _LATENCY_GRADES[result.grade]
        remedy = (
            "" if grade is Grade.OK else "a lower rate, or the remedies above; quit other programs"
        )
        yield Finding(f"lateness at {result.rate_hz:g} Hz", grade, str(result), remedy)


def _text(path: Path) -> str:
    """Return a small file's text, empty if it is not there: much of /sys is optional."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
