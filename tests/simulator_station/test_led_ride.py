"""A ride that an operator leads: begun, changed, muted, lost and begun again, without a kick."""

import numpy as np
import pytest
from led_bench import LedBench
from operated_bench import PERIOD_S

from hil.desk.order import Button
from hil.hosts.watch.states import HostState
from safety.modes import Mode
from safety.verdict import Action


@pytest.fixture
def bench(tmp_path):
    made = LedBench(tmp_path)
    with made.opened:
        yield made
    assert made.violations == []
    assert not made.governed, "it would hide what is judged here"
    legs = made.leg_accelerations(0)
    most = min(leg.acceleration_max_m_s2 for leg in made.limits.legs)
    engaged = np.array(made.engaged)
    within = engaged[2:] & engaged[:-2]
    assert np.abs(legs[within]).max() <= most


def ready(bench):
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.heard.host is HostState.LIVE)


def engaged(bench):
    ready(bench)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)


def riding(bench, for_s=6.0):
    engaged(bench)
    bench.press(Button.PLAY)
    bench.run(for_s)


def smooth(bench, since):
    """What is asked from a cycle on is one motion: its rows belong together, and none jumps."""
    x, v, a = bench.steps(since)
    np.testing.assert_allclose(
        np.diff(x, axis=0), PERIOD_S * (v[1:] + v[:-1]) / 2.0, atol=1e-3 * PERIOD_S
    )
    return np.abs(np.diff(a, axis=0)).max()


def test_nothing_is_followed_before_it_is_live_engaged_and_played(bench):
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.last.verdict.action is Action.HOLDING)
    bench.press(Button.ENGAGE)
    assert "the source" in bench.refused
    bench.until(lambda: bench.heard.host is HostState.LIVE)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    since = len(bench.rows)
    bench.run(2.0)
    assert np.ptp(bench.steps(since)[0], axis=0).max() == 0.0
    bench.press(Button.PLAY)
    bench.run(5.0)
    assert np.ptp(bench.steps(since)[0], axis=0).max() > 0.005
    bench.press(Button.PLAY)
    assert "PLAY: the motion is being played" in bench.refused


def test_a_gain_is_reached_over_a_second_and_a_mute_fades_and_comes_back(bench):
    riding(bench)
    since = len(bench.rows)
    bench.wish(gain=0.4)
    gains = []
    for _ in range(round(1.2 / PERIOD_S)):
        bench.cycle()
        gains.append(bench.ride.motion.gain.value)
    gains = np.array(gains)
    assert np.all(np.diff(gains) <= 0.0)
    assert gains[round(0.9 / PERIOD_S)] > 0.4
    assert gains[round(1.0 / PERIOD_S) + 1] == pytest.approx(0.4, abs=1e-12)
    assert np.abs(np.diff(gains)).max() <= 0.6 * 1.875 * PERIOD_S * 1.01  # of the smooth window
    bench.wish(gain=0.4, muted=True)
    bench.run(0.3 + 2 * PERIOD_S)
    assert bench.ride.motion.weight == 0.0
    bench.run(0.5)
    assert bench.ride.motion.muted
    bench.wish(gain=0.4)
    bench.run(0.5)
    assert 0.0 < bench.ride.motion.weight < 1.0
    bench.run(0.5 + 2 * PERIOD_S)
    assert bench.ride.motion.weight == 1.0
    assert smooth(bench, since) < 0.1


def test_a_table_that_cannot_be_is_told_and_the_ride_goes_on(bench):
    riding(bench, 2.0)
    for table, why in (
        ({"preset": 5}, "preset = 5: there are 0 (tight)"),
        ({"gain": -1.0}, "gain"),
        ({"gain": 11.0}, "gain"),
        ({"surprise": 1}, "surprise"),
    ):
        bench.wish(**table)
        bench.run(2 * PERIOD_S)
        assert why in bench.refused
    assert bench.ride.motion.gain.value == 1.0
    assert bench.told.operation.playing == "play"


@pytest.mark.parametrize("preset", [1, 2])
def test_presets_cross_over_without_a_step(bench, preset):
    riding(bench, 9.0)
    since = len(bench.rows)
    bench.run(1.0)
    before = smooth(bench, since)
    since = len(bench.rows)
    bench.wish(preset=preset)
    bench.run(1.2)
    bench.wish(preset=0)
    bench.run(0.4)
    bench.wish(preset=preset)  # while a change is under way
    bench.run(2.5)
    assert bench.ride.parts.preset == preset
    assert smooth(bench, since) < 0.02 + before


def test_a_host_that_is_lost_parks_and_moves_nothing_before_a_person_engages_and_plays(bench):
    for _ in range(2):  # what was done once can be done again
        riding(bench)
        lost_s = bench.index * PERIOD_S
        bench.fault("stall duration_s=4")
        bench.until(lambda: bench.heard.host is HostState.LOST, 4.0)
        assert 2.0 <= bench.index * PERIOD_S - lost_s < 2.4
        assert bench.mode is Mode.ENGAGED
        bench.until(Mode.PARKING, 5.0)
        assert bench.modes[-4:] == [Mode.ENGAGED, Mode.CSTOP, Mode.HOLD, Mode.PARKING]
        bench.until(Mode.STANDBY)
        bench.run(1.0)
        since = len(bench.lengths)
        bench.until(lambda: bench.heard.host is HostState.LIVE, 6.0)
        bench.press(Button.PLAY)
        assert bench.refused
        bench.run(3.0)
        assert bench.mode is Mode.STANDBY
        assert np.ptp(np.array(bench.lengths[since:]), axis=0).max() == 0.0
        bench.press(Button.ENGAGE)
        bench.until(Mode.ENGAGED)
        since = len(bench.rows)
        bench.run(1.0)
        assert np.ptp(bench.steps(since)[0], axis=0).max() == 0.0
        bench.press(Button.PLAY)
        bench.run(3.0)
        assert np.ptp(bench.steps(since)[0], axis=0).max() > 1e-3
        assert bench.ride.motion.weight == 1.0
        bench.press(Button.HOLD)
        bench.until(Mode.HOLD)
        bench.press(Button.PARK)
        bench.until(Mode.STANDBY)
