"""A plan of a recording whose values have any type: a sentence, and nothing else."""

import copy
import random
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from campaign import count

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.rerun import plan_of_recording
from hil.stations.world.view.recorded_world import world_text
from sim.world.robots.faults import RobotDocumentError

JUNK = (None, 3, -1, "x", "", [], {}, [[]], {"a": 1}, 1e308, True, "9" * 30, ["x"], [None], 2**62)
GONE = object()


def kept(name):
    plan = load_world_plan(configs_dir() / "scenarios" / f"{name}.toml", ())
    return orjson.loads(orjson.dumps(plan.to_table()))


def recording(told, events=()):
    header = SimpleNamespace(scenario=told, signals=SimpleNamespace(station="world"))
    return SimpleNamespace(header=header, events=events, path=Path("recording.mcap"))


def places(table, path=()):
    for key, value in table.items() if isinstance(table, dict) else enumerate(table[:3]):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def changed(table, place, value):
    table = copy.deepcopy(table)
    node = table
    for key in place[:-1]:
        node = node[key]
    if value is GONE:
        del node[place[-1]]
    else:
        node[place[-1]] = value
    return table


def refusal(read, argument):
    """What it is refused with; None if it is not."""
    try:
        read(argument)
    except (ConfigError, RefusedError, RobotDocumentError) as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", ["joint_move", "grind"])
def test_the_plan_of_a_recording_is_whole(name):
    told = kept(name)
    assert plan_of_recording(recording(told)).to_table() == told | {
        "scenario": told["scenario"] | {"clock": "virtual"}
    }
    assert world_text(told)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["joint_move", "grind"])
def test_any_value_in_it_is_refused_in_a_sentence_or_does_no_harm(name):
    told, draw = kept(name), random.Random(7)
    top = [((key,), value) for key in told for value in (*JUNK, GONE)]
    inner = [(place, draw.choice((*JUNK, GONE))) for place in places(told)]
    draw.shuffle(inner)
    ends = []
    for place, value in top + inner[: count(2000, 40)]:
        wrong = changed(told, place, value)
        ends += [refusal(plan_of_recording, recording(wrong)), refusal(world_text, wrong)]
    assert len([text for text in ends if text]) > 50


@pytest.mark.parametrize(
    "data",
    [
        {"edit": "x", "sha256": 3},
        {"edit": 1, "sha256": 3},
        {"edit": None, "part": 1},
        {"edit": 1.5, "sha256": "", "source": 3},
        {"edit": [1], "part": []},
    ],
)
def test_edits_of_any_type_are_not_taken(data):
    told = kept("joint_move")
    events = [SimpleNamespace(name="edit", data=data, index=0, message="")]
    text = refusal(plan_of_recording, recording(told, events))
    assert (text is None) != ("its text is not there as a whole" in (text or ""))
