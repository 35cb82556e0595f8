"""What every drive bank must do with legs that know where they are.

All promises of a bank share one homing; each begins disabled at the reference and leaves no fault.
"""

import pytest

from drives.contract.promises import HOMED


@pytest.mark.parametrize("promise", HOMED, ids=lambda one: one.__name__)
def test_a_homed_bank_keeps_its_promise(at_rest, promise):
    promise(at_rest)
