"""What every drive bank must do, whatever moves its rods: from its making to its end."""

import dataclasses

import pytest

from drives.bank import LegCommand
from drives.contract.kit import STILL
from drives.contract.promises import NEW
from drives.sim.bank import SimulatedBank


@pytest.mark.parametrize("promise", NEW, ids=lambda one: one.__name__)
def test_a_bank_keeps_its_promise(kit, bank, promise):
    promise(kit, bank)


def test_only_where_nothing_can_get_lost_nothing_is_counted(configured):
    configured.exchange(None)
    assert bool(configured.link_tally()) is not isinstance(configured, SimulatedBank)


def test_commands_and_feedback_cannot_be_changed(configured):
    feedback = configured.exchange(None)
    with pytest.raises(AttributeError):
        feedback.homed = (True,) * 6
    with pytest.raises(dataclasses.FrozenInstanceError):
        LegCommand(STILL, STILL).length_m = STILL
