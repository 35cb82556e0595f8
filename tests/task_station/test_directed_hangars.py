"""The whole container task in hangars in which one rule of driving is decided."""

import pytest
from campaign import share_of
from directed_hangars import CLOSED, DIRECTED, SEEDS, settings
from recounted_contacts import forbidden
from task_runs import told

from hil.recording.reader import Recording

BLOCKED_WITHIN_S = 120.0
CASES = sorted(DIRECTED, key=lambda case: case != "closed ring")
"""The ring first: it is what a share runs."""


@pytest.mark.campaign
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", share_of(CASES))
def test_each_is_done_or_found_to_be_closed(tmp_path, case):
    closed, seed = case in CLOSED, SEEDS.get(case, 1)
    found = told("run", "container", "--seed", seed, *settings(case), "--out", tmp_path,
                 status=1 if closed else 0)  # fmt: skip
    assert forbidden(Recording.open(tmp_path / found["recording"])) == []
    assert found["reason"] == ("blocked" if closed else "")
    if case == "closed ring":
        assert found["time_s"] <= BLOCKED_WITHIN_S
