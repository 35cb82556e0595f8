"""The page of a goal in the panel, of shipped scenarios and of none."""

import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.stations.world.plan.goal import Goal
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.view.pages import goal_words, pages


def words_of(**goal):
    return list(goal_words(Goal.build(goal, "test")))


def test_a_shipped_goal_has_a_page_that_names_each_part():
    plan = load_world_plan(find_file("peg", folder="scenarios", key="test"))
    (page,) = [one for one in pages(plan.to_table()) if one.title == "Goal"]
    _, *lines = [one.words for one in page.widgets]
    assert plan.scenario.goal is not None
    assert lines == list(goal_words(plan.scenario.goal))
    assert any("within" in one for one in lines)


def test_each_part_has_its_limits_and_units():
    assert words_of(no_contact=True) == ["no contact begins"]
    band = {"signal": "wrist_force_n", "part": "z", "least": 19.8, "most": 20.2, "from_s": 3.0}
    assert words_of(signal=[band]) == [
        "wrist_force_n z: at least 19.8 and at most 20.2, from 3 s to the end"
    ]
    half = {"signal": "wrist_force_n", "most": 5.0, "to_s": 2.0}
    assert words_of(signal=[half]) == ["wrist_force_n (its length): at most 5, from 0 s to 2 s"]
    assert words_of(place=[{"of": "tool", "z_m": 0.37, "within_mm": 2.0}]) == [
        "tool at the end: z 0.37 m, within 2 mm"
    ]
    assert words_of(joints={"within_deg": 0.5}) == ["joints at the end: within 0.5 deg"]
    assert words_of(path={"within_mm": 10.0}) == [
        "path of the tool: within 10 mm of a straight line"
    ]


def test_no_goal_has_no_page_and_a_spoilt_one_is_refused():
    assert pages({"scenario": {"goal": None}}) == ()
    assert pages({}) == ()
    with pytest.raises(ConfigError):
        pages({"scenario": {"goal": {"no_contact": 3.5}}})
