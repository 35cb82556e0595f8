"""Generated documents run or are refused with a reason; frames and masses are closed forms.

The full count is five hundred: ``make test-long``.
"""

import math
import tomllib

import numpy as np
import pytest
from campaign import count
from plain_judge import body_of, product_of, turned
from random_documents import FILES, random_coordinates, random_document

from hil.machines.world.robot_documents import robot_of, shipped_robots
from sim.world.control.laws import Gains, JointLaw, JointMotion
from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import DivergedError, World
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.tree import spanning_tree

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(1200)]
DOCUMENTS = count(500, least=40)
SHAKEN_HZ, G = 5.0, 9.81


def frames_and_masses_are_closed_forms(seed, table, robot, world):
    tree, model = spanning_tree(robot), world._model
    for draw in range(2):
        q = random_coordinates(table, np.random.default_rng((seed, draw)))
        wanted, poses = product_of(table, q), tree.poses(q)
        world.robots[0].move_to(q)
        world.settle()
        for number, pose in poses.items():
            np.testing.assert_allclose(pose, wanted[number], atol=1e-12, err_msg=f"seed {seed}")
            np.testing.assert_allclose(
                world.robots[0].pose(number), wanted[number], atol=1e-12, err_msg=f"seed {seed}"
            )
    for link in table["link"]:
        mass, centre, tensor = body_of(table, link)
        body = model.body(f"l{link['number']}").id
        axes = turned(model.body_iquat[body])
        inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
        assert model.body_mass[body] == pytest.approx(mass, rel=1e-9), seed
        np.testing.assert_allclose(model.body_ipos[body], centre, atol=1e-9, err_msg=f"seed {seed}")
        scale = 1e-9 * np.abs(tensor).max()
        np.testing.assert_allclose(inertia, tensor, atol=scale, err_msg=f"seed {seed}")


def shaken(world):
    """A second at 2 ms under ±1 g along x: the widest gap of its loops [m], and why it ended."""
    world.restart()
    widest = 0.0
    for step in range(500):
        along = G * math.sin(math.tau * SHAKEN_HZ * step * world.step_s)
        world.pull((along, 0.0, -G))
        try:
            world.step()
        except DivergedError as error:
            return widest, error
        widest = max(widest, world.gap_max_m)
    assert np.isfinite(world.positions).all()
    return widest, None


def test_documents_run_a_second_or_are_refused_with_a_reason():
    gaps_um, refused, ended, kinds = [], 0, [], set()
    print(f"documents 0 to {DOCUMENTS - 1}")
    for seed in range(DOCUMENTS):
        text, geared, wrong = random_document(seed)
        if wrong:
            with pytest.raises(RobotDocumentError) as caught:
                read_toml(text, "random.toml", FILES)
            assert all(one.line > 0 and ";" in one.text for one in caught.value.faults), seed
            refused += 1
            continue
        robot, table = read_toml(text, "random.toml", FILES), tomllib.loads(text)
        kinds |= {one["type"] for one in table["joint"]} | {one["shape"] for one in table["link"]}
        world = World(model_text([PlacedRobot(robot)]))
        frames_and_masses_are_closed_forms(seed, table, robot, world)
        gap_m, error = shaken(world)
        if error is not None:
            assert not geared, f"seed {seed}: {error}"
            assert 0.0 < error.time_s < 1.0
            assert error.joint.startswith("j")
            ended.append(seed)
        elif geared and any(joint.closes for joint in robot.joints):
            gaps_um.append(1e6 * gap_m)
    middle, most = np.quantile(gaps_um, (0.5, 0.9))
    print(f"{refused} refused, ended by the engine's warning: {ended}; gaps of {len(gaps_um)}: "
          f"median {middle:.2f} um, 90 % {most:.1f} um, largest {max(gaps_um):.0f} um")  # fmt: skip
    assert kinds == {"hinge", "slide", "universal", "ball", "fixed", "free", "end",
                     "box", "cylinder", "capsule", "sphere", "mesh"}  # fmt: skip
    assert refused == DOCUMENTS // 5
    assert len(ended) <= 0.1 * DOCUMENTS
    assert len(gaps_um) > 0.3 * DOCUMENTS
    slack = 1.0 if len(gaps_um) >= 100 else 3.0  # quantiles of few are uncertain
    assert middle <= 10.0 * slack
    assert most <= 100.0 * slack


LOOPED = ("delta", "four_bar", "rig:paper", "rig:paper_cabin", "rig:training_simulator")
"""Shipped robots whose links close loops."""


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", LOOPED)
def test_loops_of_shipped_robots_stay_closed_while_their_drives_hold_them(name, axis):
    """±1 g at 5 Hz beside gravity, steps of 2 ms, drives told to stay where the robot starts."""
    robot = robot_of(name)[0]
    world = World(model_text([PlacedRobot(robot)]))
    (held,) = world.robots
    dynamics, control = RobotDynamics(world, held), robot.drives[0].control
    law = JointLaw(held.drives, control, "gravity", Gains.placed(dynamics.inertias(), 30.0),
                   world.step_s)  # fmt: skip
    still = np.zeros(len(held.drives))
    wanted, gaps_m = JointMotion(held.positions(), still, still), []
    for step in range(500):
        pull = [0.0, 0.0, -G]
        pull[axis] += G * math.sin(math.tau * SHAKEN_HZ * step * world.step_s)
        world.pull(pull)
        now = JointMotion(held.positions(), held.speeds(), still)
        held.command(law.command(wanted, now, dynamics.holding()))
        world.step()
        gaps_m.append(world.gap_max_m)
    assert 0.0 < max(gaps_m) <= 20e-6
    assert np.abs(held.positions() - wanted.positions).max() < 0.05


def test_no_shipped_robot_with_loops_is_left_out():
    looped = [name for name in shipped_robots() if any(j.closes for j in robot_of(name)[0].joints)]
    assert sorted(looped) == sorted(LOOPED)
