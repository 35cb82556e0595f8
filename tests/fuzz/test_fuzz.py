"""Whatever somebody writes is read or refused in words: within 5 s and 300 MB, nothing else opened.

`make test` tries a few mutations of each kind of file, and the attacks on a few readers;
`make test-long` all attacks, then mutations for two hours of CPU.
"""

import os
import sys
from pathlib import Path

import pytest
from campaign import SHARE, count, long_only
from fuzzing import campaign, fuzz

sys.path.insert(0, str(Path(__file__).parents[1] / "recording"))

from readers import readers

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is counted by the kernel of Linux"),
]
NAMES = tuple(readers())
GROUPS = [NAMES[first::6] for first in range(6)]
FIRST = int(os.environ.get("HIL_FUZZ_SEED", "0"))
CAMPAIGN_S = 7200.0
FOUND_WITHIN = 600
"""Inputs within which a hole that was planted is found: some ten seconds of CPU."""


def test_every_kind_of_settings_file_has_a_reader():
    from hil.run.file_kinds import all_kinds

    assert {kind.schema for kind in all_kinds()} < set(NAMES)


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_mutated_files_are_read_or_refused(tmp_path, group):
    found = list(fuzz(group, FIRST, FIRST + count(300, 3), tmp_path))
    assert not found, "\n".join(map(str, found))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name",
    [
        *("diagram", "expression", "journal", "snapshot", "mesh obj", "mesh texture"),
        *("mesh dae", "mesh glb", "mesh ply"),
    ],
)
def test_attacks_are_refused(tmp_path, name):
    found = list(fuzz([name], -1000, 0, tmp_path))
    assert not found, "\n".join(map(str, found))


@long_only
@pytest.mark.timeout(8 * 3600)
def test_two_hours_of_all_readers(tmp_path):
    found = list(campaign(NAMES, FIRST, CAMPAIGN_S * SHARE, tmp_path))
    assert not found, "\n".join(map(str, found))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("hole", "reader", "words"),
    [
        ("path", "cueing", "open of"),
        ("quadratic", "robot", "more than 5 s"),
        ("memory", "rig", "more than 300 MB"),
    ],
)
def test_a_planted_hole_is_found(tmp_path, hole, reader, words):
    found = next(fuzz([reader], FIRST, FIRST + FOUND_WITHIN, tmp_path, hole), None)
    assert found is not None
    assert words in found.wrong
