"""Faults of sensors: what is received in place of a reading, when, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.stations.task.plan.task_plan import load_task_plan
from hil.stations.world.cycle.received_sensors import faults_of_plan
from hil.stations.world.cycle.sensor_faults import SensorFaults, TimedFault
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.plan.sensor_fault import SensorFault

CONTAINER = configs_dir() / "scenarios" / "container.toml"
FIRST, END = 5, 8


def faults(kind, part=None, name="beam_m"):
    """Faults of one signal in the steps 5 to 7; a cut wire of `beam_m` reads 12."""
    fault = SensorFault.build(
        {"sensor": name, "kind": kind, "part": part, "at_s": 0.01, "for_s": 0.006}, "test"
    )
    timed = TimedFault(fault, frozenset({name}), FIRST, END)
    return SensorFaults([timed], {"beam_m": 12.0}, frozenset({"seen"}))


def received(found, name="beam_m", steps=10):
    """Values of a signal of three in each step, which count up; and what was reported."""
    rows, news = [], []
    for step in range(steps):
        news += [(step, one.data["state"]) for one in found.advance(step)]
        rows.append(found.received(name, np.array([step, step + 0.25, step + 0.5])))
    return np.array(rows), news


def measured(steps=10):
    return np.arange(steps)[:, None] + np.array([0.0, 0.25, 0.5])


@pytest.mark.parametrize(
    ("kind", "wrong"), [("cut", (12.0,) * 3), ("nan", (math.nan,) * 3), ("frozen", (5, 5.25, 5.5))]
)
def test_a_fault_lasts_as_long_as_it_says_and_is_reported(kind, wrong):
    rows, news = received(faults(kind))
    expected = measured()
    expected[FIRST:END] = wrong
    np.testing.assert_array_equal(rows, expected)
    assert news == [(FIRST, "begins"), (END, "ends")]


@pytest.mark.parametrize("kind", ["cut", "nan", "frozen"])
def test_a_part_is_struck_alone(kind):
    rows, _ = received(faults(kind, part=2))
    np.testing.assert_array_equal(rows[:, [0, 2]], measured()[:, [0, 2]])
    assert not np.array_equal(rows[FIRST + 1 : END, 1], measured()[FIRST + 1 : END, 1])


def test_a_yes_or_no_has_no_nan_and_a_cut_wire_is_no():
    assert np.array_equal(received(faults("nan", name="seen"), "seen")[0], measured())
    assert not received(faults("cut", name="seen"), "seen")[0][FIRST:END].any()


@given(st.sampled_from(["cut", "nan", "frozen"]), st.integers(1, 3) | st.none())
def test_what_was_measured_is_never_written(kind, part):
    found, values = faults(kind, part), np.array([1.0, 2.0, 3.0])
    found.advance(FIRST)
    found.received("beam_m", values)
    assert values.tolist() == [1.0, 2.0, 3.0]


def task_faults(*rows):
    return load_task_plan(CONTAINER, [f"sensor_fault=[{', '.join(rows)}]"]).world


def row(sensor, **keys):
    given = {"sensor": f'"{sensor}"', "kind": '"cut"', "at_s": 1.0, **keys}
    return "{" + ", ".join(f"{key}={value}" for key, value in given.items()) + "}"


def test_names_of_sensors_groups_signals_and_patterns_are_known():
    found = faults_of_plan(task_faults(row("left"), row("arm"), row("*_pad_force_n")))
    names = [sorted(one.names) for one in found._faults]
    assert names == [
        ["left_distance_m", "left_seen"],
        ["arm_effort_n_m", "arm_position_rad", "arm_speed_rad_s"],
        ["left_pad_force_n", "right_pad_force_n"],
    ]
    found.advance(500)
    assert found.received("left_distance_m", np.ones(5)).tolist() == [12.0] * 5
    assert found.received("arm_position_rad", np.ones(6)).tolist() == [0.0] * 6


@pytest.mark.parametrize(
    ("given_row", "words"),
    [
        (row("lefty"), "no such sensor or signal; did you mean left"),
        (row("left", part=6), "left_distance_m has 5 values"),
        (row("left", at_s="nan"), "at_s"),
        (row("left", for_s=0.0), "for_s"),
        (row("left", kind='"broken"'), "kind"),
        (row("wheels_wanted_rad"), "no such sensor or signal"),
    ],
)
def test_what_cannot_be_struck_is_refused(given_row, words):
    with pytest.raises(ConfigError, match=words):
        task_faults(given_row)


def test_without_a_diagram_nothing_reads_a_sensor():
    file = configs_dir() / "scenarios" / "joint_move.toml"
    with pytest.raises(ConfigError, match=r'law = "diagram" is needed'):
        load_world_plan(file, ['sensor_fault=[{sensor="arm", kind="cut", at_s=0.0}]'])
