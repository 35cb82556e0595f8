"""A damaged recording is reported and exported as far as it goes, and whoever reads it is told."""

import json
from pathlib import Path

import pytest
from html_samples import parsed
from typer.testing import CliRunner

from hil.cli.main import app
from hil.recording.mcap_walk import CHUNK, Found, Walk
from hil.recording.reader import Recording


@pytest.fixture
def damaged(good_run: Recording, tmp_path: Path) -> Path:
    """A folder with a recording of which one bit in the second chunk is wrong."""
    data = bytearray(good_run.path.read_bytes())
    with good_run.path.open("rb") as file:
        chunks = [p for p in Walk(file).pieces() if isinstance(p, Found) and p.opcode == CHUNK]
    assert len(chunks) >= 3
    data[chunks[1].body + 300] ^= 0x10
    (tmp_path / "recording.mcap").write_bytes(data)
    return tmp_path


def told(*arguments: object, status: int) -> tuple[dict, str]:
    result = CliRunner().invoke(app, [str(a) for a in (*arguments, "--json")])
    assert result.exit_code == status, result.output
    return json.loads(result.stdout), result.stderr


@pytest.mark.usefixtures("unpainted")
def test_the_verbs_tell_damage_count_it_and_do_not_end_well(
    damaged: Path, good_run: Recording
) -> None:
    lost = good_run.cycles - Recording.open(damaged).cycles
    assert 0 < lost < good_run.cycles / 2
    for verb in ("export", "report"):
        answer, words = told(verb, damaged, status=1)
        assert answer["ok"] is False
        (loss,) = answer["losses"]
        assert (loss["cycles"], loss["damaged"]) == (lost, True)
        assert loss["from_s"] < loss["to_s"]
        said = words.replace("\n", " ")
        assert f"The file is damaged once; {lost} cycles are missing by that." in said
        assert f"{lost} cycles missing: byte " in said
    assert answer["report"] == str(damaged / "report.html")
    text = parsed(damaged / "report.html").text
    assert f"The file is damaged once; {lost} cycles are missing by that." in text
    rows = (damaged / "cycles.csv").read_text().splitlines()
    assert len(rows) == 1 + good_run.cycles - lost


def test_a_sound_recording_is_told_to_be_sound(good_run: Recording, tmp_path: Path) -> None:
    answer, words = told("export", good_run.path, "--out", tmp_path, status=0)
    assert (answer["ok"], answer["losses"], answer["cut_off"], words) == (True, [], False, "")
