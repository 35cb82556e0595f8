"""CSV: a column per value with its unit, and the same bits when read again."""

import csv
import math
from pathlib import Path

import pytest
from recording_samples import HEADER, packed, record, sample_frame
from row_samples import NAN6, PLATFORM

from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.export import events_path, export_csv
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    for index in range(5):
        frame = sample_frame(index)._replace(measured_force_n=(math.nan, 1.0, 2.0, 3.0, 4.0, 5.0))
        recorder.ring.push(ROWS, packed(frame))
    event = EventRecord(
        0.001, 1, EventKind.FAULT, Level.ERROR, "gate", 'leg 3: "a", b\nc', {"leg": 3}
    )
    recorder.ring.push(EVENTS, event.to_bytes())
    recorder.finish()
    return Recording.open(tmp_path / "a.mcap")


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_value_is_under_its_name_and_unit(recording: Recording, tmp_path: Path) -> None:
    rows = _read(export_csv(recording, tmp_path / "a.csv"))
    assert len(rows) == 5
    frame = sample_frame(4)
    row = rows[4]
    assert (row["index"], row["mode"], row["action"]) == ("4", "ENGAGED", "PASSED")
    assert float(row["asked_speed_leg3_m_s"]) == frame.asked_speed_m_s[2]
    assert float(row["measured_length_leg6_m"]) == frame.measured_length_m[5]
    assert float(row["wanted_beta_rad"]) == frame.wanted_pose[4]
    assert float(row["reached_residual_m"]) == frame.reached_residual_m
    assert (row["measured_force_leg1_n"], row["measured_force_leg2_n"]) == ("", "1.0")
    assert [row[f"measured_inputs_leg{leg}_bits"] for leg in (1, 6)] == ["4.0", "9.0"]
    assert "measured_inputs_there" not in row


def test_inputs_that_were_not_read_are_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    record(path, [sample_frame(0)._replace(measured_inputs_bits=NAN6), sample_frame(1)])
    rows = _read(export_csv(Recording.open(path), tmp_path / "a.csv"))
    assert [row["measured_inputs_leg2_bits"] for row in rows] == ["", "2.0"]


def test_no_cell_is_a_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    for start in "=+-@\t":
        event = EventRecord(0.0, 0, EventKind.FAULT, Level.ERROR, f"{start}1+1", f"{start}A1")
        recorder.ring.push(EVENTS, event.to_bytes())
    recorder.finish()
    path = export_csv(Recording.open(tmp_path / "a.mcap"), tmp_path / "a.csv")
    found = _read(events_path(path))
    assert [row["name"] for row in found] == [f"'{start}1+1" for start in "=+-@\t"]
    assert [row["message"] for row in found] == [f"'{start}A1" for start in "=+-@\t"]


def test_names_are_all_different_and_as_many_as_values() -> None:
    names = PLATFORM.columns()
    assert len(set(names)) == len(names) == PLATFORM.values == 77
    assert names[:8] == ["index", "t_s", "dt_s", "late_s", "busy_s", "mode", "action", "flags"]


def test_events_go_beside(recording: Recording, tmp_path: Path) -> None:
    export_csv(recording, tmp_path / "a.csv")
    (row,) = _read(events_path(tmp_path / "a.csv"))
    assert events_path(tmp_path / "a.csv").name == "a.events.csv"
    assert row["message"] == 'leg 3: "a", b\nc'
    assert (row["kind"], row["level"], row["data_json"]) == ("fault", "ERROR", '{"leg":3}')


def test_a_place_that_cannot_be_written_is_said(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nowhere/a\.csv: cannot be written: No such file"):
        export_csv(recording, tmp_path / "nowhere" / "a.csv")
