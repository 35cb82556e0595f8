"""CSV: a column per value with its unit, and the same bits when read again."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from recording_samples import HEADER, packed, sample_frame

from hil.recording.export import column_names, events_path, export_csv
from hil.recording.frame import CYCLE_KIND, EVENT_KIND, EventKind, EventRecord, Level
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder
from hil.recording.ring import RecorderRing


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    for index in range(5):
        frame = sample_frame(index)._replace(measured_force_n=(math.nan, 1.0, 2.0, 3.0, 4.0, 5.0))
        recorder.ring.push(CYCLE_KIND, packed(frame))
    event = EventRecord(
        0.001, 1, EventKind.FAULT, Level.ERROR, "gate", 'leg 3: "a", b\nc', {"leg": 3}
    )
    recorder.ring.push(EVENT_KIND, event.to_bytes())
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


def test_names_are_all_different_and_as_many_as_values() -> None:
    names = column_names()
    assert len(set(names)) == len(names) == 76
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
