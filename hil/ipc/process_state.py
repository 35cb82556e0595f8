"""What the kernel tells of another process."""

from contextlib import suppress
from pathlib import Path


def is_stopped(pid: int) -> bool:
    """Whether a process stands still by a signal such as SIGSTOP, or by a debugger (proc(5))."""
    with suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return stat.rpartition(")")[2].split()[0] in "Tt"
    return False
