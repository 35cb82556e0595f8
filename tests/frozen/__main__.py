"""Compares this tree with an older one: every shipped scenario, fault and question, value by value.

    python -P tests/frozen REVISION [CASE|SCENARIO ...]
    python -P tests/frozen ENVIRONMENT [CASE|SCENARIO ...]
    python -P tests/frozen --keep

In place of an older tree, another build of this one may be compared, as it is installed in a
virtual environment (`make compiled`); then recordings have to be equal to the byte. Both run here
and now, so machine and libraries are the same. Exit status 1 if any value differs. Run on a machine
that has nothing else to do, it takes about half an hour. With `--keep` this tree runs alone, and
what it gives becomes the thin copies that `test_goldens.py` holds.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from frozen.cases import Case, cases, kept_cases
from frozen.compare import differences, trees
from frozen.goldens import write
from frozen.scenarios import SHIPPED, scenario_cases
from frozen.trees import TOP, Tree, tree_in, tree_of

from hil.timing.clock import worked_s

AGAIN = "run_demo_0"
"""A case that is run twice in the new tree: its recording has the same digest both times."""


def keep() -> int:
    """Write the thin copies anew."""
    with tempfile.TemporaryDirectory(prefix="frozen-") as folder:
        tree = Tree(Path(sys.executable), TOP, path=TOP)
        for case in kept_cases():
            print(case.name, flush=True)
            write(case.name, tree.run(case, Path(folder) / case.name))
    return 0


def main(revision: str, names: tuple[str, ...]) -> int:
    """Compare the cases that are named, or belong to a scenario that is; all without a name."""
    every = cases()
    of_scenarios = {case.name for name in names if name in SHIPPED for case in scenario_cases(name)}
    wanted = [one for one in every if not names or one.name in of_scenarios | {*names}]
    with tempfile.TemporaryDirectory(prefix="frozen-") as folder:
        work = Path(folder)
        (work / "old").mkdir()
        built = Path(revision) / "pyvenv.cfg"
        home = built.parent.absolute()
        old = tree_in(home) if built.is_file() else tree_of(revision, work / "old")
        new = Tree(Path(sys.executable), TOP, path=TOP)
        for tree in (old, new):
            tree.warm()  # a part of several stations that compiles would be ended as stuck
        differing = _tell("commands", trees(old.commands(), new.commands()))
        for case in wanted:
            began = worked_s()
            found = _compared(case, old, new, work, one_digest=built.is_file())
            differing += _tell(f"{case.name} ({worked_s() - began:.0f} s)", found)
    print(f"{len(wanted) + 1} cases, {differing} differ")
    return 1 if differing else 0


def _compared(case: Case, old: Tree, new: Tree, work: Path, *, one_digest: bool) -> list[str]:
    before = old.run(case, work / "old" / case.name)
    after = new.run(case, work / "new" / case.name)
    found = differences(before, after)
    if case.records and before.rows is None and not before.parts:
        found.append(f"the old tree made no recording: {before.words[-300:]}")
    if case.name == AGAIN:
        again = new.run(case, work / "new" / f"{case.name}_again")
        digests = [one.told["recording_sha256"] for one in (after, again)]
        found += [] if digests[0] == digests[1] else [f"two runs gave {digests}"]
    if one_digest and case.records and not before.parts:
        digests = [one.told["recording_sha256"] for one in (before, after)]
        found += [] if digests[0] == digests[1] else [f"two builds gave {digests}"]
    return found


def _tell(name: str, found: list[str]) -> bool:
    print(f"{name}: {'same' if not found else ''}", *found, sep="\n  " if found else "", flush=True)
    return bool(found)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(keep() if sys.argv[1] == "--keep" else main(sys.argv[1], tuple(sys.argv[2:])))
