"""The components of one record, each in a file of its own, played together."""

import numpy as np
import pytest

from hil.config.errors import ConfigError
from hil.config.named_files import GIVEN
from hil.stations.platform.plan.motion_build import motion_of_table
from hil.stations.platform.plan.recording_scenario import recorded_table

ROWS = 1500
T_S = 0.01 * np.arange(ROWS)
WAVES = {"NS": (0.010, 0.9), "EW": (0.020, 1.3), "UD": (0.005, 1.7)}
"""Displacement [m] and frequency [Hz] of each component."""
DIRECTIONS = {"NS": "000", "EW": "090", "UD": "UP"}


def displacement(name, count=ROWS):
    size, hz = WAVES[name]
    return size * np.sin(2 * np.pi * hz * T_S[:count]) * np.sin(np.pi * T_S[:count] / 15.0) ** 2


def record(folder, name, count=ROWS, step="0.0100", direction=None, ending="DT2"):
    """A component as the PEER database writes it, of displacements in cm."""
    numbers = [f"{100.0 * value:15.7E}" for value in displacement(name, count)]
    lines = ["".join(numbers[k : k + 5]) for k in range(0, len(numbers), 5)]
    head = [
        "PEER NGA STRONG MOTION DATABASE RECORD",
        f"Made-up, 1/1/2000, Nowhere, {direction or DIRECTIONS[name]}",
        "DISPLACEMENT TIME SERIES IN UNITS OF CM",
        f"NPTS=  {count}, DT=   {step} SEC",
    ]
    file = folder / f"{name}.{ending}"
    file.write_text("\n".join([*head, *lines]) + "\n")
    return file


def played(files, maps=()):
    table = recorded_table("paper", files[0], list(maps), *files[1:])
    GIVEN.take(table)
    return motion_of_table(table, files[0].parent / "command line")


def test_three_files_are_three_axes(tmp_path, caplog):
    motion = played([record(tmp_path, name) for name in ("NS", "EW", "UD")])
    samples = motion.samples()
    for axis, name in enumerate(("NS", "EW", "UD")):
        assert samples[:, axis] == pytest.approx(displacement(name), abs=1e-8)
    assert "x = " in caplog.text
    assert "in the order given" in caplog.text


def test_a_map_for_each_file_says_what_it_is(tmp_path):
    files = [record(tmp_path, name) for name in ("UD", "NS")]
    samples = played(files, ["z=disp_cm", "x=disp_cm:cm:0:-1"]).samples()
    assert samples[:, 2] == pytest.approx(displacement("UD"), abs=1e-8)
    assert samples[:, 0] == pytest.approx(-displacement("NS"), abs=1e-8)


def test_the_shortest_ends_them_all(tmp_path, caplog):
    files = [record(tmp_path, "NS"), record(tmp_path, "EW", count=1400)]
    assert len(played(files).samples()) == 1400
    assert "EW.DT2: has 1400 rows, another file 1500" in caplog.text


def test_another_time_step_is_refused(tmp_path):
    files = [record(tmp_path, "NS"), record(tmp_path, "EW", step="0.0200")]
    with pytest.raises(ConfigError, match=r"EW\.DT2: row 2 is at 0\.02 s.*NS\.DT2 at 0\.01 s"):
        played(files)


@pytest.mark.parametrize(
    ("order", "directions", "words"),
    [
        (("UD", "NS"), {}, r"UD\.DT2, line 2: the direction is 'UP', and the file is to be x"),
        (("NS", "EW", "UD"), {"UD": "045"}, r"direction is '045', and the file is to be z"),
        (("NS", "EW", "UD"), {"UD": "DWN"}, r"direction is 'DWN'"),
    ],
)
def test_a_direction_that_contradicts_the_order_is_refused(tmp_path, order, directions, words):
    files = [record(tmp_path, name, direction=directions.get(name)) for name in order]
    with pytest.raises(ConfigError, match=words):
        played(files)


def test_several_files_without_a_map_must_be_of_the_database(tmp_path):
    files = [record(tmp_path, "NS"), tmp_path / "b.csv"]
    with pytest.raises(ConfigError, match="several files need a --map for each"):
        played(files)
    with pytest.raises(ConfigError, match="1 for 2 files"):
        played(files, ["x=disp_cm"])
    with pytest.raises(ConfigError, match="given twice"):
        played([files[0], files[0]])
