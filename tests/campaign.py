"""How much of a campaign is run: the same code with a share of its full counts.

``HIL_TEST_SHARE`` is 1 in ``make test-long``, a hundredth in continuous integration, and left out a
fiftieth. Tests that count by it carry the mark ``campaign``, and print the seed they began from.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

Case = TypeVar("Case")

SHARE = float(os.environ.get("HIL_TEST_SHARE", "0.02"))
"""Part of the full counts."""
long_only = pytest.mark.skipif(SHARE < 1.0, reason="make test-long; its parts are tested by others")
"""Mark of one long case that has no share."""


def rate_hz(full: float = 500.0, usual: float = 100.0) -> float:
    """Return at how many cycles a second a bench is run now whose rate is not the subject.

    Args:
        full: in the whole campaign, as shipped scenarios are.
        usual: else.
    """
    return full if SHARE >= 1.0 else usual


def count(full: int, least: int = 1) -> int:
    """Return how many of a campaign's cases are run now.

    Args:
        full: how many the whole campaign has.
        least: how many a share must have to be worth anything.
    """
    return max(min(least, full), round(full * SHARE))


def share_of(cases: Iterable[Case], least: int = 1) -> list[Case]:
    """Return the cases that are run now: the first of them, which are to weigh most.

    Args:
        cases: all cases of a campaign.
        least: how many a share must have to be worth anything.
    """
    cases = list(cases)
    return cases[: count(len(cases), least)]
