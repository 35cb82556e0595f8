"""Orientation angles of VAL: definition, table, round trips, the degenerate orientation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pumas import DEG
from scipy.spatial.transform import Rotation

from arm_driver.contour.val import OatConvention, from_oat, to_oat
from hil_common.arrays.pose import PoseError

VAL, ZYZ = OatConvention.VAL, OatConvention.ZYZ
angles = st.one_of(
    st.floats(-math.pi, math.pi),
    st.sampled_from([k * math.pi / 2 for k in (-2, -1, 0, 1, 2)]),
    st.floats(-1e-7, 1e-7).map(lambda x: math.pi / 2 + x),
)


def by_definition(oat, convention) -> np.ndarray:
    """VAL's zero orientation written out, then O about the vertical, A and T about the hand."""
    o, a, t = oat
    zero = np.array([[0, 1, 0], [0, 0, -1], [-1, 0, 0]]) if convention is VAL else np.eye(3)
    turns = Rotation.from_euler("z", o), Rotation.from_euler("YZ", [a, t])
    return turns[0].as_matrix() @ zero @ turns[1].as_matrix()


@pytest.mark.parametrize("convention", list(OatConvention))
@given(o=angles, a=angles, t=angles)
def test_the_matrix_is_the_definition(convention, o, a, t):
    rotation = from_oat([o, a, t], convention)
    np.testing.assert_allclose(rotation, by_definition((o, a, t), convention), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("oat_deg", "normal", "approach"),
    [
        ([0, 0, 0], [0, 0, -1], [0, -1, 0]),
        ([90, 0, 0], [0, 0, -1], [1, 0, 0]),
        ([180, 0, 0], [0, 0, -1], [0, 1, 0]),
        ([0, 90, 0], [0, 1, 0], [0, 0, -1]),
        ([0, -90, 0], [0, -1, 0], [0, 0, 1]),
        ([0, 0, 90], [1, 0, 0], [0, -1, 0]),
        ([90, 90, 0], [-1, 0, 0], [0, 0, -1]),
        ([-90, 30, 0], [0.5, 0, -math.sqrt(0.75)], [-math.sqrt(0.75), 0, -0.5]),
    ],
)
def test_table_of_val(oat_deg, normal, approach):
    """Hand's normal (x) and approach (z) in base axes: the table of the document."""
    rotation = from_oat(np.radians(oat_deg), VAL)
    np.testing.assert_allclose(rotation[:, 0], normal, atol=1e-15)
    np.testing.assert_allclose(rotation[:, 2], approach, atol=1e-15)


def test_zero_of_val_has_exact_entries():
    np.testing.assert_array_equal(from_oat([0, 0, 0], VAL), [[0, 1, 0], [0, 0, -1], [-1, 0, 0]])
    np.testing.assert_array_equal(from_oat([0, 0, 0], ZYZ), np.eye(3))


def test_zyz_is_the_euler_sequence():
    expected = Rotation.from_euler("ZYZ", [0.3, 0.5, -0.7]).as_matrix()
    np.testing.assert_allclose(from_oat([0.3, 0.5, -0.7], ZYZ), expected, atol=1e-15)


@pytest.mark.parametrize("convention", list(OatConvention))
@given(o=angles, a=angles, t=angles, t_now=st.floats(-4.0, 4.0))
def test_every_rotation_survives_the_round_trip(convention, o, a, t, t_now):
    rotation = from_oat([o, a, t], convention)
    found = to_oat(rotation, convention, t_now)
    np.testing.assert_allclose(from_oat(found, convention), rotation, rtol=0, atol=2e-9)
    if math.hypot(rotation[0, 2], rotation[1, 2]) > 1e-6:
        np.testing.assert_allclose(from_oat(found, convention), rotation, rtol=0, atol=1e-14)
        assert -math.pi < found[0] <= math.pi
        assert -math.pi <= found[2] <= math.pi
    low = -math.pi / 2 if convention is VAL else 0.0
    assert low - 1e-15 <= found[1] <= low + math.pi + 1e-15


@pytest.mark.parametrize("convention", list(OatConvention))
def test_angles_survive_the_round_trip(convention):
    low = -90 if convention is VAL else 0
    for o in (-179, -90, 0, 17, 179):
        for a in (low + 1, low + 45, low + 90, low + 179):
            for t in (-179, -90, 0, 33, 179):
                oat = np.array([o, a, t]) * DEG
                np.testing.assert_allclose(
                    to_oat(from_oat(oat, convention), convention), oat, atol=1e-13
                )


@pytest.mark.parametrize("convention", list(OatConvention))
@pytest.mark.parametrize("end", [0.0, math.pi])
@pytest.mark.parametrize("t_now", [0.0, 0.7, -2.0])
def test_with_the_hand_upright_t_stays_and_o_takes_the_rest(convention, end, t_now):
    a = end - math.pi / 2 if convention is VAL else end
    rotation = from_oat([0.4, a, 0.3], convention)
    found = to_oat(rotation, convention, t_now)
    assert found[2] == t_now
    assert found[1] == pytest.approx(a, abs=1e-15)
    sign = 1.0 if end == 0.0 else -1.0
    together = found[0] + sign * found[2] - (0.4 + sign * 0.3)
    assert math.remainder(together, 2 * math.pi) == pytest.approx(0.0, abs=1e-14)
    np.testing.assert_allclose(from_oat(found, convention), rotation, atol=1e-14)


def test_the_conventions_differ_by_their_zeros_only():
    oat = np.array([0.3, -0.4, 0.9])
    shifted = oat + np.array([-math.pi / 2, math.pi / 2, 0.0])
    np.testing.assert_allclose(from_oat(oat, VAL), from_oat(shifted, ZYZ), atol=1e-15)


def test_bad_values_are_refused():
    with pytest.raises(PoseError, match=r"oat_rad: shape \(2,\), must be \(3,\)"):
        from_oat([0, 0])
    with pytest.raises(PoseError, match=r"oat_rad.*finite"):
        from_oat([0, math.nan, 0])
    with pytest.raises(PoseError, match="rotation"):
        to_oat(np.eye(4))
    for array in (from_oat([0, 0, 0]), to_oat(np.eye(3))):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
