"""Every shipped motion and ride on the loaded twin: a cabin of 300 kg hangs on the six rods."""

import pytest
from bench_plans import QUICK
from campaign import SHARE, count

from hil.config.file_search import configs_dir, find_file
from hil.config.settings import read_toml
from hil.run.station import Request
from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.plan import command_line
from hil.stations.simulator.run import runner
from hil.stations.simulator.run.bench import ride_of
from safety.verdict import Check

WORLD = {"--world": "paper_cabin"}
STOPS = {
    "following_error": (Check.LAG, "its own fault: a drive gets 20 times slower"),
    "leaves_envelope": (Check.LAG, "on its way out of the strokes its drives fall behind by 4 ms"),
}
"""What does not complete, loaded or not: the gate's reason, and why that is right."""
NOT_HERE = {"fmu_vehicle": "its FMU is not shipped but built: examples/fmu_car.py"}
BEGINNING = () if SHARE >= 1.0 else ("duration_s=6",)
"""Of the ride that a share of the campaign takes: a beginning says the same of it."""
MOVES = () if SHARE >= 1.0 else QUICK
"""It rises and parks quickly, too."""
FIRST = ("ground_motion", "recorded_ride", "following_error")
"""What a share of the campaign begins with."""


def shipped():
    """Scenarios of a platform and rides, by name; whether each is a ride."""
    found = {}
    for file in sorted((configs_dir() / "scenarios").glob("*.toml")):
        station = read_toml(file).get("station", "platform")
        if station in ("platform", "simulator"):
            found[file.stem] = station == "simulator"
    return found


SHIPPED = shipped()
NAMES = [*FIRST, *(name for name in SHIPPED if name not in (*FIRST, *NOT_HERE))]


def ran(name, folder, *overrides):
    """Run a scenario by name with the cabin, on the virtual clock whatever it says."""
    file = find_file(name, folder="scenarios", key="SCENARIO")
    asked = Request(scenario=file, options=WORLD, overrides=overrides, clock="virtual")
    if not SHIPPED[name]:
        return run(command_line.plan_of(asked), folder)
    plan = runner.plan_of(asked)
    prepared = ride_of(plan).prepared
    return run(plan, folder, motion=prepared.motion, extension=prepared.extension)


def test_what_is_left_out_is_shipped_and_the_rest_is_tried():
    assert {*STOPS, *NOT_HERE} < {*SHIPPED}
    assert {*NAMES} | {*NOT_HERE} == {*SHIPPED}


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES[: count(len(NAMES), least=len(FIRST))])
def test_a_shipped_scenario_completes_with_the_cabin(name, tmp_path):
    result = ran(name, tmp_path, *MOVES, *(BEGINNING if SHIPPED[name] else ()))
    if name in STOPS:
        assert result.outcome is Outcome.TRIPPED
        assert result.violations[0][1].check is STOPS[name][0], result.reason
    else:
        assert result.outcome is Outcome.COMPLETED, result.reason
