"""Requests to Linux to be woken in time, one item at a time, and what was refused.

Nothing here is required: whatever the system does not permit is said, with the remedy, and the run
runs with worse lateness, which is measured and judged in every cycle. Sources: sched(7),
mlock(2), prctl(2) and the kernel's documentation of `/dev/cpu_dma_latency` (PM QoS).
"""

from __future__ import annotations

import ctypes
import gc
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

_MCL_CURRENT: Final = 1
_MCL_FUTURE: Final = 2
_PR_SET_TIMERSLACK: Final = 29
_CAP_IPC_LOCK: Final = 14
GROUP: Final = "hil"
"""Users who may ask for real time."""
PRIORITY_MAX: Final = 98
"""Highest priority of SCHED_FIFO for programs: 99 is the kernel's own."""
LIMITS_FILE: Final = "/etc/security/limits.d/99-hil.conf"
LIMITS: Final = {
    "priority": f"@{GROUP} - rtprio {PRIORITY_MAX}",
    "memory lock": f"@{GROUP} - memlock unlimited",
}
"""Lines of `LIMITS_FILE`, by what they permit (limits.conf(5))."""
UDEV_RULE: Final = f'KERNEL=="cpu_dma_latency", GROUP="{GROUP}", MODE="0660"'
"""Lets the group forbid sleep states (udev(7))."""


@dataclass(frozen=True, slots=True)
class RealtimePolicy:
    """Real-time properties to ask for."""

    priority: int | None = 80
    """Priority of SCHED_FIFO, 1 to `PRIORITY_MAX`; None = ordinary scheduling."""
    lock_memory: bool = True
    """Keep all pages in memory, so that the loop never waits for one."""
    freeze_garbage: bool = True
    """Collect once, then keep Python's cyclic collector out of the loop."""
    keep_awake: bool = True
    """Forbid the processor sleep states that take long to leave."""
    cpu: int | None = None
    """Number of the processor to stay on; None = any."""

    def __post_init__(self) -> None:
        if self.priority is not None and not 1 <= self.priority <= PRIORITY_MAX:
            raise ValueError(f"priority = {self.priority}: 1 to {PRIORITY_MAX} are for programs")


@dataclass(frozen=True, slots=True)
class RealtimeItem:
    """One thing asked for."""

    item: str
    """Name of the item."""
    ok: bool
    """Whether it was granted."""
    detail: str
    """State of the item now."""
    remedy: str = ""
    """Remedy for a refusal; empty if granted."""


@dataclass(frozen=True, slots=True)
class RealtimeReport:
    """Everything asked for, in order."""

    items: tuple[RealtimeItem, ...]

    @property
    def all_ok(self) -> bool:
        """Whether everything was granted."""
        return all(item.ok for item in self.items)


class RealtimeSetup:
    """Asks on entering (or `prepare`), gives everything back on leaving (or `restore`).

    It concerns the calling thread and its process. Start other processes first or not at all: a
    pinning is inherited by children, a priority is not.

    Args:
        latency_device: where the sleep states are forbidden; another path only in tests.
    """

    def __init__(
        self,
        policy: RealtimePolicy | None = None,
        latency_device: Path = Path("/dev/cpu_dma_latency"),
    ) -> None:
        self._policy = policy or RealtimePolicy()
        self._latency_device = latency_device
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> RealtimeReport:
        return self.prepare()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.restore()

    def prepare(self) -> RealtimeReport:
        """Ask for everything of the policy and report what was granted; never raises for a no."""
        policy = self._policy
        items: list[RealtimeItem] = []
        if policy.freeze_garbage:
            items.append(self._freeze_garbage())
        if policy.lock_memory:
            items.append(self._lock_memory())
        items.append(self._sharpen_timers())
        if policy.keep_awake:
            items.append(self._keep_awake())
        if policy.cpu is not None:
            items.append(self._pin(policy.cpu))
        if policy.priority is not None:
            items.append(self._raise_priority(policy.priority))
        return RealtimeReport(tuple(items))

    def restore(self) -> None:
        """Give back what was granted, last first; harmless when repeated."""
        while self._undo:
            self._undo.pop()()

    def _freeze_garbage(self) -> RealtimeItem:
        was_enabled, were_frozen = gc.isenabled(), gc.get_freeze_count()
        gc.collect()
        gc.freeze()
        gc.disable()
        if not were_frozen:  # else they could not be told apart from what was frozen before
            self._undo.append(gc.unfreeze)
        if was_enabled:
            self._undo.append(gc.enable)
        return RealtimeItem("garbage collector", True, "collected, frozen and switched off")

    def _lock_memory(self) -> RealtimeItem:
        if not _may_lock_everything():
            # With a finite limit mlockall may well succeed now and let a later allocation fail.
            return RealtimeItem(
                "memory lock",
                False,
                "RLIMIT_MEMLOCK is finite: pages may have to be fetched within a cycle",
                _permit("memory lock"),
            )
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mlockall(_MCL_CURRENT | _MCL_FUTURE) != 0:
            reason = os.strerror(ctypes.get_errno())
            return RealtimeItem("memory lock", False, f"mlockall refused: {reason}", "free memory")
        self._undo.append(libc.munlockall)
        return RealtimeItem("memory lock", True, "all pages, present and future")

    def _sharpen_timers(self) -> RealtimeItem:
        # Ordinary threads are woken up to 50 us late so that wake-ups can be bundled.
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0) != 0:
            reason = os.strerror(ctypes.get_errno())
            return RealtimeItem("timer slack", False, f"prctl refused: {reason}", "newer kernel")
        self._undo.append(lambda: libc.prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(0), 0, 0, 0))
        return RealtimeItem("timer slack", True, "1 ns")

    def _keep_awake(self) -> RealtimeItem:
        try:
            fd = os.open(self._latency_device, os.O_WRONLY | os.O_CLOEXEC)
        except OSError as error:
            return RealtimeItem(
                "processor sleep",
                False,
                f"{self._latency_device}: {error.strerror}",
                f"let the group {GROUP} write it (udev rule: {UDEV_RULE})",
            )
        try:
            os.write(fd, struct.pack("=i", 0))  # holds while the file is open
        except OSError as error:
            os.close(fd)
            return RealtimeItem("processor sleep", False, f"refused: {error.strerror}", "see dmesg")
        self._undo.append(lambda: os.close(fd))
        return RealtimeItem("processor sleep", True, "wake-up latency of 0 us asked for")

    def _pin(self, cpu: int) -> RealtimeItem:
        before = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {cpu})
        except (OSError, ValueError) as error:
            return RealtimeItem(
                "processor",
                False,
                f"processor {cpu} refused: {error}",
                f"one of {sorted(before)}",
            )
        self._undo.append(lambda: os.sched_setaffinity(0, before))
        return RealtimeItem("processor", True, f"pinned to {cpu}")

    def _raise_priority(self, priority: int) -> RealtimeItem:
        # sched_getscheduler gives the reset-on-fork bit too, so what it says can be put back.
        policy_before, param_before = os.sched_getscheduler(0), os.sched_getparam(0)
        try:
            os.sched_setscheduler(
                0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority)
            )
        except OSError as error:
            return RealtimeItem(
                "priority",
                False,
                f"SCHED_FIFO {priority} refused: {error.strerror}",
                _permit("priority"),
            )
        self._undo.append(lambda: _back_to(policy_before, param_before))
        return RealtimeItem("priority", True, f"SCHED_FIFO {priority}, not inherited by children")


def _permit(item: str) -> str:
    return f"put '{LIMITS[item]}' into {LIMITS_FILE}, join the group {GROUP}, log in again"


def _back_to(policy: int, param: os.sched_param) -> None:
    try:
        os.sched_setscheduler(0, policy, param)
    except PermissionError:
        # Clearing reset-on-fork takes a privilege that asking for it did not; it does no harm.
        os.sched_setscheduler(0, policy | os.SCHED_RESET_ON_FORK, param)


def _may_lock_everything() -> bool:
    # Imported here: the module is Unix only, and a dry run elsewhere may import this file.
    import resource

    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY:
        return True
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _CAP_IPC_LOCK & 1)
    return False
