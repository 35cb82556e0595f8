"""Delay, blend and lag of drawn controllers; the judge is what was drawn."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
from campaign import count
from scipy.signal import lsim
from stroke_bench import PERIOD_S, STEP_S, VAL, Bench, Drawn, moved, strokes_of

from arm_driver.fit.identification import NotIdentifiedError, identify
from arm_driver.fit.servo_response import ramp_response
from arm_driver.fit.strokes import (
    AXES,
    PlaceUnknownError,
    Stroke,
    StrokeUnknownError,
    plan_strokes,
    read_stroke,
)
from sim.devices.arm.controller import ArmController

DRAWN = 60
SHARE = 0.05


def drawn(number: int) -> Drawn:
    """The controller of a number; the first ones are at the ends of what is drawn."""
    rng = np.random.default_rng(1300 + number)
    ends = ((0.0, 0.14, 180.0), (0.15, 0.14, 50.0), (0.028, 0.05, 180.0), (0.0, 0.05, 50.0))
    if number < len(ends):
        return Drawn(*ends[number])
    return Drawn(rng.uniform(0.0, 0.15), rng.uniform(0.05, 0.14), rng.uniform(50.0, 180.0))


@functools.cache
def told(number: int) -> tuple[Stroke, ...]:
    return tuple(strokes_of(drawn(number)))


def found_in(strokes: tuple[Stroke, ...]):
    return identify(strokes, period_s=PERIOD_S, step_s=STEP_S)


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(count(DRAWN, least=3)))
def test_delay_blend_and_lag_are_those_that_were_drawn(number: int) -> None:
    controller, found = drawn(number), found_in(told(number))
    assert found.path_delay_s.value == pytest.approx(controller.path_delay_s, rel=SHARE)
    assert found.blend_s.value == pytest.approx(2.0 * controller.half_s, rel=SHARE)
    assert tuple(found.axes) == AXES
    for axis in found.axes.values():
        assert axis.lag_s.value == pytest.approx(controller.lag_s, rel=SHARE)
        behind = axis.fastest * controller.lag_s
        assert axis.following_error == pytest.approx(behind, rel=0.1)
    # The delay is sharper by far than that: some milliseconds would be a twentieth of the blend.
    assert found.path_delay_s.value == pytest.approx(controller.path_delay_s, abs=2e-3)


def late(strokes: tuple[Stroke, ...], jitter_s: float) -> tuple[Stroke, ...]:
    """Requests heard late by chance, never early."""
    rng = np.random.default_rng(7)
    return tuple(
        replace(one, rest_s=one.rest_s + float(np.diff(rng.exponential(jitter_s, 2))[0]))
        for one in strokes
    )


def test_requests_heard_late_by_chance_change_little_or_are_refused() -> None:
    controller = drawn(0)
    found = found_in(late(told(0), 0.003))
    assert found.blend_s.value == pytest.approx(2.0 * controller.half_s, rel=SHARE)
    assert found.axes["x"].lag_s.value == pytest.approx(controller.lag_s, rel=SHARE)
    assert found.blend_s.error > 3.0 * found_in(told(0)).blend_s.error
    with pytest.raises(NotIdentifiedError, match=r"blend.* is not determined to 5%"):
        found_in(late(told(0), 0.1))


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        (lambda one: one.axis == "none", "there is no stroke"),
        (lambda one: one.travel > 0.0, "along x all strokes go one way"),
        (lambda one: one.steps == 2, "along x all strokes have one speed"),
        (lambda one: one.steps == 1, "along x there are 1 strokes; 4 are the least"),
    ],
)
def test_strokes_that_determine_nothing_are_refused(kept, why) -> None:
    some = [one for one in told(0) if kept(one)]
    if "speed" in why:
        some = [one for one in some if abs(one.travel) > 0.055]
    with pytest.raises(NotIdentifiedError, match=why):
        found_in(tuple(some))


def test_places_that_no_controller_drives_are_refused() -> None:
    halved = tuple(
        replace(one, places=tuple((k, 0.5 * place) for k, place in one.places), rest=0.5 * one.rest)
        for one in told(0)
    )
    with pytest.raises(NotIdentifiedError, match=r"mm from any path|no delay"):
        found_in(halved)


class Nulls(ArmController):
    """A controller that goes on behind BREAK when its servos have arrived."""

    lags = 5.0

    def _rest_s(self) -> float:
        return super()._rest_s() + 2.0 * self.lags / self._settings.servos.bandwidth_rad_s


class Window(ArmController):
    """One that goes on when each joint is within a window of its set-point."""

    window_rad = 2e-4

    def _rest_s(self) -> float:
        rest_s = super()._rest_s()
        if rest_s == np.inf or self._now_s < rest_s:
            return rest_s
        off_rad = np.abs(self.motion._servos.setpoint_rad - self.motion.q_rad).max()
        return self._now_s if off_rad <= self.window_rad else np.nextafter(self._now_s, np.inf)

    _now_s = 0.0

    def advance(self, now_s: float) -> bytes:
        self.motion.run(now_s)
        self._now_s = now_s
        return super().advance(now_s)


@pytest.mark.parametrize("controller", [Nulls, Window])
@pytest.mark.parametrize("number", [0, 1])
def test_a_controller_whose_break_waits_for_its_servos_is_named(controller, number) -> None:
    strokes = strokes_of(drawn(number), controller, axes=("x",))
    with pytest.raises(NotIdentifiedError, match="the controller waits for its servos at BREAK"):
        found_in(tuple(strokes))


def test_one_whose_break_waits_for_the_set_point_alone_is_not() -> None:
    for noise_s in (0.001, 0.003):
        for number in range(3):
            assert found_in(late(told(number), noise_s)).blend_s.value > 0.0


def test_the_response_of_the_model_is_that_of_its_differential_equation() -> None:
    """The set-point as the documents have it, interpolated at all phases, through scipy's lsim."""
    half_s, step_s, w = 0.07, 0.028, 90.0
    t = np.arange(-0.3, 0.6, 2.5e-4)
    wanted = np.where(t < -half_s, 0.0, np.where(t > half_s, t, (t + half_s) ** 2 / (4 * half_s)))
    phases = np.arange(0.0, step_s, step_s / 16)
    seen = np.zeros_like(t)
    for phase in phases:
        knots = np.arange(t[0] - step_s + phase, t[-1] + step_s, step_s)
        poses = np.interp(knots, t, wanted)
        seen += np.interp(t, knots, poses) / len(phases)
    followed = lsim(([w * w], [1.0, 2.0 * w, w * w]), seen, t - t[0])[1]
    told = ramp_response(t, 2.0 * half_s, step_s, 2.0 / w)
    assert np.abs(told - followed)[t < 0.5].max() < 3e-6
    assert np.abs(told - ramp_response(t - 1e-3, 2.0 * half_s, step_s, 2.0 / w)).max() > 9e-4


def test_a_stroke_is_read_from_requests_that_tell_a_place_each() -> None:
    bench = Bench(Drawn().controller())
    here = bench.link.poll().measured
    ends = here, moved(here, "z", 0.06)
    heard = bench.drive(ends, [moved(here, "z", 0.03)])
    stroke = read_stroke("z", ends, 2, heard, baud=9600, convention=VAL)
    assert stroke.travel == pytest.approx(0.06, abs=1e-5)
    assert stroke.rest_s == pytest.approx(2.0 * PERIOD_S + 2.0 * 0.1, abs=1e-4)
    with pytest.raises(StrokeUnknownError, match="has 4 requests, 3 were heard"):
        read_stroke("z", ends, 2, heard[1:], baud=9600, convention=VAL)
    silent = replace(heard[2], request=replace(heard[2].request, location=None))
    with pytest.raises(PlaceUnknownError, match=r"does not tell where the robot is: .*feedback"):
        read_stroke("z", ends, 2, [*heard[:2], silent, heard[3]], baud=9600, convention=VAL)


def test_what_an_emulated_controller_says_first_does_not_shift_its_time() -> None:
    """At 19200 Bd as at 9600: the word at rest is longer by S,SIMULATED."""
    for baud in (9600, 19200):
        bench = Bench(Drawn().controller(baud=baud), baud)
        here = bench.link.poll().measured
        ends = here, moved(here, "x", -0.03)
        heard = bench.drive(ends, [moved(here, "x", -0.015)])
        asked_s = [one.asked_s(baud) for one in heard]
        assert np.diff(asked_s[:-1]) == pytest.approx([PERIOD_S] * 2, abs=1e-6)
        assert asked_s[-1] - asked_s[1] == pytest.approx(2.0 * PERIOD_S + 0.2, abs=1e-6)


def test_strokes_return_to_where_they_began() -> None:
    planned = plan_strokes(0.035)
    assert sum(way for _, way in planned) == pytest.approx(0.0, abs=1e-12)
    assert all(abs(way) <= steps * 0.035 + 1e-12 for steps, way in planned)
    places = np.cumsum([way for _, way in planned])
    assert np.abs(places).max() <= 0.0375


def test_a_controller_takes_up_a_waypoint_a_period_later_at_most() -> None:
    for wrong in (-0.01, 0.36):
        with pytest.raises(ValueError, match=r"delay_s = .*: 0 to a period"):
            Drawn(delay_s=wrong).settings()
