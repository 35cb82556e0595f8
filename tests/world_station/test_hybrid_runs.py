"""`force_hybrid` grinds a bent plate and puts a peg into a hole: judged by the engine and geometry.

The force is that of the engine's contacts, not what the law's sensor told it; the way is held
against the plate's circle and the straight line of the scenario, the hole against its numbers.
"""

import math

import numpy as np
import pytest
from campaign import count
from scipy.spatial.transform import Rotation

from hil.config.file_search import configs_dir
from hil.recording.end import RecordedEnd
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.robot_signals import EndErrors
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from sim.world.control.laws import JointMotion

CONFIGS = configs_dir()
RADIUS_M, CENTRE_M = 0.4, np.array([0.49, 0.05])
"""Of the plate's circle, in x and z."""
HOLE_M, HOLE_TURN = np.array([0.507874, -0.355617]), math.radians(-35.0)
BOTTOM_M, MOUTH_M = 0.37, 0.41
SETTLED_S = 0.5


def ran(name, folder, *changes, ended="completed"):
    result = run_world(load_world_plan(CONFIGS / "scenarios" / f"{name}.toml", changes), folder)
    assert result.figures.ended == ended, result.figures
    return Recording.open(result.recorder.path)


def scene_with(folder, *swaps):
    text = (CONFIGS / "world" / "scenes" / "workpieces.toml").read_text()
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new)
    path = folder / "other.toml"
    path.write_text(text)
    return f'scene="{path}"'


FRICTIONS = (0.15, 0.1, 0.2, 0.02)


@pytest.mark.campaign
@pytest.mark.parametrize("friction", FRICTIONS[: count(len(FRICTIONS))])
def test_a_bent_plate_is_ground_with_20_newtons_over_300_mm(tmp_path, friction):
    other = scene_with(tmp_path, ("friction = 0.15\ncontact_time_s = 0.17",
                                  f"friction = {friction}\ncontact_time_s = 0.17"))  # fmt: skip
    recording = ran("grind", tmp_path, other)
    time_s, force = recording.column("t_s"), recording.column("contact_force_n")
    place = recording.column("tool_pose")[:, :3]
    arm = place[:, [0, 2]] - CENTRE_M
    angle = np.arctan2(arm[:, 0], arm[:, 1])
    along_m = RADIUS_M * (angle[0] - angle)
    speed_m_s = np.gradient(along_m, time_s)
    # 300 mm about the crest
    on = (np.abs(RADIUS_M * angle) <= 0.15) & (time_s > SETTLED_S)
    assert np.ptp(along_m[on]) > 0.2995
    assert on.sum() > 2500
    assert force[on].min() > 18.5
    assert force[on].max() < 20.8
    assert np.abs(force[on] - 20.0).mean() < 0.5
    assert np.abs(speed_m_s[on] / 0.05 - 1.0).max() < 0.1
    assert speed_m_s[on].mean() == pytest.approx(0.05, rel=0.05)
    # across: in the plane y = 0; along: where the straight line says at that time
    assert np.abs(place[on, 1]).max() < 1e-3
    wanted = recording.column("wanted_rad")
    assert np.abs(ahead_m(recording, place, wanted)[on]).max() < 1e-4
    assert np.abs(np.hypot(*arm[on].T) - RADIUS_M).max() < 1.5e-3
    moved = np.nonzero(on)[0]
    assert recording.column("contacts")[moved].min() >= 1


def ahead_m(recording, place, wanted):
    """How far the tool is along its own x from where the joints' wanted angles put it.

    The arm moves in the plane of x and z: shoulder 0.34 m high, two bones of 0.4 m, tool 0.12 m.
    """
    q2, q4, q6 = wanted[:, 1], wanted[:, 3], wanted[:, 5]

    def planar(one, two, three):
        first, second, third = one, one - two, one - two + three
        x = 0.4 * np.sin(first) + 0.4 * np.sin(second) + 0.12 * np.sin(third)
        z = 0.34 + 0.4 * np.cos(first) + 0.4 * np.cos(second) + 0.12 * np.cos(third)
        return np.column_stack([x, z]), third

    measured = recording.column("position_rad")
    found, turn = planar(measured[:, 1], measured[:, 3], measured[:, 5])
    np.testing.assert_allclose(found, place[:, [0, 2]], atol=1e-9)
    should, _ = planar(q2, q4, q6)
    across = np.column_stack([np.cos(turn), -np.sin(turn)])
    return np.einsum("ij,ij->i", should - found, across)


STARTS = ((-35.14, 36.416448, 73.008884), (-34.84, 36.416448, 73.008884), (-35.1, 36.5, 73.2),
          (-34.9, 36.3, 72.9), (-35.0, 36.55, 72.9), (-35.0, 36.416448, 73.008884))  # fmt: skip


@pytest.mark.campaign
@pytest.mark.parametrize("start", STARTS[: count(len(STARTS))])
def test_a_peg_goes_into_a_hole_with_half_a_millimetre_of_play(tmp_path, start):
    one, two, six = start
    told = (f"start=[{{joint=1,deg={one}}},{{joint=2,deg={two}}},{{joint=4,deg=-70.574668}},"
            f"{{joint=6,deg={six}}}]")  # fmt: skip
    recording = ran("peg", tmp_path, told)
    place, force = recording.column("tool_pose")[:, :3], recording.column("wrist_force_n")
    away = place[:, :2] - HOLE_M
    turn = np.array([[math.cos(HOLE_TURN), math.sin(HOLE_TURN)],
                     [-math.sin(HOLE_TURN), math.cos(HOLE_TURN)]])  # fmt: skip
    inside = place[:, 2] < MOUTH_M - 5e-3
    assert place[0, 2] > MOUTH_M + 0.01
    if one != -35.0:
        assert np.abs(away[0]).max() > 0.7e-3
    assert np.abs(away[inside] @ turn.T).max() < 0.25e-3 + 0.6e-3  # play, and what walls give
    assert place[-1, 2] == pytest.approx(BOTTOM_M, abs=0.5e-3)
    assert np.abs(force[:, :2]).max() < 11.0
    assert force[-500:, 2] == pytest.approx(15.0, abs=0.5)


def test_without_force_control_aside_the_peg_jams(tmp_path):
    stiff = ("f_loss", 1500.0), ("stiffness_n_m", 8000.0)
    told = ", ".join(f"{{parameter='{name}', value={value}}}" for name, value in stiff)
    recording = ran("peg", tmp_path, f"diagram.set=[{told}]", ended="failed")
    assert recording.column("tool_pose")[-1, 2] > BOTTOM_M + 5e-3
    assert RecordedEnd.of(recording.metadata).end.reason.startswith(
        "goal jammed: z of tool, off by "
    )


def test_errors_of_the_end_are_those_of_its_poses_and_their_differences():
    plan = load_world_plan(CONFIGS / "scenarios" / "grind.toml")
    chain = open_bench(plan).chain
    errors, draw = EndErrors(chain), np.random.default_rng(3)
    for _ in range(20):
        wanted, found = draw.uniform(-1.0, 1.0, (2, 3, 7))
        way, turn, rate, turn_rate, speed, spin = errors.of(JointMotion(*wanted),
                                                            JointMotion(*found))  # fmt: skip
        should, there = chain.pose(wanted[0]), chain.pose(found[0])
        back = there[:3, :3].T
        np.testing.assert_allclose(way, back @ (should - there)[:3, 3], atol=1e-12)
        rotation = Rotation.from_matrix(back @ should[:3, :3])
        np.testing.assert_allclose(turn, rotation.as_rotvec(), atol=1e-9)
        velocity, omega = moved(chain, *found[:2])
        velocity_d, omega_d = moved(chain, *wanted[:2])
        np.testing.assert_allclose(speed, back @ velocity, atol=1e-6)
        np.testing.assert_allclose(spin, back @ omega, atol=1e-6)
        np.testing.assert_allclose(rate, back @ (velocity_d - velocity), atol=1e-6)
        np.testing.assert_allclose(turn_rate, back @ (omega_d - omega), atol=1e-6)


def moved(chain, positions, speeds, step=1e-6):
    """Velocity and turn rate of a chain's end by differences, in the world's axes."""
    before, after = (chain.pose(positions + sign * step * speeds) for sign in (-1.0, 1.0))
    turn = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec()
    return (after - before)[:3, 3] / (2 * step), turn / (2 * step)
