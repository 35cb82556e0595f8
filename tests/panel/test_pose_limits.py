"""Ends of the sliders against walking there in small steps."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil.stations.platform.lead.pose_limits import pose_limits

CONFIGS = Path(__file__).parents[2] / "configs"
RIGS = {name: load_rig(CONFIGS / "rigs" / f"{name}.toml")
        for name in ("paper", "training_simulator")}  # fmt: skip
STRIDE = 100
ENVELOPES = {name: envelope_of(rig, geometry_of(rig)) for name, rig in RIGS.items()}


def walked(envelope, pose, axis, sign, step):
    """How far one gets in small steps; every one until the first that is outside is looked at."""
    for begin in range(0, 4000, STRIDE):
        steps = np.arange(begin, begin + STRIDE)
        poses = np.repeat(pose[None, :], STRIDE, axis=0)
        poses[:, axis] += sign * step * steps
        inside = envelope.inside(poses)
        assert inside[0] or begin > 0
        if not inside.all():
            return sign * step * (int(steps[inside.argmin()]) - 1)
    raise AssertionError("never outside")


@given(
    name=st.sampled_from(sorted(RIGS)),
    shares=st.lists(st.floats(-0.6, 0.6), min_size=6, max_size=6),
)
@dear
def test_ends_are_where_walking_ends(name, shares):
    rig, envelope = RIGS[name], ENVELOPES[name]
    box = rig.pose_box.box()
    middle = rig.neutral.coordinates()
    room = np.minimum(box.upper - middle, middle - box.lower)
    pose = middle + np.array(shares) * room
    if not envelope.inside(pose[None, :])[0]:
        return
    limits = pose_limits(envelope, pose)
    for axis in range(6):
        for side, sign in enumerate((-1.0, 1.0)):
            step = 0.0005
            end = walked(envelope, pose, axis, sign, step)
            assert limits[axis, side] - pose[axis] == pytest.approx(end, abs=2 * step)


@pytest.mark.parametrize("name", sorted(RIGS))
def test_the_ends_themselves_are_inside_and_a_little_further_is_not(name):
    rig, envelope = RIGS[name], ENVELOPES[name]
    pose = rig.neutral.coordinates()
    limits = pose_limits(envelope, pose)
    for axis in range(6):
        for side, sign in enumerate((-1.0, 1.0)):
            end = pose.copy()
            end[axis] = limits[axis, side]
            assert envelope.inside(end[None, :])[0]
            end[axis] += sign * 0.002
            assert not envelope.inside(end[None, :])[0]


def test_they_are_those_of_the_moment():
    envelope, pose = ENVELOPES["paper"], RIGS["paper"].neutral.coordinates()
    moved = pose.copy()
    moved[3] += 0.3  # a turned platform has less room to rise
    assert pose_limits(envelope, moved)[2, 1] < pose_limits(envelope, pose)[2, 1] - 0.01


def test_outside_nothing_remains():
    envelope, pose = ENVELOPES["paper"], RIGS["paper"].neutral.coordinates()
    pose[2] += 2.0
    assert (pose_limits(envelope, pose) == pose[:, None]).all()


@pytest.mark.parametrize("wrong", [np.zeros(5), np.full(6, np.nan)])
def test_what_is_no_pose_is_refused(wrong):
    with pytest.raises(ValueError, match="six finite"):
        pose_limits(ENVELOPES["paper"], wrong)
