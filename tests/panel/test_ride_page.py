"""The page of a ride: a slider for each number that may be asked of its vehicle."""

from pathlib import Path

import orjson
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSlider
from view_samples import application, gone, shown

from hil.config.errors import ConfigError
from hil.panel.live.models.feed import RunFacts
from hil.panel.live.models.page import PageModel
from hil.panel.live.page_view import PageView
from hil.panel.widgets.theme import LIGHT
from hil.recording.header import RunHeader
from hil.run.pages import PageSlider
from hil.stations.simulator.lead.prover_program import RideRequestJudge
from hil.stations.simulator.lead.ride_request import RideRequests
from hil.stations.simulator.page import pages
from hil.stations.simulator.plan.scenario import ride_from_table
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.signals import SIGNALS

INPUTS = {
    "operator_steering": {"variable": "wheel", "unit": "deg", "min": -30.0, "max": 20.0},
    "operator_throttle": "pedal",
    "operator_idle": {"variable": "idle", "min": 0.2, "max": 0.4},
    "pose_gamma": "roll",
}
STARTS = {"steering": 0.0, "throttle": 0.0, "idle": 0.2}


def ride(inputs=INPUTS):
    source = {"kind": "fmu", "file": "none.fmu", "outputs": {"f_x": "ax"}, "inputs": inputs}
    table = {
        "name": "ride", "station": "simulator", "rig": "paper", "source": source,
        "cueing": {"preset": "tight"},
    }  # fmt: skip
    return ride_of(ride_from_table(table, Path("ride.toml")), by_itself=False)


def page_of(one):
    """As a panel has it: from a header's JSON."""
    (page,) = pages(orjson.loads(orjson.dumps(one.plan.model_dump(mode="json"))))
    return page


@pytest.fixture(scope="module")
def vehicle():
    return ride()


@pytest.fixture
def model(vehicle):
    facts = RunFacts(RunHeader(SIGNALS), 0.01, "a ride")
    numbers = iter(range(1, 100))
    return PageModel(facts, page_of(vehicle), lambda: next(numbers))


def asked(vehicle, message):
    """What the ride's model is asked, after desk and control have judged a message."""
    judge = RideRequestJudge(1, vehicle.inputs)
    why, table = judge.motion(message.table)
    assert why == ""
    requests = RideRequests(vehicle.motion, vehicle.parts, vehicle.inputs)
    assert requests.take(1, table) == ""
    return dict(vehicle.motion.inputs)


def test_each_operators_input_has_a_slider_with_its_bounds_and_unit(model):
    found = [one for one in model.page.widgets if isinstance(one, PageSlider)]
    told = [(one.label, one.key, one.low, one.high, one.value, one.unit) for one in found]
    assert told[1:] == [
        ("Steering", "inputs.steering", -30.0, 20.0, 0.0, "deg"),
        ("Throttle", "inputs.throttle", -1.0, 1.0, 0.0, ""),
        ("Idle", "inputs.idle", 0.2, 0.4, 0.2, ""),
    ]


def test_before_anybody_asks_the_model_gets_what_the_sliders_show(vehicle):
    assert ride().motion.inputs == STARTS
    assert ride({}).motion.inputs == {}


def test_what_is_asked_comes_to_the_ride_and_stays_when_something_else_is_asked(model, vehicle):
    assert asked(vehicle, model.ask({"inputs.steering": -12.5})) == STARTS | {"steering": -12.5}
    message = model.ask({"inputs.throttle": 0.75})
    assert message.table["gain"] == 1.0
    assert asked(vehicle, message) == {"steering": -12.5, "throttle": 0.75, "idle": 0.2}
    assert asked(vehicle, model.ask({"muted": True}))["steering"] == -12.5


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ({"steering": 21.0}, "inputs.steering = 21 is outside [-30, 20] deg"),
        ({"idle": 0.0}, "inputs.idle = 0 is outside [0.2, 0.4]"),
        ({"brake": 0.5}, "inputs.brake = 0.5: the source has no such input: steering, throttle"),
    ],
)
def test_what_the_model_does_not_take_is_refused_by_desk_and_control(vehicle, inputs, why):
    table = {"kind": "ride", "inputs": inputs}
    before = dict(vehicle.motion.inputs)
    assert why in RideRequestJudge(1, vehicle.inputs).motion(table)[0]
    requests = RideRequests(vehicle.motion, vehicle.parts, vehicle.inputs)
    assert why in requests.take(1, orjson.dumps(table))
    assert vehicle.motion.inputs == before


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ({"operator_a": {"variable": "a", "min": 1.0, "max": 1.0}}, "min = 1 must be below max"),
        ({"operator_a": {"variable": "a", "min": 2.0}}, "min = 2 must be below max = 1"),
        ({"operator_Big": "a"}, "operator_Big"),
        ({"pose_x": {"variable": "a", "max": 2.0}}, "pose_x"),
    ],
)
def test_inputs_that_cannot_be_are_refused_by_name(inputs, why):
    with pytest.raises(ConfigError) as refused:
        ride(inputs)
    assert why in str(refused.value)


def test_a_slider_in_a_window_asks_the_model(model, vehicle):
    application()
    view = shown(PageView(model, LIGHT), 420, 900)
    try:
        messages = []
        view.requested.connect(messages.append)
        slider = next(
            one for one in view.findChildren(QSlider) if one.accessibleName() == "Steering"
        )
        slider.setFocus()
        QTest.keyClick(slider, Qt.Key.Key_Home)
        assert asked(vehicle, messages[-1])["steering"] == -30.0
        assert "-30 deg" in [one.text() for one in view.findChildren(QLabel)]
        QTest.keyClick(slider, Qt.Key.Key_End)
        assert asked(vehicle, messages[-1])["steering"] == 20.0
    finally:
        gone(view)
