"""Figures of a ride against motions whose figures are known."""

import numpy as np
import pytest

from platform6dof.cueing.score import score, sensed_of
from platform6dof.cueing.vestibular import REID_NAHON, TELBAN_CARDULLO, sensed

PERIOD_S = 0.02
T_S = np.arange(0.0, 60.0, PERIOD_S)


def ride(seed=4):
    noise = np.random.default_rng(seed).normal(size=(len(T_S), 6))
    kernel = np.hanning(60) / np.hanning(60).sum()
    smooth = [np.convolve(column, kernel, mode="same") for column in noise.T]
    return 10.0 * np.stack(smooth, axis=1)


@pytest.mark.parametrize("model", [REID_NAHON, TELBAN_CARDULLO])
def test_the_motion_itself_has_no_error(model):
    wanted = ride()
    for axis in score(wanted, wanted, PERIOD_S, model).axes:
        assert (axis.nrmse, axis.false_cue_share, axis.over_threshold) == (0.0, 0.0, 0.0)
        assert axis.correlation == pytest.approx(1.0)


@pytest.mark.parametrize(("share", "correlation"), [(0.4, 1.0), (-0.5, -1.0), (0.0, None)])
def test_a_share_of_the_motion(share, correlation):
    wanted = ride()
    for axis in score(wanted, share * wanted, PERIOD_S).axes:
        assert axis.nrmse == pytest.approx(1.0 - share)
        if correlation is None:
            assert np.isnan(axis.correlation)
        else:
            assert axis.correlation == pytest.approx(correlation)


def test_each_figure_as_its_definition_computes_it():
    wanted, felt = ride(), ride(seed=5)
    found = score(wanted, felt, PERIOD_S)
    for k, axis in enumerate(found.axes):
        model = REID_NAHON.organs[k]
        ref = sensed(model, wanted[:, k] - wanted[:, k].mean(), PERIOD_S)
        sim = sensed(model, felt[:, k] - felt[:, k].mean(), PERIOD_S)
        error = ref - sim
        assert axis.nrmse == pytest.approx(np.sqrt(np.sum(error**2) / np.sum(ref**2)))
        assert axis.correlation == pytest.approx(np.corrcoef(ref, sim)[0, 1])
        wrong = [
            abs(e) > model.threshold and a * b < 0 for e, a, b in zip(error, ref, sim, strict=True)
        ]
        assert 0.05 < axis.false_cue_share == pytest.approx(np.mean(wrong))
        assert axis.over_threshold == pytest.approx(np.abs(error).max() / model.threshold)
        assert axis.peak == pytest.approx(np.abs(sim).max())


def test_a_bias_of_a_sensor_is_no_error():
    wanted = ride()
    biased = wanted + np.array([1.0, -2.0, -9.8, 0.1, 0.2, 0.3])
    assert max(one.nrmse for one in score(biased, wanted, PERIOD_S).axes) < 1e-12


def test_nothing_wanted_gives_no_ratio():
    still = np.zeros((len(T_S), 6))
    found = score(still, ride(), PERIOD_S)
    assert np.isnan([one.nrmse for one in found.axes]).all()
    assert found.of("heave").over_threshold > 1.0
    assert np.isnan(found.mean_nrmse())


def test_the_mean_is_of_the_axes_named():
    wanted = ride()
    felt = wanted * [0.9, 0.7, 1, 1, 1, 1]
    found = score(wanted, felt, PERIOD_S)
    assert found.mean_nrmse() == pytest.approx(0.2)
    assert found.mean_nrmse(("sway",)) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("wanted", "felt", "says"),
    [
        (np.zeros((9, 6)), np.zeros((8, 6)), "must be equal"),
        (np.zeros((1, 6)), np.zeros((1, 6)), "at least 2"),
        (np.full((9, 6), np.inf), np.zeros((9, 6)), "finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_cannot_be_judged_is_refused(wanted, felt, says):
    with pytest.raises(ValueError, match=says):
        sensed_of(wanted, felt, PERIOD_S)
