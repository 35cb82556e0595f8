"""Starts processes that read mutated files, and gathers what they find.

By hand, for as many seconds of CPU as given, from a seed on:
``python tests/fuzz/fuzzing.py SECONDS FIRST_SEED [READER ...]``.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHILD: Final = Path(__file__).with_name("fuzz_child.py")
AT_ONCE: Final = 60
"""Mutated inputs of each reader in a turn."""
ALL_ATTACKS: Final = -1000
"""A first seed before all attacks."""


@dataclass(frozen=True)
class Found:
    """One finding."""

    reader: str
    seed: int
    wrong: str

    def __str__(self) -> str:
        return f"{self.reader}, seed {self.seed}: {self.wrong}"


def fuzz(readers: Sequence[str], first: int, end: int, folder: Path, *planted: str
         ) -> Iterator[Found]:  # fmt: skip
    """Yield what is wrong with how readers read the inputs of some seeds.

    Args:
        first: seed; negative ones are those of attacks.
        end: the seed after the last.
        folder: for the files.
        planted: holes to plant before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    now = folder / "now"
    order = {
        "readers": list(readers), "first": first, "count": end - first, "folder": str(folder),
        "planted": planted, "now": [0, first],
    }  # fmt: skip
    while True:
        now.write_text(json.dumps(order["now"]), encoding="ascii")
        child = subprocess.run(
            [sys.executable, "-P", str(CHILD), json.dumps(order)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        for line in child.stdout.splitlines():
            if line.startswith('{"reader"'):
                yield Found(**json.loads(line))
        if (stopped := json.loads(now.read_text(encoding="ascii"))) is None:
            return
        at, seed = stopped
        if child.returncode == 1:  # a file of the corpus is not read
            raise RuntimeError(f"{order['readers'][at]}: {child.stderr[-2000:]}")
        yield Found(order["readers"][at], seed, f"its process ended ({child.returncode})")
        order["now"] = [at, seed + 1]


def campaign(readers: Sequence[str], first: int, cpu_s: float, folder: Path) -> Iterator[Found]:
    """Yield findings of turns over all readers until the time is used up, attacks first."""
    begun_s = _used_s()
    yield from fuzz(readers, ALL_ATTACKS, 0, folder)
    while _used_s() - begun_s < cpu_s:
        yield from fuzz(readers, first, first + AT_ONCE, folder)
        first += AT_ONCE


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print findings as they come."""
    sys.path.insert(0, str(CHILD.parents[1] / "recording"))
    from readers import readers

    names = sys.argv[3:] or list(readers())
    with tempfile.TemporaryDirectory() as folder:
        for one in campaign(names, int(sys.argv[2]), float(sys.argv[1]), Path(folder)):
            print(one, flush=True)
    print(f"{_used_s():.0f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
