"""Racks that nobody here wrote, against the commands that a person gives: a campaign."""

import random

import pytest
from campaign import SHARE, count
from rack_bench import needs_wires
from variant_run import run_once, table_line
from variants import VARIANTS

SEED = 7
"""Draws the variants of a share; all of them are the whole campaign."""
DRAWN = random.Random(SEED).sample(VARIANTS, count(len(VARIANTS)))


@pytest.mark.campaign
@pytest.mark.real_time
@needs_wires
@pytest.mark.timeout(1800)  # some measure each leg by hand, two commands each
@pytest.mark.parametrize("variant", DRAWN, ids=lambda variant: variant.name)
def test_a_foreign_rack_is_driven_or_refused_by_name(variant):
    print(f"seed {SEED}, share {SHARE:g}")
    outcome = run_once(variant)
    print(table_line(outcome))
    for line in [*outcome.console, *outcome.rack]:
        print(line)
    assert outcome.wrong == []
