"""A robot's text there and back, and damaged."""

import string
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from robot_documents import (
    SHIPPED,
    coordinates,
    furnished,
    generated,
    shipped,
    shipped_text,
)

from sim.world.robots.bodies import placed_bodies
from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.losses import LossError, refuse_losses
from sim.world.robots.model import JointType, Mimic, RobotDrive
from sim.world.robots.text import (
    SIZE_MAX,
    number_text,
    read_text,
    text_losses,
    write_text,
)
from sim.world.robots.tree import spanning_tree

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_texts_are_as_they_would_be_written(name):
    lines = [line for line in shipped_text(name).splitlines() if not line.startswith("#")]
    assert write_text(shipped(name)) == "\n".join(lines) + "\n"
    assert text_losses(shipped(name)) == ()


@given(seeds)
def test_any_robot_there_and_back(seed):
    robot = generated(seed)
    text = write_text(robot)
    again = read_text(text, "generated")
    assert again == robot
    assert write_text(again) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_all_digits(value):
    again = float(number_text(value))
    assert again == value
    assert np.signbit(again) == np.signbit(value)


def test_comments_and_blanks_are_free():
    lines = write_text(shipped("robot_a")).splitlines()
    loose = "\n# all of it\n\n" + "\n".join(
        f"  {line.replace('[', ' [ ').replace(', ', '  ,')}\t# of {number}, [(] \r"
        for number, line in enumerate(lines)
    )
    assert read_text(loose, "loose") == shipped("robot_a")


def test_what_the_columns_are():
    robot = shipped("robot_a")
    assert [link.shape for link in robot.links].count(BodyShape.CAPSULE) == 3
    assert robot.links[2].dh == (-1.5707963267948966, 0.1, -1.5707963267948966, 0.0)
    assert robot.links[4].size_m == (0.045, 0.06)
    assert robot.links[3].leaving == (4,)
    assert robot.links[1].density_kg_m3 == 2700.0
    joint = shipped("four_bar").joints[4]
    assert (joint.type, joint.parent, joint.child) == (JointType.HINGE, 2, 3)
    assert (joint.at_parent_m, joint.at_child_m) == ((0.55, 0.0, 0.0), (0.4, 0.0, 0.0))


def test_each_loss_is_told_and_can_be_refused():
    robot = shipped("robot_a")
    links, joints = list(robot.links), list(robot.joints)
    links[2] = replace(links[2], name="upper arm", place=BodyPlace((0.0, 0.0, 0.1)))
    links[3] = replace(links[3], density_kg_m3=0.0, mass_kg=7.0)
    joints[1] = replace(
        joints[1], limits=((-1.0, 1.0),), friction=0.5, damping=1.0, armature=0.1, start=(0.2,)
    )
    joints[5] = replace(joints[5], mimic=Mimic(4))
    full = replace(
        robot,
        name="a",
        links=tuple(links),
        joints=tuple(joints),
        drives=(RobotDrive(1, "torque", 400.0),),
    )
    found = {(one.subject, one.field) for one in text_losses(full)}
    assert found == {
        ("robot", "name"), ("robot", "drives"), ("link 2", "name"), ("link 2", "place"),
        ("link 3", "mass_kg"), ("joint 1", "limits"), ("joint 1", "friction"),
        ("joint 1", "damping"), ("joint 1", "armature"), ("joint 1", "start"),
        ("joint 5", "mimic"),
    }  # fmt: skip
    with pytest.raises(LossError, match=r"joint 1 friction = 0\.5: the text has no column for it"):
        refuse_losses(text_losses(full))
    refuse_losses(text_losses(robot))


@given(seeds)
def test_what_is_not_lost_stays_as_it_is(seed):
    """Masses and inertias told outright too, and the robot moves as before."""
    robot = furnished(seed)
    again = read_text(write_text(robot), "again")
    before, after = placed_bodies(robot), placed_bodies(again)
    poses = spanning_tree(robot).poses(coordinates(robot, seed))
    for number, pose in spanning_tree(again).poses(coordinates(again, seed)).items():
        if not any(joint.mimic for joint in robot.joints):
            assert np.array_equal(pose, poses[number])
        one, other = before[number].mass, after[number].mass
        assert other.mass_kg == pytest.approx(one.mass_kg, rel=1e-13)
        np.testing.assert_allclose(other.centre_m, one.centre_m, atol=1e-15)
        np.testing.assert_allclose(other.inertia_kg_m2, one.inertia_kg_m2, rtol=1e-13, atol=1e-16)
    lost = {(loss.subject, loss.field) for loss in text_losses(robot)}
    for link in robot.links:
        assert ((f"link {link.number}", "mass_kg") in lost) == (link.mass_kg is not None)
        assert (f"link {link.number}", "inertia") not in lost


@at_least(200)
@given(
    seeds,
    st.lists(
        st.tuples(
            st.floats(0.0, 1.0),
            st.integers(0, 6),
            st.text(st.sampled_from(string.printable + "é−\0"), max_size=6),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_a_damaged_text_is_read_or_refused_with_its_place(seed, damages):
    text = write_text(generated(seed, links_max=5))
    for where, count, put in damages:
        at = int(where * len(text))
        text = text[:at] + put + text[at + count :]
    try:
        robot, faults = read_text(text, "damaged.txt"), ()
    except RobotDocumentError as error:
        robot, faults = None, error.faults
    if robot is None:
        assert faults
        assert all(0 <= one.line <= len(text.splitlines()) and one.column >= 0 for one in faults)
    else:
        assert read_text(write_text(robot), "again") == robot


def test_a_document_is_bounded():
    with pytest.raises(RobotDocumentError, match="too long; at most 4000000"):
        read_text("#" * (SIZE_MAX + 1), "long")
    with pytest.raises(RobotDocumentError, match="1:4000: 5000 characters: the line is too long"):
        read_text("#" * 5000, "wide")
