"""The model of a bench's state: lamps, link, ownership, and what can be pressed when."""

from itertools import count

import numpy as np
import pytest
from feed_samples import arm_facts, batch, mode, platform_facts
from row_samples import ARM

from hil.desk import messages as m
from hil.desk.operation import Operation, Refusal
from hil.desk.order import BUTTONS, NO_PRESSES, Button
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.bench_link import STALE_S, Link, Source
from hil.panel.live.models.feed import Batch
from hil.panel.live.models.lamps import lamp_of
from hil.recording.events import EventKind, EventRecord, Level
from hil.run.pages import Shape
from hil.stations.arm.report.recording import simulated_event
from hil.stations.arm.signals import STATES
from hil.stations.arm.views import LAMPS as ARM_LAMPS
from hil.stations.platform.lead.buttons import Readiness, why_not
from hil.stations.platform.views import LAMPS
from safety.modes import Mode
from safety.verdict import Action

OWN = m.State(owner="desk", you_own=True, clients=("desk", "other"), bench=True)
OTHERS = m.State(owner="other", you_own=False, clients=("desk", "other"), bench=True)
FREE = m.State(owner="", you_own=False, clients=("desk",), bench=True)
HOLDING = list(Action).index(Action.HOLDING)


def bench(in_mode="STANDBY", said=OWN, now_s=10.0, operation=None, source=Source.LIVE, **fields):
    facts = platform_facts()
    model = BenchModel(facts, source, count(1).__next__)
    if said is not None:
        model.take_message(said)
    fields = {"action": HOLDING} | fields
    model.take(batch(facts, operation=operation, mode=mode(facts, in_mode), **fields), now_s)
    return model


def presses(button, times=1):
    return tuple(times * (one is button) for one in BUTTONS)


def shut_down(*, taken):
    data = {"button": "shut_down", "taken": taken, "by": "Anna"}
    return EventRecord(1.0, 100, EventKind.NOTE, Level.INFO, "operator", "SHUT_DOWN", data)


# --- lamps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [one.name for one in Mode])
def test_the_lamp_of_the_mode_is_lit_and_no_other(name):
    lamps = bench(name).lamps
    assert [lamp.name for lamp in lamps] == [one.name for one in Mode]
    assert [lamp.name for lamp in lamps if lamp.lit] == [name]


def test_every_mode_of_both_stations_has_a_lamp():
    assert set(LAMPS) == {one.name for one in Mode}
    assert set(ARM_LAMPS) == set(STATES)


def test_what_moves_what_stops_and_what_is_wrong_differ_in_shape():
    shapes = {name: lamp_of(LAMPS, name, lit=True).shape for name in LAMPS}
    of = {shape: {name for name, one in shapes.items() if one is shape} for shape in Shape}
    assert of[Shape.MOVES] == {"HOMING", "ENGAGING", "ENGAGED", "PARKING"}
    assert of[Shape.FAULT] == {"QSTOP", "FAULT", "LOCKOUT"}
    assert of[Shape.STOPS] == {"CSTOP", "HOLD"}


def test_the_arm_shows_the_states_of_its_link():
    facts = arm_facts()
    model = BenchModel(facts)
    model.take(batch(facts, state=STATES.index("streaming")), 0.0)
    assert [lamp.name for lamp in model.lamps if lamp.lit] == ["streaming"]
    assert model.buttons == ()
    assert isinstance(model.stop(), m.Stop)


def test_before_the_first_frame_no_lamp_is_lit_and_after_a_seek_neither():
    facts = platform_facts()
    model = BenchModel(facts)
    assert model.mode is None
    assert not any(lamp.lit for lamp in model.lamps)
    model.take(batch(facts, mode=3), 0.0)
    assert model.mode == "STANDBY"
    model.take(batch(facts, restart=True, count=0), 0.0)
    assert not any(lamp.lit for lamp in model.lamps)


# --- link --------------------------------------------------------------------------------------


def test_a_silent_bench_is_stale_and_comes_back():
    model = bench(now_s=10.0)
    assert model.link(10.0 + STALE_S) is Link.LIVE
    assert model.link(10.01 + STALE_S) is Link.STALE
    assert "2.5 s" in model.link_text(12.5)
    model.take(batch(model.facts, mode=3), 12.6)
    assert model.link(12.7) is Link.LIVE


def test_the_lamp_of_a_silent_or_ended_bench_loses_its_colour_but_not_its_place():
    model = bench("FAULT", now_s=10.0)
    assert model.lamps_at(10.1) == model.lamps
    for now_s in (12.0, 10.1):
        found = [lamp for lamp in model.lamps_at(now_s) if lamp.lit]
        assert [(lamp.name, lamp.role) for lamp in found] == [("FAULT", "dim")]
        model.over("gone")


def test_a_slow_bench_is_not_called_silent_between_two_frames():
    facts = arm_facts()
    model = BenchModel(facts)
    assert model.link(0.0) is Link.WAITING
    model.take(batch(facts, state=2), 0.0)
    assert model.link(3.0 * facts.period_s) is Link.LIVE
    assert model.link(3.1 * facts.period_s) is Link.STALE


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (lambda model: model.take_message(m.SessionRefused(why="no hello")), "no hello"),
        (lambda model: model.over("its desk is gone"), "its desk is gone"),
        (
            lambda model: model.take_message(
                m.State(owner="", you_own=False, clients=(), bench=False)
            ),
            "the run is over",
        ),
    ],
)
def test_an_ended_bench_says_why_and_takes_nothing(end, why):
    model = bench()
    model.hold(pressed=True)
    end(model)
    assert model.link(10.0) is Link.ENDED
    assert why in model.link_text(10.0)
    assert (model.held, model.you_own, model.may_take) == (False, False, False)
    assert {state.why_not for state in model.buttons} == {why}
    model.over("another reason")
    assert why in model.link_text(10.0)
    model.hold(pressed=True)
    assert not model.alive(11.0).held


def test_a_recording_has_no_buttons_to_press():
    model = bench(source=Source.REPLAY)
    assert model.link(1e9) is Link.REPLAY
    assert not any(state.allowed for state in model.buttons)
    assert not model.may_take
    assert model.press(Button.HOME) is None
    assert "recording" in model.refused
    assert model.owner_text == "Nobody moves it: a recording", "what it shows may well move"


# --- who moves it ------------------------------------------------------------------------------


def test_owner_in_words():
    assert bench(said=OWN).owner_text == "You own the motion"
    assert bench(said=OTHERS).owner_text == "other owns the motion"
    assert bench(said=FREE).owner_text == "Nobody owns the motion"
    assert [bench(said=said).may_take for said in (OWN, OTHERS, FREE)] == [False, False, True]


def test_only_the_owner_holds_and_lets_go_when_it_loses_the_motion():
    model = bench(said=OTHERS)
    model.hold(pressed=True)
    assert not model.held
    model.take_message(OWN)
    model.hold(pressed=True)
    assert model.alive(12.0) == m.Alive(held=True, stamp_s=12.0)
    model.take_message(OTHERS)
    model.take_message(OWN)
    assert not model.held  # it must be pressed anew


def test_a_stop_and_giving_back_let_go():
    for wish in (BenchModel.stop, BenchModel.toggle_ownership):
        model = bench()
        model.hold(pressed=True)
        wish(model)
        assert not model.held


def test_take_when_free_and_give_back_when_owned():
    assert isinstance(bench(said=FREE).toggle_ownership(), m.Take)
    assert isinstance(bench(said=OWN).toggle_ownership(), m.Release)


def test_the_dead_man_is_told_as_control_has_it():
    assert bench(operation=Operation(held=True)).dead_man_text == "Hold-to-run held"
    assert bench(operation=Operation(held=False)).dead_man_text == "Hold-to-run released"
    there = Operation(held=True, dead_man="presence")
    assert bench(operation=there).dead_man_text == "Panel present"


def test_banners_name_the_device():
    assert bench().banners == ("drives: SIMULATED paper (sim:)",)
    assert BenchModel(platform_facts(drives="real (slcan:x)")).banners == ()
    assert BenchModel(arm_facts()).banners == ("robot: SIMULATED rm01 (sim:)",)
    real = BenchModel(arm_facts(robot="rm01 (serial:/dev/ttyS0)"))
    assert real.banners == ()
    real.take(Batch(np.empty((0, ARM.values)), (simulated_event(0.0, 0),)), 0.0)
    assert real.banners == ("robot: SIMULATED rm01 (serial:/dev/ttyS0)",)


# --- buttons -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [one.name for one in Mode])
@pytest.mark.parametrize("held", [False, True])
def test_buttons_are_those_of_the_rule_that_control_follows(name, held):
    model = bench(name)
    model.hold(pressed=held)
    found = {state.button for state in model.buttons if state.allowed}
    standing = Readiness(held=held)
    assert found == {one for one in Button if not why_not(one, Mode[name], standing)}


def test_no_button_but_for_the_owner():
    model = bench("ENGAGED", said=OTHERS)
    assert not any(state.allowed for state in model.buttons)
    assert model.press(Button.PARK) is None
    assert "it must give it back first" in model.refused
    assert isinstance(model.stop(), m.Stop)


def test_the_drives_must_hold_and_the_end_is_the_end():
    model = bench("STANDBY", action=0)
    model.hold(pressed=True)
    whys = {state.button: state.why_not for state in model.buttons}
    assert "being enabled" in whys[Button.ENGAGE]
    ended = bench("ENGAGED")
    ended.take(Batch(batch(ended.facts).rows[:0], (shut_down(taken=True),)), 10.0)
    assert "end is under way" in {s.button: s.why_not for s in ended.buttons}[Button.SHUT_DOWN]


def test_a_shut_down_that_was_refused_greys_nothing():
    model = bench("ENGAGED", operation=Operation(seen=presses(Button.SHUT_DOWN), held=True))
    model.take(Batch(batch(model.facts).rows[:0], (shut_down(taken=False),)), 10.0)
    whys = {state.button: state.why_not for state in model.buttons}
    assert [whys[button] for button in (Button.PLAY, Button.POSE, Button.SHUT_DOWN)] == [""] * 3


def test_playing_and_a_target_decide_about_play_and_pose():
    model = bench("ENGAGED", operation=Operation(held=True, playing="play"))
    model.target_given = False
    whys = {state.button: state.why_not for state in model.buttons}
    assert "played" in whys[Button.PLAY]
    assert "pose" in whys[Button.POSE]
    model.target_given = True
    assert {s.button: s.why_not for s in model.buttons}[Button.POSE] == ""


def test_a_press_is_a_message_and_an_impossible_one_is_a_reason():
    model = bench("STANDBY")
    assert model.press(Button.ENGAGE) is None
    assert "hold Space" in model.refused
    model.hold(pressed=True)
    assert model.press(Button.ENGAGE) == m.Press(button="engage", id=1)
    assert model.refused == ""


def test_hold_goes_out_even_where_nothing_seems_to_move():
    assert bench("STANDBY").press(Button.HOLD) == m.Press(button="hold", id=1)


def test_the_desks_answer_to_a_press_is_shown_and_strangers_answers_are_not():
    model = bench("IDLE")
    model.hold(pressed=True)
    asked = model.press(Button.HOME)
    model.take_message(m.Answer(id=asked.id + 7, ok=False, error="not mine"))
    assert model.refused == ""
    model.take_message(
        m.Answer(id=asked.id, ok=False, error="home: your last sign of life is 1 s old")
    )
    assert model.refused == "Home: home: your last sign of life is 1 s old"
    model.take_message(m.Answer(id=asked.id, ok=False, error="twice"))
    assert "twice" not in model.refused


def test_controls_refusal_is_shown_until_the_next_press_is_taken():
    no = Operation(
        refused=Refusal("the gate did not take it", "engage"), seen=presses(Button.ENGAGE)
    )
    model = bench("STANDBY", operation=no)
    assert model.refused == str(no.refused)
    model.take(batch(model.facts, mode=3, action=HOLDING, operation=no), 10.1)
    model.hold(pressed=True)
    model.press(Button.ENGAGE)
    assert model.refused == ""
    model.take(
        batch(model.facts, mode=3, action=HOLDING, operation=no), 10.2
    )  # the same word again is no news
    assert model.refused == ""
    model.take(
        batch(
            model.facts, mode=3, action=HOLDING, operation=Operation(seen=presses(Button.ENGAGE, 2))
        ),
        10.3,
    )
    assert model.refused == ""


@pytest.mark.parametrize("playing", ["play", "pose"])
def test_a_motion_at_tempo_zero_is_told_until_it_is_raised(playing):
    def at(override, **more):
        return bench("ENGAGED", operation=Operation(override=override, **more))

    assert (
        at(0.0, playing=playing, held=True).notice
        == "The tempo is 0 %: nothing moves before it is raised"
    )
    assert at(0.01, playing=playing, held=True).notice == ""
    assert at(0.0, held=True).notice == "", "nothing is played"
    model = at(0.0, playing=playing, refused="no")
    assert model.notice == "Nothing done. {why}".format(why="no")
    gone = at(0.0, playing=playing)
    gone.over("its desk is gone")
    assert gone.notice == ""


def test_samples_have_a_counter_for_each_button():
    assert len(NO_PRESSES) == len(Button)


# --- the end of the run, and a desk that is gone -----------------------------------------------


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (RunEnd(EndCause.TERMINAL, EndStep.PARKING),
         "THE RUN IS ENDING: Ctrl-C at the terminal, or a signal; parking"),
        (RunEnd(EndCause.SHUT_DOWN, EndStep.STOPPING, "Anna"),
         "THE RUN IS ENDING: End run was pressed by Anna; stopping"),
        (RunEnd(EndCause.SHUT_DOWN, EndStep.STOPPING),
         "THE RUN IS ENDING: End run was pressed; stopping"),
        (RunEnd(EndCause.FAULT, EndStep.POWER_OFF, "leg 2: {stuck}"),
         "THE RUN IS ENDING: leg 2: {stuck}; power off"),
        (RunEnd(EndCause.GAVE_UP, EndStep.POWER_OFF, "CSTOP lasted long", waits="a leg moves"),
         "THE RUN IS ENDING: CSTOP lasted long; power off; waits: a leg moves"),
        (RunEnd(EndCause.DESK, EndStep.STOPPING, "it died"),
         "THE RUN IS ENDING: operator's desk: it died; stopping"),
        (RunEnd(EndCause.SOURCE, EndStep.STOPPING, "ended by the writer"),
         "THE RUN IS ENDING: ended by the writer; stopping"),
    ],
)  # fmt: skip
def test_an_end_in_words_and_nothing_is_begun_in_it(end, words):
    model = bench("STANDBY", operation=Operation(held=True, end=end))
    assert model.end_text == words
    whys = {state.button: state.why_not for state in model.buttons}
    assert "the end is under way" in whys[Button.ENGAGE]
    assert "the end is under way" in whys[Button.SHUT_DOWN]
    model.over("the run is over")
    assert (
        model.end_text == words.replace("THE RUN IS ENDING", "ENDED: the run is over").split(";")[0]
    )


def test_a_run_that_is_over_for_no_told_reason_has_no_words_of_an_end():
    model = bench("STANDBY", operation=Operation())
    model.over("the run is over")
    assert model.end_text == ""
    model.take(
        batch(
            model.facts, operation=Operation(end=RunEnd(EndCause.CONTROL, EndStep.STOPPING, "lost"))
        ),
        10.0,
    )
    assert model.end_text == "ENDED: the run is over: lost", "a last word that is read late"


def test_every_cause_and_step_has_words():
    for cause in EndCause:
        for step in EndStep:
            model = bench(operation=Operation(end=RunEnd(cause, step, "why")))
            assert model.end_text.startswith("THE RUN IS ENDING: ")


def test_no_end_no_words():
    assert bench(operation=Operation()).end_text == ""


def test_control_that_breaks_tells_of_no_operation_but_its_last_word_is_an_end():
    model = bench("ENGAGED", operation=Operation(held=True))
    broken = EventRecord(1.0, 100, EventKind.NOTE, Level.FATAL, "loop", "control failed: no", {})
    model.take(Batch(batch(model.facts).rows[:0], (broken,)), 10.0)
    assert model.end == RunEnd(EndCause.FAULT, EndStep.STOPPING, "control failed: no")
    model.take(batch(model.facts, restart=True, count=0), 10.1)
    assert model.end_text == ""


def test_a_lost_desk_lets_go_and_a_found_one_is_nobodys():
    model = bench("ENGAGED")
    model.hold(pressed=True)
    model.lost("looking for another")
    assert model.link(10.0) is Link.LOST
    assert model.link_text(10.0) == "NO DESK: looking for another"
    assert (model.held, model.you_own, model.may_take) == (False, False, False)
    assert {state.why_not for state in model.buttons} == {"looking for another"}
    assert model.lamps_at(10.1) == model.lamps, "what control tells still comes"
    assert model.lamps_at(12.0) != model.lamps
    model.hold(pressed=True)
    assert not model.held
    model.found()
    assert model.link(10.1) is Link.LIVE
    assert (model.held, model.you_own, model.may_take) == (False, False, True)
