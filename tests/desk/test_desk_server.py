"""The desk's mind: who is let in, who owns the motion, and what counts as a hold."""

import json
import math

import pytest
from desk_samples import SECRET, UID, Bench
from hypothesis import given
from hypothesis import strategies as st

from hil.desk import messages as m
from hil.desk.order import BUTTONS, DEAD_MAN_S, Button
from hil.desk.sessions import CLIENTS_MAX, HELLO_TIMEOUT_S, OWNER_SILENT_MAX_S


@pytest.fixture
def bench():
    return Bench()


def refused(bench, key, heard):
    """The reason why a client has to go; it must be forgotten."""
    assert isinstance(heard[-1], m.SessionRefused)
    assert key in bench.left
    assert bench.say(key, m.Stop()) == []
    return heard[-1].why


# --- being let in ------------------------------------------------------------------------------


def test_who_proves_the_token_is_let_in(bench):
    heard = bench.join(1)
    assert heard == [
        m.Welcome(header_bytes=17, period_s=0.002, station="platform", bench="circle",
                  dead_man="hold"),
        m.State(owner="", you_own=False, clients=("panel",), bench=True),
    ]  # fmt: skip
    assert bench.welcomed == {1}


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (m.Hello(name="x", proof=""), "proof"),
        (m.Hello(name="x", proof=m.proof_of(SECRET, "another nonce")), "proof"),
        (m.Hello(name="x", proof=m.proof_of("6" * 64, "nonce 0")), "proof"),
        (m.Hello(name="x", proof="é" * 64), "proof"),
        (m.Hello(name="x", proof=m.proof_of(SECRET, "nonce 0"), protocol=2), "protocol 2"),
        (m.Stop(), "stop before hello"),
        (m.Take(), "take before hello"),
        (m.Press(button="home"), "press before hello"),
        (m.Alive(held=True, stamp_s=100.0), "alive before hello"),
    ],
)
def test_nobody_else_is(bench, first, why):
    bench.connect(1)
    before = bench.order
    assert why in refused(bench, 1, bench.say(1, first))
    assert bench.order == before
    assert bench.welcomed == set()


def test_another_user_is_refused_before_a_word(bench):
    heard = bench.connect(1, uid=UID + 1)
    assert f"user {UID + 1}" in refused(bench, 1, heard)
    assert len(heard) == 1  # not even a nonce


def test_a_proof_serves_once(bench):
    (one,) = bench.connect(1)
    (two,) = bench.connect(2)
    assert one.nonce != two.nonce
    hello = m.Hello(name="x", proof=m.proof_of(SECRET, one.nonce))
    assert "proof" in refused(bench, 2, bench.say(2, hello))
    assert isinstance(bench.say(1, hello)[0], m.Welcome)
    assert "once" in refused(bench, 1, bench.say(1, hello))


def test_who_says_nothing_is_sent_away(bench):
    bench.connect(1)
    bench.now += HELLO_TIMEOUT_S
    bench.desk.tick()
    assert bench.heard(1) == []
    bench.now += 0.001
    bench.desk.tick()
    assert "hello" in refused(bench, 1, bench.heard(1))
    bench.join(2)
    bench.now += 100.0
    bench.desk.tick()
    assert bench.heard(2) == []  # an onlooker may be silent


def test_there_is_an_end_to_the_room(bench):
    for key in range(CLIENTS_MAX):
        bench.join(key)
    heard = bench.connect(99)
    assert str(CLIENTS_MAX) in refused(bench, 99, heard)
    bench.desk.disconnected(0)
    assert isinstance(bench.connect(100)[0], m.Nonce)


GARBAGE = [
    b"",
    b"\x00" * 40,
    b"{}",
    b"[]",
    b'{"type": "nonsense"}',
    b'{"type": "take", "id": 1, "more": 2}',
    b'{"type": "take", "id": -1}',
    b'{"type": "take", "id": true}',
    b'{"type": "press", "button": "fly"}',
    b'{"type": "press", "button": 1}',
    b'{"type": "override", "value": 1.01}',
    b'{"type": "override", "value": NaN}',
    b'{"type": "override", "value": "1"}',
    b'{"type": "target", "pose": [0, 0, 0, 0, 0]}',
    b'{"type": "target", "pose": [0, 0, Infinity, 0, 0, 0]}',
    b'{"type": "target", "pose": [0, 0, 1e9, 0, 0, 0]}',
    b'{"type": "alive", "held": 1, "stamp_s": 100.0}',
    b'{"type": "alive", "held": true}',
    b'{"type": "state", "owner": "", "you_own": true, "clients": [], "bench": true}',
    b'{"type": "motion", "table": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
    b'{"type": "stop", "id": 0}' + b" " * m.MAX_PACKET_BYTES,
]


@pytest.mark.parametrize("packet", GARBAGE, ids=range(len(GARBAGE)))
def test_who_says_what_is_no_message_has_to_go_and_owns_nothing(bench, packet):
    bench.own(1)
    bench.alive(1, held=True)
    assert bench.order.held
    refused(bench, 1, bench.say(1, packet))
    assert (bench.order.held, bench.order.stamp_s) == (False, -math.inf)
    assert bench.pressed() == {}


@given(st.lists(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode),
       st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from(["type", "id", "table", "a"]), inner))
       .map(lambda value: json.dumps({"type": "motion", "table": {"x": value}}).encode())),
       max_size=5))  # fmt: skip
def test_nothing_that_is_said_breaks_the_desk(packets):
    bench = Bench()
    for key, packet in enumerate(packets):
        bench.own(key)
        heard = bench.say(key, packet)
        assert bench.asked or isinstance(heard[-1], m.SessionRefused)
        bench.asked.clear()
        bench.desk.disconnected(key)
    assert bench.desk.names == ()


# --- owning ------------------------------------------------------------------------------------


def test_the_first_to_take_owns_until_it_gives_back(bench):
    bench.own(1, "left")
    bench.join(2, "right")
    (answer,) = bench.say(2, m.Take(id=5))
    assert (answer.id, answer.ok) == (5, False)
    assert "left owns" in answer.error
    bench.heard(1)
    (answer,) = bench.say(2, m.Release(id=6))
    assert "left" in answer.error
    assert bench.desk.owner == "left"
    assert bench.say(1, m.Release(id=7))[-1].ok
    told = bench.heard(2)[-1]
    assert (told.owner, told.you_own) == ("", False)
    heard = bench.say(2, m.Take(id=8))
    assert heard[0] == m.State(owner="right", you_own=True, clients=("left", "right"), bench=True)
    assert bench.heard(1)[-1].owner == "right"
    assert not bench.heard(1)


def test_two_of_one_name_are_told_apart(bench):
    for key in range(3):
        bench.join(key, "panel")
    assert bench.desk.names == ("panel", "panel 2", "panel 3")


def test_an_owner_that_froze_does_not_keep_the_motion_from_the_others(bench):
    bench.own(1, "left")
    bench.join(2, "right")
    bench.alive(1, held=True)
    bench.say(1, m.Target(pose=(0.0,) * 6))
    bench.desk.proved(bench.asked.pop(), "")
    bench.heard(1)
    bench.now += OWNER_SILENT_MAX_S
    bench.desk.tick()
    assert bench.desk.owner == "left"
    bench.now += 0.001
    bench.desk.tick()
    assert [told.owner for told in (*bench.heard(1), *bench.heard(2))] == ["", ""]
    assert (bench.order.owner, bench.order.held, bench.order.target) == ("", False, None)
    assert bench.say(2, m.Take(id=5))[-1].ok
    bench.alive(1, held=True)  # it wakes up
    assert bench.order.owner == "right"
    assert not bench.order.held
    assert "right" in bench.press(1, "home").error


def test_an_owner_that_holds_or_has_just_taken_it_keeps_the_motion(bench):
    bench.join(1)
    bench.alive(1, held=False)
    bench.now += 60.0
    bench.say(1, m.Take())
    bench.desk.tick()
    assert bench.desk.owner == "panel"
    for held in (True, False) * 40:
        bench.alive(1, held=held)
        bench.now += 0.1
        bench.desk.tick()
    assert bench.desk.owner == "panel"


@pytest.mark.parametrize("how", ["gone", "garbage", "release"])
def test_an_owner_that_leaves_frees_the_motion_and_lets_go(bench, how):
    bench.own(1, "left")
    bench.join(2, "right")
    bench.alive(1, held=True)
    bench.say(1, m.Target(pose=(0.0,) * 6))
    bench.desk.proved(bench.asked.pop(), "")
    assert (bench.order.held, bench.order.stamp_s) == (True, 100.0)
    assert bench.order.target == (0.0,) * 6
    if how == "gone":
        bench.desk.disconnected(1)
    else:
        bench.say(1, b"rubbish" if how == "garbage" else m.Release())
    assert (bench.order.held, bench.order.stamp_s) == (False, -math.inf)
    assert bench.order.target is None
    assert bench.heard(2)[-1].owner == ""
    bench.say(2, m.Take())
    assert bench.desk.owner == "right"
    assert not bench.order.held


WISHES = [
    m.Press(button="engage", id=3),
    m.Override(value=0.5, id=3),
    m.Target(pose=(0.0,) * 6, id=3),
    m.Target(pose=None, id=3),
    m.Motion(table={}, id=3),
]


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.type)
def test_who_does_not_own_may_not_wish(bench, wish):
    bench.own(1, "left")
    bench.join(2, "right")
    bench.alive(2, held=True)
    before = bench.order
    (answer,) = bench.say(2, wish)
    assert (answer.id, answer.ok) == (3, False)
    assert "left" in answer.error
    assert bench.order == before
    assert not bench.asked


def test_anyone_may_stop(bench):
    bench.own(1, "left")
    bench.join(2, "right")
    assert bench.say(2, m.Stop(id=4)) == [m.Answer(id=4, ok=True)]
    assert bench.pressed() == {Button.HOLD: 1}
    bench.heard(1)
    bench.now += 60.0  # no sign of life of anyone
    assert bench.say(1, m.Stop(id=5)) == [m.Answer(id=5, ok=True)]
    assert bench.pressed() == {Button.HOLD: 2}


@given(st.lists(st.sampled_from(Button), max_size=30))
def test_each_press_counts_exactly_once(presses):
    bench = Bench()
    bench.own(1)
    for button in presses:
        assert bench.press(1, button.value).ok
        bench.alive(1, held=False)
        bench.desk.tick()
    assert bench.pressed() == {b: presses.count(b) for b in BUTTONS if b in presses}


@pytest.mark.parametrize("button", Button)
def test_a_press_that_comes_late_does_not_count_but_a_hold_does(bench, button):
    bench.own(1)
    bench.now += DEAD_MAN_S + 0.01
    answer = bench.press(1, button.value)
    assert answer.ok is (button is Button.HOLD)
    assert bench.pressed() == ({button: 1} if button is Button.HOLD else {})
    if not answer.ok:
        assert "0.160 s" in answer.error
        assert "0.15 s" in answer.error


def test_the_order_names_the_owner_and_who_pressed_last(bench):
    bench.join(1, "Anna")
    bench.join(2, "Boris")
    assert (bench.order.owner, bench.order.presser) == ("", "")
    bench.say(1, m.Take())
    assert bench.order.owner == "Anna"
    bench.say(1, m.Alive(held=False, stamp_s=bench.now))
    bench.say(1, m.Press(button="home"))
    assert bench.order.presser == "Anna"
    bench.say(2, m.Stop())
    assert (bench.order.owner, bench.order.presser) == ("Anna", "Boris")
    bench.say(1, m.Release())
    assert (bench.order.owner, bench.order.presser) == ("", "Boris")


def test_the_order_says_when_each_button_was_pressed_and_in_whose_owning(bench):
    bench.own(1, "left")
    bench.join(2, "right")
    first, index = bench.order.owning, BUTTONS.index(Button.HOME)
    bench.heard(1)
    bench.press(1, "home")
    assert (bench.order.pressed_s[index], bench.order.press_ownings[index]) == (100.0, first)
    bench.say(1, m.Release())
    bench.say(2, m.Take())
    bench.alive(2, held=False)
    assert bench.order.owning > first
    assert bench.order.press_ownings[index] == first  # an old press, whoever owns it now
    bench.now += 0.1
    bench.press(2, "home")
    assert bench.order.pressed_s[index] == bench.now
    assert bench.order.press_ownings[index] == bench.order.owning
    bench.say(1, m.Stop())
    assert bench.order.pressed_s[BUTTONS.index(Button.HOLD)] == bench.now
    assert bench.order.pressed_s[BUTTONS.index(Button.PARK)] == -math.inf


def test_a_second_desk_goes_on_counting_where_the_first_died(bench):
    bench.own(1, "left")
    bench.alive(1, held=True)
    for button in ("home", "home", "park"):
        bench.press(1, button)
    bench.say(1, m.Override(value=0.5))
    bench.say(1, m.Target(pose=(0.0,) * 6))
    bench.desk.proved(bench.asked.pop(), "")
    bench.say(1, m.Motion(table={}))
    bench.desk.proved(bench.asked.pop(), "", b"{}")
    died = bench.order
    second = Bench(before=died)
    order = second.order
    assert (order.presses, order.override, order.motion_serial) == (died.presses, 0.5, 1)
    assert (order.owner, order.held, order.stamp_s, order.target) == ("", False, -math.inf, None)
    assert order.owning > died.owning
    second.join(5)
    second.say(5, m.Stop())
    assert second.pressed() == {Button.HOME: 2, Button.HOLD: 1, Button.PARK: 1}


def test_the_tempo_is_kept(bench):
    bench.own(1)
    assert bench.order.override == 1.0
    assert bench.say(1, m.Override(value=0.3, id=2)) == [m.Answer(id=2, ok=True)]
    assert bench.order.override == 0.3


def test_everyone_is_told_what_is_wanted_and_before_its_answer(bench):
    bench.join(2, "onlooker")
    bench.own(1)
    assert bench.told(2)[-1] == m.Wanted(override=1.0, pose=None)
    bench.desk.received(1, m.Override(value=0.3, id=2).to_bytes())
    bench.collect()
    assert bench.inbox[1] == [m.Wanted(override=0.3, pose=None), m.Answer(id=2, ok=True)]
    bench.say(1, m.Target(pose=(0.1,) * 6, id=3))
    bench.told(2)
    bench.desk.proved(bench.asked.pop(), "")
    assert bench.told(2) == [m.Wanted(override=0.3, pose=(0.1,) * 6)]
    bench.say(1, m.Motion(table={}, id=4))
    bench.desk.proved(bench.asked.pop(), "", b'{"kind": "multi_sine"}')
    assert bench.told(2) == [m.NewMotion(serial=1, table={"kind": "multi_sine"})]
    bench.say(1, m.Motion(table={}, id=5))
    bench.desk.proved(bench.asked.pop(), "motion: too far")
    assert bench.told(2) == []
    bench.say(1, m.Release())
    assert bench.told(2) == [m.Wanted(override=0.3, pose=None)]


def test_who_comes_later_or_to_the_next_desk_is_told_what_is_in_force(bench):
    bench.own(1)
    bench.say(1, m.Override(value=0.3))
    bench.say(1, m.Motion(table={}))
    bench.desk.proved(bench.asked.pop(), "", b'{"fade_s": 2.0}')
    later = [m.NewMotion(serial=1, table={"fade_s": 2.0}), m.Wanted(override=0.3, pose=None)]
    bench.join(2, "late")
    assert bench.told(2) == later
    second = Bench(before=bench.order)
    second.join(1)
    assert second.told(1) == later


# --- holding -----------------------------------------------------------------------------------


def test_a_hold_counts_while_signs_of_life_come(bench):
    bench.own(1)
    for _ in range(20):
        bench.alive(1, held=True)
        assert (bench.order.held, bench.order.stamp_s) == (True, bench.now)
        bench.now += 0.1
        bench.desk.tick()
        assert bench.order.held
    bench.alive(1, held=False)
    assert (bench.order.held, bench.order.stamp_s) == (False, bench.now)


def test_silence_lets_go_and_only_a_new_press_holds_again(bench):
    bench.own(1)
    bench.alive(1, held=True)
    bench.now += DEAD_MAN_S + 0.001
    bench.desk.tick()
    assert (bench.order.held, bench.order.stamp_s) == (False, 100.0)
    for _ in range(3):
        bench.alive(1, held=True)
        assert not bench.order.held
        assert bench.order.stamp_s == bench.now  # it lives, but it does not hold
        bench.now += 0.02
    bench.alive(1, held=False)
    bench.alive(1, held=True)
    assert bench.order.held


def test_a_gap_that_no_tick_has_seen_lets_go_too(bench):
    bench.own(1)
    bench.alive(1, held=True)
    bench.now += DEAD_MAN_S + 0.001
    bench.alive(1, held=True)
    assert not bench.order.held


def test_a_word_that_waited_is_as_old_as_it_is(bench):
    bench.own(1)
    bench.now += 5.0
    bench.alive(1, held=True, age_s=1.0)
    assert (bench.order.held, bench.order.stamp_s) == (False, bench.now - 1.0)
    bench.alive(1, held=True)
    assert not bench.order.held  # pressed while it was not there
    stamp_s = bench.order.stamp_s
    bench.alive(1, held=False)
    bench.alive(1, held=True, age_s=0.5)  # overtaken
    assert (bench.order.held, bench.order.stamp_s) == (False, stamp_s)


def test_a_stamp_of_the_future_is_refused(bench):
    bench.own(1)
    bench.alive(1, held=True, age_s=-0.04)  # within what two clocks' readings may differ
    assert (bench.order.held, bench.order.stamp_s) == (True, bench.now)
    assert "ahead" in refused(bench, 1, bench.alive(1, held=True, age_s=-0.06))
    assert not bench.order.held


def test_an_onlookers_hold_does_not_count_even_once_it_owns(bench):
    bench.own(1)
    bench.join(2)
    bench.alive(2, held=True)
    assert (bench.order.held, bench.order.stamp_s) == (False, 100.0)
    bench.say(1, m.Release())
    bench.say(2, m.Take())
    bench.alive(2, held=True)
    assert not bench.order.held  # it was pressed before it meant anything
    bench.alive(2, held=False)
    bench.alive(2, held=True)
    assert bench.order.held


# --- proving -----------------------------------------------------------------------------------


def test_a_motion_is_an_order_only_once_it_is_proved(bench):
    bench.own(1)
    assert bench.say(1, m.Motion(table={"kind": "multi_sine"}, id=6)) == []
    (case,) = bench.asked
    assert case.table == {"kind": "multi_sine"}
    assert bench.order.motion_serial == 0
    bench.desk.proved(case, "", b'{"full": 1}')
    assert (bench.order.motion_serial, bench.order.motion_json) == (1, b'{"full": 1}')
    assert bench.heard(1) == [m.Answer(id=6, ok=True)]
    bench.say(1, m.Motion(table={}, id=7))
    bench.desk.proved(bench.asked[-1], "motion: 9 m, limit 1 m", b"")
    assert (bench.order.motion_serial, bench.order.motion_json) == (1, b'{"full": 1}')
    assert bench.heard(1) == [m.Answer(id=7, ok=False, error="motion: 9 m, limit 1 m")]


def test_a_proof_that_comes_too_late_changes_nothing(bench):
    bench.own(1)
    bench.say(1, m.Target(pose=(0.1,) * 6, id=6))
    bench.say(1, m.Motion(table={}, id=7))
    bench.say(1, m.Release())
    bench.heard(1)
    before = bench.order
    for case in bench.asked:
        bench.desk.proved(case, "", b"{}")
    assert bench.order == before
    assert [answer.ok for answer in bench.heard(1)] == [False, False]
    bench.desk.disconnected(1)
    bench.desk.proved(bench.asked[0], "", b"{}")
    assert bench.heard(1) == []


HERE, THERE = (0.0,) * 6, (0.1,) * 6


def test_a_target_that_was_withdrawn_does_not_come_back_when_its_proof_does(bench):
    bench.own(1)
    bench.say(1, m.Target(pose=THERE, id=6))
    assert bench.say(1, m.Target(pose=None, id=7)) == [m.Answer(id=7, ok=True)]
    bench.desk.proved(bench.asked[0], "")
    assert bench.order.target is None
    (answer,) = bench.heard(1)
    assert (answer.id, answer.ok) == (6, False)
    assert answer.error.startswith("target: withdrawn")
    bench.say(1, m.Target(pose=HERE, id=8))
    bench.desk.proved(bench.asked[1], "")
    assert bench.order.target == HERE


def test_a_withdrawn_target_does_not_take_a_motion_with_it(bench):
    bench.own(1)
    bench.say(1, m.Motion(table={}, id=6))
    bench.say(1, m.Target(pose=None, id=7))
    bench.desk.proved(bench.asked[0], "", b"{}")
    assert bench.order.motion_serial == 1


@pytest.mark.parametrize("wish", [m.Target(pose=THERE, id=6), m.Motion(table={}, id=6)])
def test_what_was_asked_before_the_motion_was_given_back_is_not_done_after_taking_it(bench, wish):
    bench.own(1)
    bench.say(1, wish)
    bench.say(1, m.Release(id=7))
    bench.say(1, m.Take(id=8))
    bench.heard(1)
    before = bench.order
    bench.desk.proved(bench.asked[0], "", b"{}")
    assert bench.order == before
    (answer,) = bench.heard(1)
    assert (answer.id, answer.ok) == (6, False)
    assert "given back" in answer.error


@pytest.mark.parametrize("wish", [m.Target(pose=(0.0,) * 6), m.Motion(table={})])
def test_the_arm_station_has_nothing_to_set(wish):
    bench = Bench(station="arm")
    bench.own(1)
    (answer,) = bench.say(1, wish)
    assert not answer.ok
    assert "arm station" in answer.error
    assert not bench.asked


@pytest.mark.parametrize("orderly", [True, False])
def test_the_end_of_the_bench_or_of_the_way_to_it_is_told_to_all(bench, orderly):
    bench.own(1)
    bench.join(2, "onlooker")
    bench.connect(3)
    bench.alive(1, held=True)
    bench.heard(2)
    bench.desk.run_over() if orderly else bench.desk.cut_off()
    assert (bench.order.held, bench.order.stamp_s) == (False, -math.inf)
    for key in (1, 2):
        (told,) = bench.heard(key)
        names = ("panel", "onlooker")
        over = m.State(owner="", you_own=False, clients=names, bench=False)
        assert told == (over if orderly else m.CutOff())
    assert bench.heard(3) == []
    assert sorted(bench.left) == [1, 2, 3]
