"""Other programs that kept the processors busy while a run was going (Linux)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

MOST_TOLD: Final = 3
LEAST_SHARE: Final = 0.02
"""Share of one processor below which a program is not mentioned."""


class Neighbour(NamedTuple):
    """Programs of one name that ran beside a run."""

    name: str
    """Theirs."""
    share: float
    """Share of one processor, over the whole run."""

    def __str__(self) -> str:
        return f"{self.name} {100.0 * self.share:.0f} %"


class _Process(NamedTuple):
    name: str
    parent: int
    used_s: float


@contextmanager
def neighbours(root: Path = Path("/proc")) -> Iterator[list[Neighbour]]:
    """Record which programs run beside the enclosed work, the busiest first; known at the end.

    Looked at are only the two ends, before and after everything that may not be late. A process
    that began meanwhile counts from its beginning, one that ended does not; this process and those
    that it started are left out.
    """
    found: list[Neighbour] = []
    began_s, before = _seen(root)
    yield found
    with suppress(OSError):  # a run without descriptors has no neighbours, and keeps its result
        ended_s, after = _seen(root)
        found += _busiest(before, after, ended_s - began_s)


def _busiest(
    before: Mapping[int, _Process], after: Mapping[int, _Process], length_s: float
) -> list[Neighbour]:
    used_s: dict[str, float] = {}
    for pid, process in after.items():
        if not _is_own(pid, after):
            earlier_s = before[pid].used_s if pid in before else 0.0
            used_s[process.name] = used_s.get(process.name, 0.0) + process.used_s - earlier_s
    shares = [Neighbour(name, cpu_s / max(length_s, 1e-9)) for name, cpu_s in used_s.items()]
    busiest = sorted(shares, key=lambda one: -one.share)[:MOST_TOLD]
    return [one for one in busiest if one.share >= LEAST_SHARE]


def _seen(root: Path) -> tuple[float, dict[int, _Process]]:
    """Run time of the machine [s], and its processes, by their numbers; proc(5)."""
    tick_s = 1.0 / os.sysconf("SC_CLK_TCK")
    found: dict[int, _Process] = {}
    for place in root.iterdir():
        if place.name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                begin, _, rest = (place / "stat").read_text(errors="replace").rpartition(")")
                fields, name = rest.split(), begin.partition("(")[2]
                used_s = (int(fields[11]) + int(fields[12])) * tick_s
                found[int(place.name)] = _Process(name, int(fields[1]), used_s)
    return float((root / "uptime").read_text().split()[0]), found


def _is_own(pid: int, processes: Mapping[int, _Process]) -> bool:
    while pid in processes:
        if pid == os.getpid():
            return True
        pid = processes[pid].parent
    return False
