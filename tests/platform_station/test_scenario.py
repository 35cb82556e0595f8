"""Rigs and scenarios: the shipped ones load, wrong ones say what is wrong, plans round-trip."""

import json
from pathlib import Path

import pytest
from bench_plans import HEAVE, PAPER, plan
from hypothesis import given
from hypothesis import strategies as st

from hil.config.file_search import configs_dir, find_file
from hil.config.settings import ConfigError, apply_overrides, read_toml
from hil.machines.rig.machine import envelope_of, gate_limits, geometry_of, load_rig, park_pose
from hil.machines.rig.settings import Rig
from hil.run.file_kinds import scenario_file
from hil.run.together import TogetherScenario
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.platform.bench.bench import run
from hil.stations.platform.plan.scenario import Plan, Scenario, load_plan
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.task.plan.task_plan import load_task_plan
from hil.stations.world.plan.scenario_reader import load_world_plan
from platform6dof.inverse import leg_lengths

RIGS = sorted((configs_dir() / "rigs").glob("*.toml"))
SHIPPED = sorted((configs_dir() / "scenarios").glob("*.toml"))
SCENARIOS = [path for path in SHIPPED if "station" not in read_toml(path)]
STATIONS = {"arm": load_arm_plan, "together": TogetherScenario.load,
            "simulator": load_ride,
            "task": lambda path: load_task_plan(path).scenario,
            "world": lambda path: load_world_plan(path).scenario}  # fmt: skip
OTHERS = [path for path in SHIPPED if path not in SCENARIOS]


def refused(*overrides, **keys):
    with pytest.raises(ConfigError) as caught:
        plan(*overrides, **keys)
    return str(caught.value)


@pytest.mark.parametrize("path", RIGS, ids=lambda p: p.stem)
def test_shipped_rig_loads_and_its_limits_hold(path):
    rig = load_rig(path)
    assert rig.name == path.stem
    geometry = geometry_of(rig)
    limits = gate_limits(rig, 0.002)
    parked = leg_lengths(geometry, park_pose(rig, geometry))
    assert parked == pytest.approx(rig.cylinders.reference_length_m, abs=1e-9)
    for leg in limits.legs:
        assert leg.soft_min_m < rig.cylinders.reference_length_m[0] < leg.soft_max_m
    assert envelope_of(rig, geometry).limits.soft_margin_m == rig.limits.soft_margin_m


@pytest.mark.parametrize("path", OTHERS, ids=lambda p: p.stem)
def test_shipped_scenario_of_another_station_loads(path):
    loaded = STATIONS[read_toml(path)["station"]](path)
    scenario = getattr(loaded, "scenario", loaded)
    assert scenario.name == path.stem
    again = type(loaded).build(loaded.model_dump(mode="json"), "a header")
    assert again == loaded


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_shipped_scenario_loads_and_round_trips(path):
    loaded = load_plan(path)
    assert loaded.scenario.name == path.stem
    assert loaded.scenario.description
    stored = json.loads(loaded.model_dump_json())
    assert Plan.build(stored, "recording") == loaded


def test_there_are_a_dozen_scenarios():
    assert len(SCENARIOS) >= 12


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("rate_hz=9", ["rate_hz = 9", "greater than or equal to 10"]),
        ("rate_hz=2000", ["rate_hz = 2000"]),
        ("rate_hz=true", ["rate_hz = True", "must be a number"]),
        ("rate_hz=nan", ["rate_hz = nan", "finite"]),
        ("clock=wall", ["clock = 'wall'", "'virtual' or 'real'"]),
        ("seed=-1", ["seed = -1"]),
        ("motion.kind=dance", ["motion", "multi_sine"]),
        ("motion.terms.0.amplitude_mm=5", ["unknown key", "amplitude_m"]),
        ("motion.terms.1.amplitude_m=0.1", ["unknown key", "amplitude_deg"]),
        ("motion.terms.0.axis=w", ["axis"]),
        ("motion.terms.0.frequency_hz=0", ["motion.terms.0.frequency_hz = 0"]),
        ("devices.drives=can0", ["devices.drives = 'can0'", "sim:"]),
        ("rig=nowhere", ["rig = 'nowhere'", "no such file"]),
        ("rig_settings.limits.speed_max_m_s=0.61", ["limits.speed_max_m_s", "may only tighten"]),
        ("rig_settings.limits.soft_margin_m=0.5", ["soft_margin_m = 0.5", "no travel"]),
        ("rig_settings.cylinders.stroke_m=740", ["stroke_m = 740", "millimetres"]),
        ("rig_settings.cylinders.reference_length_m=0.641", ["reference_length_m = 0.641"]),
        ("rig_settings.geometry.platform_half_angle_deg=14", ["singular"]),
        ("rig_settings.pose_box.x_m=[0.1, -0.1]", ["pose_box.x_m", "lower below upper"]),
        ("rig_settings.supervision.missing_feedback_max=1.5", ["missing_feedback_max = 1.5"]),
        ("faults=[{kind='lag', leg=7, start_s=0}]", ["faults.0.leg = 7"]),
        ("motion.terms=[]", ["motion.terms"]),
    ],
)
def test_wrong_value_is_refused(override, words):
    text = refused(override)
    for word in words:
        assert word in text, text


@pytest.mark.parametrize(
    "key",
    [
        f"{table}.{key}"
        for table in ("geometry", "cylinders", "limits", "supervision", "slow_moves", "pose_box")
        for key in read_toml(RIGS[0])[table]
        if key != "plate_rotation_deg"
    ],
)
def test_no_key_of_a_rig_may_be_left_out(key):
    table = read_toml(find_file(PAPER, folder="rigs", key="rig"))
    section, name = key.split(".")
    if name == "static_load_n" and name not in table[section]:
        pytest.skip("not in this rig")
    removed = {**table, section: {k: v for k, v in table[section].items() if k != name}}
    with pytest.raises(ConfigError, match=rf"{section}\.\w*\.?{name} is left out|{section}"):
        Rig.build(removed, "rig.toml")


def test_the_error_names_the_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text((configs_dir() / "scenarios" / "demo.toml").read_text() + "\nextra = 1\n")
    with pytest.raises(ConfigError, match=r"mine\.toml: .*extra"):
        load_plan(path)


@given(
    st.dictionaries(
        st.sampled_from(sorted(Scenario.model_fields)),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=9)
        | st.lists(st.integers(), max_size=3),
    )
)
def test_any_table_is_a_scenario_or_a_config_error(changes):
    table = {"name": "test", "rig": "paper", "motion": HEAVE} | changes
    try:
        rate_hz = Scenario.build(table, "x").rate_hz
    except ConfigError:
        rate_hz = 100.0
    assert 100.0 <= rate_hz <= 1000.0


def test_a_fault_that_cannot_be_simulated_is_a_configuration_error(tmp_path):
    lame = plan(faults=[{"kind": "lag", "leg": 1, "start_s": 0.0, "value": 0.5}])
    with pytest.raises(ConfigError, match=r"test\.toml: .*lag"):
        run(lame, tmp_path)


def test_overrides_reach_scenario_and_rig():
    changed = plan("motion.terms.0.amplitude_m=0.01", "rig_settings.limits.speed_max_m_s=0.2")
    assert changed.scenario.motion.terms[0].amplitude_m == 0.01
    assert changed.rig.limits.speed_max_m_s == (0.2,) * 6


def test_checks_first_follows_the_clock_unless_said():
    assert plan().scenario.checks_first is False
    assert plan("clock=real").scenario.checks_first is True
    assert plan("clock=real", "check_first=false").scenario.checks_first is False
    assert apply_overrides({}, ["check_first=true"]) == {"check_first": True}


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000])
def test_absurd_file_names_are_refused(name):
    with pytest.raises(ConfigError, match="no file name"):
        find_file(name, folder="rigs", key="rig")


def test_an_own_file_needs_no_ending_but_a_shipped_one_goes_before_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("my_rig", "paper"):
        Path(f"{name}.toml").write_text("")
    assert find_file("my_rig", folder="rigs", key="rig") == tmp_path / "my_rig.toml"
    assert find_file("paper", folder="rigs", key="rig") == configs_dir() / "rigs" / "paper.toml"
    assert find_file("paper.toml", folder="rigs", key="rig") == tmp_path / "paper.toml"
    scenario = tmp_path / "sub" / "heave.toml"
    scenario.parent.mkdir()
    (scenario.parent / "other.toml").write_text("")
    found = find_file("other", beside=scenario, folder="rigs", key="rig")
    assert found == scenario.parent / "other.toml"
    with pytest.raises(ConfigError, match=r"looked for nowhere, .*nowhere\.toml\)"):
        find_file("nowhere", folder="rigs", key="rig")


def test_a_scenario_may_say_that_it_is_a_platforms(tmp_path):
    named = tmp_path / "named.toml"
    text = (configs_dir() / "scenarios" / "heave.toml").read_text(encoding="utf-8")
    named.write_text(f'station = "platform"\n{text.replace("../rigs/", "")}', encoding="utf-8")
    bare = load_plan(configs_dir() / "scenarios" / "heave.toml")
    assert load_plan(named).scenario.motion == bare.scenario.motion
    assert scenario_file(str(named))[1].name == "platform scenario"
