"""Where a drive of second order suffices: the sweep over inductances, and its pictures."""

from dataclasses import replace

import numpy as np
import pytest
from arms import gripper_pose, shipped
from hil_arm_study.motions import motions
from hil_arm_study.pictures import inductance_picture, joint_pictures, second_order_picture
from hil_arm_study.second_order import (
    own_time_constants_s,
    second_order_errors,
    with_time_constant,
)
from PIL import Image

from hil.stations.arm.commands.space_arms import loads_of
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Sdirk4
from sim.world.space_arm.simulator import TICK_S, SpaceArm, levers_m

SETTINGS = shipped("bkm")
ARM = SETTINGS.arm()
MOTION = motions(ARM, SETTINGS.home_rad(), 1)[0]
TIMES_S = (1e-3, 2e-3, 4e-3)


@pytest.fixture(scope="module")
def errors():
    return second_order_errors(ARM, loads_of(SETTINGS, "none,heavy"), [MOTION], TIMES_S)


def test_an_error_is_the_distance_of_two_simulations(errors):
    """Of model b and of one whose windings were changed by hand, by the other integrator."""
    drives = tuple(replace(d, inductance_h=2e-3 * d.resistance_ohm) for d in ARM.drives)
    wound, body = replace(ARM, drives=drives), SETTINGS.payloads()["heavy"]
    without, third = (
        SpaceArm(arm, model, MOTION.q_start_rad, payload=body, integrator=Sdirk4(levers_m(arm)))
        for arm, model in ((ARM, DriveModel.B), (wound, DriveModel.F))
    )
    apart_mm = []
    for command in MOTION.commands_rad_s:
        places = [
            gripper_pose(ARM, space.advance(command, TICK_S).q_rad)[1] for space in (without, third)
        ]
        apart_mm.append(1e3 * float(np.linalg.norm(places[0] - places[1])))
    found = errors[4]
    assert (found.load.name, found.time_constant_s) == ("heavy", 2e-3)
    assert found.largest_mm == pytest.approx(max(apart_mm), rel=0.02)
    assert found.median_mm == pytest.approx(float(np.median(apart_mm)), rel=0.02)


def test_the_error_of_second_order_grows_with_the_inductance_and_is_small(errors):
    for first in (0, 3):
        one, two, four = (error.largest_mm for error in errors[first : first + 3])
        assert two / one == pytest.approx(2.0, abs=0.2)
        assert four / two == pytest.approx(2.0, abs=0.2)
        assert 1e-3 < two < 2.0  # the error of model b itself, in 1993


def test_time_constants_are_those_of_the_windings():
    assert own_time_constants_s(ARM) == pytest.approx([2e-3] * len(ARM.links))
    assert own_time_constants_s(with_time_constant(ARM, 5e-3)) == pytest.approx([5e-3] * 6)
    assert own_time_constants_s(shipped("puma560").arm()) == ()


def test_pictures_are_drawn_where_inductance_is_known(errors, tmp_path):
    for picture in (
        inductance_picture(ARM, SETTINGS.home_rad()), second_order_picture(ARM, errors),
    ):  # fmt: skip
        path = tmp_path / f"{picture.name}.png"
        path.write_bytes(picture.png)
        with Image.open(path) as image:
            assert image.width > 1000
            assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20
    puma = shipped("puma560")
    names = [one.name for one in joint_pictures(puma.arm(), puma.home_rad(), None)]
    assert "inductance" not in names
