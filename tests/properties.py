"""How often a property is tried: three profiles, and a share of each where an example is dear.

``quick`` is for continuous integration, ``suite`` for every day: both draw the same examples each
time. ``thorough`` draws new ones; ``make test-long`` takes it. ``HYPOTHESIS_PROFILE`` chooses by
name, else ``HIL_TEST_SHARE`` does. A test says nothing but `dear` or `at_least`.
"""

import os

from campaign import SHARE
from hypothesis import settings

settings.register_profile("quick", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("suite", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=1000, deadline=None)

_BY_SHARE = "thorough" if SHARE >= 1.0 else "suite" if SHARE >= 0.02 else "quick"
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", _BY_SHARE))

dear = settings(max_examples=settings.default.max_examples // 5)
"""For properties that prove or play a whole motion in each example."""


def at_least(examples: int) -> settings:
    """For cheap properties of what keeps people safe: no profile tries them less often."""
    return settings(max_examples=max(examples, settings.default.max_examples))
