"""What the program gives is near what it gave before it was rebuilt, on whatever machine."""

import json
import sys
from pathlib import Path

import pytest
from campaign import share_of
from frozen.cases import kept_cases
from frozen.goldens import far, golden_of, nearness, thin
from frozen.trees import TOP, Tree

LEAST = 3


@pytest.mark.campaign
@pytest.mark.parametrize("case", share_of(kept_cases(), LEAST), ids=lambda case: case.name)
def test_what_it_gives_is_near_what_was_kept(case, tmp_path):
    tree = Tree(Path(sys.executable), TOP, path=TOP)
    found = thin(tree.run(case, tmp_path / "run"))
    kept = json.loads(golden_of(case.name).read_text())
    assert not list(far(kept, found, near=nearness(case.name)))[:20]


def test_each_kept_case_has_its_file_and_each_file_its_case():
    names = {path.stem for path in golden_of("x").parent.glob("*.json")}
    assert names == {case.name for case in kept_cases()}
