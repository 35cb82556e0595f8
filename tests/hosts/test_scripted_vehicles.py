"""The emulated vehicles' motions fit themselves, judged by difference quotients and quadrature."""

import math

import numpy as np
import properties  # noqa: F401  (profiles of hypothesis)
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sim.hosts.flight import scripted_drive, scripted_flight
from sim.hosts.pitch_loop import PitchLoop
from sim.hosts.vehicle_motion import euler_rates, from_euler, to_euler

G = np.array([0.0, 0.0, 9.80665])
H_S = 3e-5
FLIGHT, LOOP, DRIVE = scripted_flight(), scripted_flight(loop=True), scripted_drive()
VEHICLES = {"flight": FLIGHT, "loop": LOOP, "drive": DRIVE}


def rotation(motion):
    w, x, y, z = motion.attitude
    return Rotation.from_quat([x, y, z, w])


def fits(at, t_s, h_s=H_S, place=1e-5):
    """Force, rates, their derivative and place against difference quotients around a time."""
    before, now, after = (at(t_s + k * h_s) for k in (-1, 0, 1))
    turned = rotation(now)
    omega = np.array(now.omega_rad_s)
    dv = (np.array(after.v_m_s) - before.v_m_s) / (2 * h_s)
    force = dv + np.cross(omega, now.v_m_s) - turned.inv().apply(G)
    np.testing.assert_allclose(now.f_m_s2, force, atol=2e-5)
    spun = (rotation(before).inv() * rotation(after)).as_rotvec() / (2 * h_s)
    np.testing.assert_allclose(omega, spun, atol=1e-6)
    slope = (np.array(after.omega_rad_s) - before.omega_rad_s) / (2 * h_s)
    np.testing.assert_allclose(now.domega_rad_s2, slope, atol=1e-5)
    if place is not None:
        went = (np.array(after.position_m) - before.position_m) / (2 * h_s)
        np.testing.assert_allclose(went, turned.apply(now.v_m_s), atol=place)


@pytest.mark.parametrize("vehicle", VEHICLES)
@given(share=st.floats(0.001, 1.0))
def test_force_rates_and_place_fit(vehicle, share):
    made = VEHICLES[vehicle]
    fits(made.at, share * made.lasts_s)


@given(begin_s=st.floats(20.0, 60.0), lasts_s=st.floats(5.0, 40.0), share=st.floats(0.02, 0.98))
def test_a_loop_put_upon_a_flight_fits(begin_s, lasts_s, share):
    t_s = begin_s + share * lasts_s

    def at(when_s):
        looping = PitchLoop(begin_s, lasts_s)  # its place is summed from call to call
        for step in range(21):
            asked_s = when_s - 0.02 + 0.001 * step
            motion = looping.of(FLIGHT.at(asked_s), asked_s)
        return motion

    fits(at, t_s, place=None)


def test_the_place_of_a_loop_is_summed():
    looping = PitchLoop(35.0, 20.0)
    times_s = np.arange(30.0, 60.0, 1 / 60)
    flown = [looping.of(FLIGHT.at(t_s), t_s) for t_s in times_s]
    velocity = np.array([rotation(one).apply(one.v_m_s) for one in flown])
    summed = np.cumsum((velocity[1:] + velocity[:-1]) / 120.0, axis=0) + flown[0].position_m
    np.testing.assert_allclose([one.position_m for one in flown][1:], summed, atol=2e-3)


def test_flights_begin_and_end_at_rest_on_the_runway():
    for vehicle in VEHICLES.values():
        for t_s in (0.0, vehicle.lasts_s, vehicle.lasts_s + 5.0):
            motion = vehicle.at(t_s)
            np.testing.assert_allclose(motion.f_m_s2, -G, atol=1e-9)
            np.testing.assert_allclose(motion.v_m_s, 0.0, atol=1e-9)
            assert motion.ground
    for flight in (FLIGHT, LOOP):
        assert abs(flight.at(flight.lasts_s).position_m[2]) < 1e-6
        heights = [-flight.at(t_s).position_m[2] for t_s in np.arange(0.0, flight.lasts_s, 0.5)]
        assert max(heights) > 80.0
        assert min(heights) > -0.2
    assert max(FLIGHT.at(t_s).omega_rad_s[2] for t_s in np.arange(0, 90, 0.1)) > 0.1


def test_the_loop_passes_90_degrees_of_pitch_and_no_force_jumps():
    at = [LOOP.at(t_s) for t_s in np.arange(0.0, LOOP.lasts_s, 0.01)]
    pitch = np.array([to_euler(one.attitude)[1] for one in at])
    assert pitch.max() > math.radians(89.5)
    assert pitch.min() < math.radians(-89.5)
    forces = np.array([one.f_m_s2 for one in at])
    assert np.abs(forces).max() < 3.0 * 9.81
    assert np.abs(np.diff(forces, axis=0)).max() < 0.5
    rolls = np.array([to_euler(one.attitude)[0] for one in at])
    assert np.abs(np.diff(rolls)).max() > 3.0, "Euler's angles do jump"


def test_coordinated_turns_leave_no_force_to_the_side():
    sideways = [FLIGHT.at(t_s).f_m_s2[1] for t_s in np.arange(15.0, 60.0, 0.1)]
    assert np.abs(sideways).max() < 0.35  # what rolling above the path leaves
    assert max(abs(DRIVE.at(t_s).f_m_s2[1]) for t_s in np.arange(0.0, 58.0, 0.1)) > 2.0


@given(
    phi=st.floats(-3.1, 3.1), theta=st.floats(-1.55, 1.55), psi=st.floats(-3.1, 3.1),
    omega=st.tuples(*[st.floats(-2, 2)] * 3),
)  # fmt: skip
def test_angles_are_those_of_scipy(phi, theta, psi, omega):
    attitude = from_euler(phi, theta, psi)
    expected = Rotation.from_euler("ZYX", [psi, theta, phi])
    w, x, y, z = attitude
    np.testing.assert_allclose(
        Rotation.from_quat([x, y, z, w]).as_matrix(), expected.as_matrix(), atol=1e-12
    )
    np.testing.assert_allclose(to_euler(attitude), (phi, theta, psi), atol=1e-6)
    if abs(theta) < 1.4:
        later = expected * Rotation.from_rotvec(1e-6 * np.array(omega))
        turned = np.array(to_euler((later.as_quat()[3], *later.as_quat()[:3])))
        quotient = (turned - (phi, theta, psi)) / 1e-6
        np.testing.assert_allclose(euler_rates(omega, phi, theta), quotient, atol=1e-3)
