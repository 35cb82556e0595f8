"""A dry run reaches no machine, whatever clock and devices its scenario names."""

from dataclasses import replace

import pytest

from hil import service
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import apply_overrides, read_toml
from hil.config.toml_text import toml_value
from hil.run import registry

REAL = [
    ("platform", "heave", {"devices.drives": "slcan:/dev/ttyACM7"}),
    ("simulator", "recorded_ride", {"devices.drives": "slcan:/dev/ttyACM7"}),
    ("arm", "circle_on_rm01", {"devices.arm": "serial:/dev/ttyS7?baud=9600"}),
    ("world", "straight_line", {}),
]


def on_a_wire(folder, name, devices):
    """A shipped scenario on the real clock, with its devices on a wire."""
    table = read_toml(configs_dir() / "scenarios" / f"{name}.toml")
    table = apply_overrides(table, [("clock", "real"), *devices.items()])
    for key in ("rig", "robot"):
        if str(table.get(key, "")).startswith("../"):
            table[key] = str(configs_dir() / "scenarios" / table[key])
    path = folder / f"{name}.toml"
    path.write_text("".join(f"{key} = {toml_value(one)}\n" for key, one in table.items()))
    return path


@pytest.mark.parametrize(("name", "scenario", "devices"), REAL)
def test_a_dry_run_takes_simulated_devices_and_the_virtual_clock(tmp_path, name, scenario, devices):
    plans = []

    def prepare(plan, request, console):
        plans.append((plan, request, console))
        raise RefusedError("seen")

    station = replace(registry.station_named(name, "test"), prepare=prepare)
    progress = [].append
    path = on_a_wire(tmp_path, scenario, devices)
    with pytest.raises(RefusedError, match="seen"):
        service.dry_run(station, path, tmp_path / "runs", progress)
    [(plan, request, console)] = plans
    assert plan.scenario.clock == "virtual"
    for key in devices:
        assert getattr(plan.scenario.devices, key.partition(".")[2]) == "sim:"
    assert (request.folder, request.progress) == (tmp_path / "runs", progress)
    assert request.quiet
    assert console.quiet
    assert not request.operator
