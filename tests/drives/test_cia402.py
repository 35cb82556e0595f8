"""The CiA 402 state machine against the standard's tables, every pair of state and event."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drives.axes import cia402
from drives.axes.cia402 import (
    Control,
    Event402,
    State402,
    event_of,
    next_controlword,
    state_of,
    step,
)

S = State402
E = Event402

STANDARD = {
    # Number, from, event, to: CiA 402-2 / IEC 61800-7-201, figure and table of the transitions.
    (0, S.START, E.POWERED_UP, S.NOT_READY_TO_SWITCH_ON),
    (1, S.NOT_READY_TO_SWITCH_ON, E.INITIALISED, S.SWITCH_ON_DISABLED),
    (2, S.SWITCH_ON_DISABLED, E.SHUTDOWN, S.READY_TO_SWITCH_ON),
    (3, S.READY_TO_SWITCH_ON, E.SWITCH_ON, S.SWITCHED_ON),
    (4, S.SWITCHED_ON, E.ENABLE_OPERATION, S.OPERATION_ENABLED),
    (5, S.OPERATION_ENABLED, E.SWITCH_ON, S.SWITCHED_ON),
    (6, S.SWITCHED_ON, E.SHUTDOWN, S.READY_TO_SWITCH_ON),
    (7, S.READY_TO_SWITCH_ON, E.DISABLE_VOLTAGE, S.SWITCH_ON_DISABLED),
    (7, S.READY_TO_SWITCH_ON, E.QUICK_STOP, S.SWITCH_ON_DISABLED),
    (8, S.OPERATION_ENABLED, E.SHUTDOWN, S.READY_TO_SWITCH_ON),
    (9, S.OPERATION_ENABLED, E.DISABLE_VOLTAGE, S.SWITCH_ON_DISABLED),
    (10, S.SWITCHED_ON, E.DISABLE_VOLTAGE, S.SWITCH_ON_DISABLED),
    (10, S.SWITCHED_ON, E.QUICK_STOP, S.SWITCH_ON_DISABLED),
    (11, S.OPERATION_ENABLED, E.QUICK_STOP, S.QUICK_STOP_ACTIVE),
    (12, S.QUICK_STOP_ACTIVE, E.DISABLE_VOLTAGE, S.SWITCH_ON_DISABLED),
    (12, S.QUICK_STOP_ACTIVE, E.QUICK_STOP_DONE, S.SWITCH_ON_DISABLED),
    (13, S.NOT_READY_TO_SWITCH_ON, E.FAULT_DETECTED, S.FAULT_REACTION_ACTIVE),
    (13, S.SWITCH_ON_DISABLED, E.FAULT_DETECTED, S.FAULT_REACTION_ACTIVE),
    (13, S.READY_TO_SWITCH_ON, E.FAULT_DETECTED, S.FAULT_REACTION_ACTIVE),
    (13, S.SWITCHED_ON, E.FAULT_DETECTED, S.FAULT_REACTION_ACTIVE),
    (13, S.OPERATION_ENABLED, E.FAULT_DETECTED, S.FAULT_REACTION_ACTIVE),
    (13, S.QUICK_STOP_ACTIVE, E.FAULT_DETECTED, S.FAULT_REACTION_ACTIVE),
    (14, S.FAULT_REACTION_ACTIVE, E.REACTION_DONE, S.FAULT),
    (15, S.FAULT, E.FAULT_RESET, S.SWITCH_ON_DISABLED),
    (16, S.QUICK_STOP_ACTIVE, E.ENABLE_OPERATION, S.OPERATION_ENABLED),
}
LEADS = {(before, event): (number, after) for number, before, event, after in STANDARD}


@pytest.mark.parametrize(("state", "event"), list(itertools.product(S, E)))
def test_every_event_in_every_state_does_what_the_standard_says(state, event):
    number, after = LEADS.get((state, event), (None, state))
    assert step(state, event) is after
    found = cia402.TRANSITIONS.get((state, event))
    assert (None if found is None else found.number) == number


def test_every_number_of_the_standard_is_there():
    assert {transition.number for transition in cia402.TRANSITIONS.values()} == set(range(17))


@pytest.mark.parametrize(
    ("statusword", "state"),
    [
        # Table "State coding": bits 6, 5, 3, 2, 1, 0; x = may be either.
        (0b0000_0000, S.NOT_READY_TO_SWITCH_ON),
        (0b0010_0000, S.NOT_READY_TO_SWITCH_ON),
        (0b0100_0000, S.SWITCH_ON_DISABLED),
        (0b0110_0000, S.SWITCH_ON_DISABLED),
        (0b0010_0001, S.READY_TO_SWITCH_ON),
        (0b0010_0011, S.SWITCHED_ON),
        (0b0010_0111, S.OPERATION_ENABLED),
        (0b0000_0111, S.QUICK_STOP_ACTIVE),
        (0b0000_1111, S.FAULT_REACTION_ACTIVE),
        (0b0010_1111, S.FAULT_REACTION_ACTIVE),
        (0b0000_1000, S.FAULT),
        (0b0010_1000, S.FAULT),
        (0b0000_0001, None),  # ready to switch on has bit 5
        (0b0110_0111, None),
        (0b0000_0010, None),
    ],
)
@pytest.mark.parametrize("other", [0, 0x0080, 0x0010, 0x1E00, 0xFF90])
def test_a_statusword_tells_its_state_whatever_the_other_bits_are(statusword, state, other):
    assert state_of(statusword | other) is state


@pytest.mark.parametrize(
    ("controlword", "event"),
    [
        # Table "Command coding": bits 7, 3, 2, 1, 0.
        (0x0006, E.SHUTDOWN),
        (0x000E, E.SHUTDOWN),
        (0x0007, E.SWITCH_ON),
        (0x000F, E.ENABLE_OPERATION),
        (0x001F, E.ENABLE_OPERATION),
        (0x0000, E.DISABLE_VOLTAGE),
        (0x000D, E.DISABLE_VOLTAGE),
        (0x0002, E.QUICK_STOP),
        (0x000B, E.QUICK_STOP),
        (0x0080, E.FAULT_RESET),
        (0x0086, E.FAULT_RESET),
    ],
)
def test_a_controlword_gives_its_command(controlword, event):
    assert event_of(controlword, 0) is event


def test_a_fault_is_reset_by_the_rising_edge_only():
    assert event_of(0x0080, 0x0000) is E.FAULT_RESET
    assert event_of(0x0080, 0x0080) is E.DISABLE_VOLTAGE
    assert next_controlword(S.FAULT, S.READY_TO_SWITCH_ON, 0x0000, reset=True) == 0x0080
    assert next_controlword(S.FAULT, S.READY_TO_SWITCH_ON, 0x0080, reset=True) == 0x0000
    assert next_controlword(S.FAULT, S.READY_TO_SWITCH_ON, 0x0000) == 0x0000


WORDS = {
    # Target: word in each state, in the order of State402 without START; 0 disables the voltage.
    S.SWITCH_ON_DISABLED: (0, 0, 0, 0, 0, 0, 0, 0),
    S.READY_TO_SWITCH_ON: (0, 6, 6, 6, 6, 0, 0, 0),
    S.SWITCHED_ON: (0, 6, 7, 7, 7, 0, 0, 0),
    S.OPERATION_ENABLED: (0, 6, 7, 15, 15, 0, 0, 0),
    S.QUICK_STOP_ACTIVE: (2, 2, 2, 2, 2, 2, 2, 2),
}


@pytest.mark.parametrize("target", list(WORDS))
def test_the_word_towards_each_target_in_each_state(target):
    states = [state for state in S if state is not S.START]
    assert tuple(next_controlword(state, target) for state in states) == WORDS[target]
    assert set(cia402.TARGETS) == set(WORDS)


@pytest.mark.parametrize("target", [S.START, S.FAULT, S.FAULT_REACTION_ACTIVE])
def test_no_word_leads_into_a_fault(target):
    with pytest.raises(ValueError, match=r"one leads to: .*operation enabled"):
        next_controlword(S.SWITCHED_ON, target)


@given(
    st.sampled_from([s for s in S if s not in (S.START, S.NOT_READY_TO_SWITCH_ON)]),
    st.sampled_from([t for t in cia402.TARGETS if t is not S.QUICK_STOP_ACTIVE]),
)
def test_the_words_lead_from_anywhere_to_the_target(state, target):
    previous = 0
    for _ in range(8):
        word = next_controlword(state, target, previous, reset=True)
        state = step(state, event_of(word, previous))
        state = step(state, E.REACTION_DONE)
        previous = word
    assert state is target


@given(st.integers(0, 0xFFFF), st.sampled_from(cia402.TARGETS), st.integers(0, 0xFFFF))
def test_any_statusword_gives_a_word_and_an_unknown_one_never_enables(status, target, previous):
    state = state_of(status)
    word = next_controlword(state, target, previous)
    if state is None or state in (S.FAULT, S.FAULT_REACTION_ACTIVE, S.QUICK_STOP_ACTIVE):
        assert not word & Control.ENABLE_OPERATION
