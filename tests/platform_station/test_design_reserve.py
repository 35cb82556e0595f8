"""Travel that a design reserves for stops within its motions, by hand."""

import numpy as np
import pytest

from hil.config.file_search import find_file
from hil.machines.rig.machine import load_rig
from hil.stations.platform.machine.design_motions import DesignMotion, stop_reserve_m
from platform6dof.kernels import rotation
from platform6dof.workspace import PoseBox

RIG = load_rig(find_file("paper", folder="rigs", key="rig"))
HEIGHT_M, STEP_S = 0.935, 0.002
POINT = PoseBox(np.zeros(6), np.zeros(6))


def motion(speed_m_s, doubt_m=0.004, doubt_s=0.03):
    """One setpoint at neutral that heaves."""
    q = np.array([[0.0, 0.0, HEIGHT_M, 0.0, 0.0, 0.0]])
    rates = np.array([[0.0, 0.0, speed_m_s, 0.0, 0.0, 0.0]])
    rows = rotation.setpoints_of_coordinates(q, rates, np.zeros((1, 6)))
    return DesignMotion("heave", STEP_S, rows, q[0, :3], doubt_m, doubt_s)


def test_at_rest_it_is_what_the_gate_keeps_free():
    assert stop_reserve_m([motion(0.0)], RIG, POINT) == pytest.approx(0.004)


def test_without_motions_it_is_nothing():
    assert stop_reserve_m([], RIG, POINT) == 0.0


@pytest.mark.parametrize("speed_m_s", [0.2, -0.2])
def test_in_heave_all_legs_brake_alike(speed_m_s):
    """v^2 / 2 a, two cycles until they brake, and the following error; leg's speed is v h / l."""
    leg_m_s = abs(speed_m_s) * HEIGHT_M / 1.0029012828856114
    brakes_m = leg_m_s**2 / (2.0 * 4.0) + 2.0 * STEP_S * leg_m_s
    expected = brakes_m + 0.004 + 0.03 * leg_m_s
    assert stop_reserve_m([motion(speed_m_s)], RIG, POINT) == pytest.approx(expected, rel=1e-9)
