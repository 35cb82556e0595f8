"""The comparison finds changes that are planted in the product, one at a time."""

import shutil
import sys
from pathlib import Path

import pytest
from campaign import share_of
from frozen.cases import cases
from frozen.compare import differences, trees
from frozen.planted import CHANGES, COMMANDS
from frozen.trees import TOP, Tree

# one worker: the product is copied once, and what it gives unchanged is kept
pytestmark = pytest.mark.xdist_group("planted")

COPIED = (
    "arm_driver", "configs", "drives", "hil", "hil_common", "platform6dof", "safety", "sim",
)  # fmt: skip
CASES = {case.name: case for case in cases()}


class Workshop:
    """A copy of the product in which a change is planted, asked, and taken out again."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._copy = folder, folder / "copy"
        for name in COPIED:
            shutil.copytree(TOP / name, self._copy / name)
        self._tree = Tree(Path(sys.executable), self._copy, path=self._copy)
        self._plain: dict[str, object] = {}
        self._asked = 0

    def plain(self, case):
        """What the unchanged copy gives; asked once."""
        if case not in self._plain:
            self._plain[case] = self._answer(case)
        return self._plain[case]

    def again(self, case):
        """What the unchanged copy gives, asked anew."""
        return self._answer(case)

    def planted(self, change):
        """What the copy gives with the change in it."""
        file = self._copy / change.file
        text = file.read_text("utf-8")
        try:
            file.write_text(text.replace(change.old, change.new), "utf-8")
            return self._answer(change.case)
        finally:
            file.write_text(text, "utf-8")

    def _answer(self, case):
        if case == COMMANDS:
            return self._tree.commands()
        self._asked += 1
        return self._tree.run(CASES[case], self._folder / str(self._asked))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("planted"))


def compared(case, old, new):
    return trees(old, new) if case == COMMANDS else differences(old, new)


def test_there_are_many_and_each_stands_in_one_place():
    assert len(CHANGES) >= 40
    assert len({(one.file, one.old, one.new) for one in CHANGES}) == len(CHANGES)
    for one in CHANGES:
        assert (TOP / one.file).read_text("utf-8").count(one.old) == 1, one
        assert one.case == COMMANDS or one.case in CASES, one


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("change", share_of(CHANGES), ids=lambda one: f"{one.file}-{one.case}")
def test_a_planted_change_is_found(workshop, change):
    plain = workshop.plain(change.case)
    assert compared(change.case, plain, workshop.planted(change))


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", share_of(dict.fromkeys(one.case for one in CHANGES)))
def test_an_unchanged_copy_gives_the_same(workshop, case):
    assert not compared(case, workshop.plain(case), workshop.again(case))
