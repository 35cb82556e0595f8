"""Arms of other joints than six revolute ones on the wire: a run of each, and what it tells."""

from __future__ import annotations

import controller_model
import numpy as np
import pytest
from contour_judge import driven

import arm_driver.kinematics.reference
from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.tables import joint_tables
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.arm.scene.robot import scenes_of
from hil.stations.arm.signals import SIGNALS, arm_signals

CIRCLE = configs_dir() / "scenarios" / "circle_on_rm01.toml"
ARMS = {"planar": ("satellite", "xy"), "crane": ("crate", "zx"), "ssrms": ("light", "yz")}
PROMISED_M = 0.5e-3


def plan_of(arm: str, *overrides: str):
    payload, plane = ARMS[arm]
    given = [f"space_arm.arm={arm}", f"space_arm.payload={payload}", f'source.plane="{plane}"']
    return load_arm_plan(CIRCLE, [*given, "source.turns=0.4", "source.speed_m_s=0.08", *overrides])


@pytest.fixture(scope="module", params=ARMS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ArmRecording:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("STARTS", 150), ("REFINED", 1), ("REFINEMENTS", 60)):
            patch.setattr(arm_driver.kinematics.reference, name, value)
        prepared = prepare_plan(plan_of(request.param))
        result = run_arm(prepared, tmp_path_factory.mktemp(request.param))
    assert result.ok
    return ArmRecording.open(result.recorder.path)


def test_both_grippers_agree(run: ArmRecording) -> None:
    """A second model of the controller drives the waypoints that were sent."""
    found = driven(run)
    in_time, in_space = controller_model.errors(found.nodes, found.motion, found.t)
    assert max(in_time.max(), in_space.max()) < PROMISED_M
    length_m = np.linalg.norm(np.diff(found.places, axis=0), axis=1).sum()
    assert length_m > 0.2, "it moved"


def test_a_recording_has_a_column_for_each_joint(run: ArmRecording) -> None:
    view = ArmView.of(run)
    assert view.machines is not None
    assert view.machines.space is not None
    arm = view.machines.space.arm()
    q, v = run.column("space_q"), run.column("space_v")
    assert q.shape == v.shape == (run.waypoints, arm.joints)
    assert np.isfinite(q).all()
    columns = run.recording.signals.columns()
    slides = [name for name in columns if name.startswith("space_q") and name.endswith("_m")]
    assert len(slides) == sum(link.prismatic for link in arm.links)
    for number, link in enumerate(arm.links, 1):
        unit = "m" if link.prismatic else "rad"
        assert any(name.startswith("space_q") and f"{number}_{unit}" in name for name in columns)
    tables = joint_tables(view)
    assert tables is not None
    assert len(tables.tables[0].rows) == arm.joints
    assert [" (mm)" in row.cells[0] for row in tables.tables[0].rows] == [
        link.prismatic for link in arm.links
    ]


def test_it_is_drawn_where_it_was(run: ArmRecording) -> None:
    """The drawn gripper is where the recording says that the simulated one was."""
    scene, beside = scenes_of(run.recording.header)
    for k in (0, run.waypoints // 2, run.waypoints - 1):
        drawn = scene.points_m(run.column("space_q")[k])[-1]
        assert drawn == pytest.approx(run.column("space_pose")[k, :3], abs=1e-9)
        robot = beside.points_m(run.column("robot_q")[k])[-1]
        assert robot == pytest.approx(run.column("target_pose")[k, :3], abs=1e-6)


@pytest.mark.parametrize(
    ("arm", "overrides", "said"),
    [
        ("crane", ["space_arm.start_m=[7.0]"], r"start_m\.0 = 7\.0 m: carriage of crane moves"),
        ("crane", ["space_arm.start_deg=[1,2]"], "start_deg: 2 values, must be 3"),
        ("ssrms", ["space_arm.start_deg=[0,0,0,0,0,0]"], "start_deg: 6 values, must be 7"),
    ],
)
def test_a_start_that_is_none_of_the_arm_is_refused(arm: str, overrides: list, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        plan_of(arm, *overrides)


def test_a_start_of_both_kinds_is_taken() -> None:
    plan = plan_of("crane", "space_arm.start_m=[1.5]", "space_arm.start_deg=[10,40,-90]")
    try:
        proof = prepare_plan(plan)
    except RefusedError as error:
        pytest.fail(str(error))
    first = proof.steps[0].snapshot.q_rad
    assert first == pytest.approx([1.5, *np.radians([10.0, 40.0, -90.0])], abs=0.05)


def test_six_revolute_joints_are_recorded_as_ever() -> None:
    assert arm_signals((False,) * 6) == SIGNALS
    assert [one.count for one in SIGNALS.fields if one.name.startswith("space_")] == [
        6, 6, 6, 6, 7, 30,
    ]  # fmt: skip
    assert "space_q_joint1_rad" in SIGNALS.columns()
