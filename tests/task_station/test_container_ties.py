"""Nothing but contact ties the container to the hand: `hil world check` lists all that is tied."""

from xml.etree import ElementTree

from task_runs import told

from hil.config.file_search import find_file
from hil.run.station import Request
from hil.stations.task.station import STATION
from hil.stations.world.cycle.bench import model_of_plan

HELD = ("container", "grip", "bin", "stand")


def written(seed):
    """Texts of the equalities of the model that the engine is given."""
    path = find_file("container", folder="scenarios", key="SCENARIO")
    request = Request(scenario=path, options={}, seed=seed)
    text = model_of_plan(STATION.plan(request).world).text
    return [dict(one.attrib) for one in ElementTree.fromstring(text).iterfind("equality/*")]


def test_jaws_follow_each_other_and_nothing_holds_the_container():
    found = told("world", "check", "container", status=0)
    assert found["equalities"] == len(found["ties"]) == len(written(0)) == 1
    assert not any(name.startswith(HELD) for tie in found["ties"] for name in tie)
    (tie,) = found["ties"]
    assert {written(0)[0]["joint1"], written(0)[0]["joint2"]} == set(tie)
