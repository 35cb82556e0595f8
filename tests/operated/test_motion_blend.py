"""From one motion to another: what lies between two good ones is proved before it is gone."""

import json
import math

import numpy as np
import pytest
from bench_plans import plan
from player import LONG, PERIOD_S, Player

from hil.config.settings import ConfigError
from hil.machines.rig.machine import envelope_of, geometry_of
from hil.stations.platform.lead.motion_blend import BlendStage, MotionBlend
from hil.stations.platform.lead.motion_builder import (
    BuiltMotion,
    greatest_change,
    greatest_second,
)
from hil.stations.platform.lead.path_check import SAG, PathCheck, spacing_of
from hil.stations.platform.lead.paths import Crossfade, Played
from hil.stations.platform.lead.phases import OperationPhase
from hil.stations.platform.plan.motion_build import motion_of

ONE = (-0.295, -0.299, 0.738, 0.135, 0.132, 0.262)
OTHER = (-0.053, 0.15, 0.677, -0.334, -0.285, 0.163)
"""Half-way between these two poses leg 4 would be 71 mm too short."""
LARGER = LONG | {"terms": [LONG["terms"][0] | {"amplitude_m": 0.03}], "fade_s": 1.0}


def about(coordinates, **changes):
    """A small motion about a pose."""
    x, y, z, *angles = coordinates
    names = ("alpha_deg", "beta_deg", "gamma_deg")
    turned = dict(zip(names, map(math.degrees, angles), strict=True))
    terms = [{"axis": "z", "amplitude_m": 0.001, "frequency_hz": 0.5}]
    neutral = {"x_m": x, "y_m": y, "z_m": z} | turned
    return LONG | {"terms": terms, "neutral": neutral, "duration_s": 30.0} | changes


def playing(motion):
    player = Player(motion=motion)
    player.run(PERIOD_S)
    player.motion.play()
    player.run(12.0)
    assert player.motion.phase is OperationPhase.PLAYING
    assert player.said == []
    return player


def offered(player, serial, table, for_s):
    player.run(for_s, serial=serial, table=json.dumps(table).encode())
    return player.motion.serial == serial


def test_a_passage_that_leaves_the_envelope_is_refused_and_the_motion_goes_on():
    player = playing(about(ONE))
    envelope = envelope_of(player.plan.rig, geometry_of(player.plan.rig))
    still = np.zeros((1, 6))
    middle = np.array([ONE, OTHER]).mean(axis=0)[None]
    for pose in (ONE, OTHER):
        assert envelope.inside(np.array([pose]), still, still)[0]
    assert not envelope.inside(middle, still, still)[0], "else it proves nothing"
    assert not offered(player, 1, about(OTHER), 4.0)
    assert len(player.said) == 1
    assert player.said[0].startswith("motion 1: the passage to it is not free: leg ")
    assert "limit" in player.said[0]
    rows = np.array(player.rows[-500:])
    assert np.abs(rows[:, 0] - ONE).max() < 0.0011
    player.check()
    # A motion that can be gone over to is taken afterwards.
    assert offered(player, 2, about(ONE, fade_s=0.3), 4.0)
    player.check()


def test_what_is_followed_in_a_passage_was_looked_at_before(monkeypatch):
    looked = []
    outside = PathCheck.outside

    def note(self, way, times_s, *, leave=False):
        looked.extend(way.rows(t_s)[0].copy() for t_s in times_s.tolist())
        return outside(self, way, times_s, leave=leave)

    player = playing(LONG | {"duration_s": 30.0})
    monkeypatch.setattr(PathCheck, "outside", note)
    begun = len(player.rows)
    player.wish |= {"serial": 1, "table": json.dumps(LARGER | {"duration_s": 30.0}).encode()}
    while player.motion.serial != 1:
        player.run(PERIOD_S)
    seen = len(looked)
    apart_s = 1.0 / seen  # of a passage of one second
    assert seen > 30
    assert len(player.rows) > begun + 15, "the proof has taken some cycles"
    going = len(player.rows) - 1
    while isinstance(player.motion._path, Crossfade):
        player.run(PERIOD_S)
    assert len(looked) == seen, "nothing is left to be proved while it is gone"
    went = np.array(player.rows[going:])[:, 0]
    distance = np.abs(went[:, None] - np.array(looked)[None]).max(axis=2).min(axis=1)
    fastest = np.abs(np.array(player.rows[going:])[:, 1]).max()
    assert distance.max() <= apart_s * fastest
    player.check()


@pytest.mark.parametrize("how", ["pose", "end", "engaged is over", "engaging again"])
def test_without_a_motion_that_is_followed_no_passage_is_needed(how):
    player = playing(LONG | {"duration_s": 20.0})
    table = json.dumps(LARGER).encode()
    if how == "end":
        while player.motion.motion_t_s < player.source.duration_s - 0.1:
            player.run(PERIOD_S)
    player.run(0.05, serial=1, table=table)
    assert player.motion.serial == 0
    if how == "pose":
        player.run(PERIOD_S, target=(0.0, 0.0, 0.93, 0.0, 0.0, 0.0), override=0.0)
        player.motion.pose()
        player.run(3.0)
        assert player.motion.phase is OperationPhase.POSING
    elif how == "end":
        player.run(0.1)
        assert player.motion.phase is OperationPhase.RESTING
    elif how == "engaging again":
        player.motion.begin()
        player.run(2 * PERIOD_S)
    else:  # in HOLD or FAULT nothing is sampled
        player.motion.leave()
        order_only(player)
        assert player.motion.serial == 1
        player.motion.begin()
        player.index = 0
    assert player.motion.serial == 1
    player.run(1.0)
    assert player.said == []


def order_only(player, cycles=4, **wish):
    """Cycles in which the motion is led, and followed by nobody."""
    player.wish |= wish
    for _ in range(cycles):
        player.motion.order(**player.wish)


def test_out_of_engaged_a_motion_is_taken_at_once_even_if_that_was_left_in_a_passage():
    player = playing(LONG | {"duration_s": 30.0})
    table = json.dumps(LARGER | {"duration_s": 30.0}).encode()
    player.run(0.0, serial=1, table=table)
    while not isinstance(player.motion._path, Crossfade):
        player.run(PERIOD_S)
    player.motion.leave()
    order_only(player, serial=2, table=json.dumps(LONG).encode())
    assert player.motion.serial == 2
    assert (player.motion.playing, player.motion.motion_t_s) == ("", 0.0)


def passage(old=LONG, new=LARGER, fade_s=1.0):
    the_plan = plan(motion=old, rate_hz=1.0 / PERIOD_S)
    made = BuiltMotion(1, Played(motion_of(plan(motion=new))), None, fade_s, 0.01)
    reach = PathCheck(the_plan.rig, PERIOD_S)
    return MotionBlend(Played(motion_of(the_plan)), made, reach, PERIOD_S)


def test_a_passage_begins_where_it_was_proved_to_begin_and_not_before():
    one = passage()
    path_s = 1.0
    while one.step(path_s, 1.0) is not BlendStage.PROVED:
        assert one.begun(path_s) is None
        path_s += 0.9 * PERIOD_S
    assert one.begun(path_s) is None
    begin_s = path_s
    while (begun := one.begun(begin_s)) is None:
        begin_s += PERIOD_S
    crossfade, new_s = begun
    old = one._old.rows(begin_s)
    np.testing.assert_allclose(crossfade.rows(new_s)[0], old[0], atol=1e-5)
    assert begin_s > 1.2


def test_a_passage_whose_beginning_was_passed_is_proved_anew():
    one = passage()
    one.step(1.0, 1.0)
    assert one.step(1.0, 1.0) is BlendStage.PROVE
    assert one.step(3.0, 1.0) is BlendStage.PLAN
    assert one.step(3.0, 1.0) is BlendStage.PROVE
    path_s = 3.0
    while one.stage is not BlendStage.PROVED:
        path_s += PERIOD_S
        one.step(path_s, 1.0)
    assert one.begun(path_s) is None
    assert one.begun(path_s + 1.0) is not None
    assert one.step(path_s + 1.0, 1.0) is BlendStage.PLAN


@pytest.mark.parametrize("tempo", [1.0, 0.5, 0.1, 0.0])
def test_at_any_tempo_a_passage_begins_when_its_proof_is_done(tempo):
    player = playing(LONG | {"duration_s": 60.0})
    player.run(2.0, override=tempo)
    table = LARGER | {"duration_s": 60.0}
    assert offered(player, 1, table, 1.5)
    player.run(2.0, override=1.0).check()
    assert player.said == []


def test_a_tempo_that_drops_in_the_proof_does_not_put_the_passage_off():
    player = playing(LONG | {"duration_s": 60.0})
    table = LARGER | {"duration_s": 60.0}
    assert not offered(player, 1, table, 0.06)
    player.run(3.0, override=0.0)
    assert player.motion.serial == 1, "it is taken while the platform stands"
    player.run(3.0, override=1.0).check()


def test_a_passage_is_planned_anew_where_a_lower_tempo_would_put_it_off():
    one = passage()
    assert one.step(1.0, 1.0) is BlendStage.PROVE
    assert one.step(1.0, 0.5) is BlendStage.PLAN
    while one.step(1.0, 0.5) is not BlendStage.PROVED:
        assert one.stage in (BlendStage.PLAN, BlendStage.PROVE)
    assert one.begun(1.0) is None
    assert one.step(1.0, 0.0) is BlendStage.PLAN, "it would never be reached"
    while one.step(1.0, 0.0) is not BlendStage.PROVED:
        assert one.begun(1.0) is None
    assert one.begun(1.0) is not None


def test_the_bound_of_a_passage_is_the_sum_of_its_parts():
    """By hand for one sine that is taken from standing, with the window's slopes by sampling."""
    amplitude_m, omega, lead_in_s, fade_s = 0.02, 2.0 * math.pi * 0.8, 0.5, 2.0
    u = np.linspace(0.0, 1.0, 20001)
    window = np.polynomial.Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
    slope, bend = (np.abs(window.deriv(k)(u)).max() for k in (1, 2))
    rate = amplitude_m * (omega + slope / lead_in_s)
    second = amplitude_m * (omega**2 + 2.0 * slope / lead_in_s * omega + bend / lead_in_s**2)
    wanted = second + 2.0 * slope / fade_s * rate + bend / fade_s**2 * 2.0 * amplitude_m
    sine = LONG["terms"][0]
    old, new = (
        plan(motion=LONG | {"terms": [sine | {"amplitude_m": a}]}).scenario.motion
        for a in (0.0, amplitude_m)
    )
    change = greatest_change(old, new, plan().rig)
    assert greatest_second(old, new, change, fade_s) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("fade_s", [0.4, 3.0])
def test_the_bound_of_a_passage_holds_and_parts_the_places(fade_s):
    fast = {"axis": "alpha", "amplitude_deg": 0.5, "frequency_hz": 8.0, "phase_deg": 90.0}
    old = LONG | {"duration_s": 20.0}
    new = LONG | {"duration_s": 20.0, "terms": [*LONG["terms"], fast], "fade_s": fade_s}
    plans = [plan(motion=one, rate_hz=1.0 / PERIOD_S) for one in (old, new)]
    settings = [one.scenario.motion for one in plans]
    change = greatest_change(*settings, plans[0].rig)
    bound = greatest_second(*settings, change, fade_s)
    assert bound > math.radians(0.5) * (2.0 * math.pi * 8.0) ** 2
    motions = [Played(motion_of(one)) for one in plans]
    most = 0.0
    for begin_s in np.arange(0.1, 8.0, 0.37):
        over = Crossfade(*motions, begin_s, 0.0, fade_s)
        times_s = begin_s + np.linspace(0.0, fade_s, 200)
        most = max(most, max(float(np.abs(over.rows(t_s)[2]).max()) for t_s in times_s))
    assert 0.3 * bound < most <= bound
    assert bound * spacing_of(bound) ** 2 / 8.0 == pytest.approx(SAG)


def test_a_motion_without_any_motion_is_taken_from_another_one_without():
    """An amplitude that was brought to 0 twice bends nothing, and divides nothing by it."""
    still = LONG | {"duration_s": 60.0, "terms": [LONG["terms"][0] | {"amplitude_m": 0.0}]}
    player = playing(still)
    assert offered(player, 1, still | {"duration_s": 50.0}, 3.0)
    assert offered(player, 2, LONG | {"duration_s": 50.0}, 3.0)
    assert player.said == []
    player.check()


def test_a_passage_has_an_end_in_sight():
    table = LONG | {"fade_s": 60.0}
    assert plan(motion=table).scenario.motion.fade_s == 60.0
    with pytest.raises(ConfigError, match=r"fade_s.*60"):
        plan(motion=table | {"fade_s": 60.1})


def test_a_motion_that_was_refused_has_no_passage():
    made = BuiltMotion(3, None, None, 0.0, 0.0, "motion 3: no")
    the_plan = plan(motion=LONG)
    with pytest.raises(ValueError, match="motion 3"):
        MotionBlend(Played(motion_of(the_plan)), made, PathCheck(the_plan.rig, PERIOD_S), PERIOD_S)
