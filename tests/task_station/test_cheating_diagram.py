"""A diagram that turns the valve well, but states as its target the moment that it measures."""

import pytest
from task_runs import told

from hil.config.file_search import find_file

STATED = '"moment_nm.u" = "turn.mu_nm"'
FELT = '"felt.u" = "wrist_torque_n_m.y"\n"moment_nm.u" = "felt.y3"'
BLOCK = '"felt" = { kind = "Demux", width = 3 }\n"force_n" = { kind = "Out" }'


@pytest.fixture
def cheat(tmp_path):
    """The shipped diagram with one wire laid anew."""
    text = find_file("valve", folder="diagrams", key="test").read_text()
    assert text.count(STATED) == 1
    text = text.replace(STATED, FELT).replace('"force_n" = { kind = "Out" }', BLOCK)
    path = tmp_path / "cheat.toml"
    path.write_text(text)
    return path


def test_who_states_what_he_feels_has_failed_as_soon_as_he_grasps(cheat):
    words = ("check", "valve", "--seed", "2", "--set", "task.angle_deg=-30")
    found = told(*words, "--set", "task.period_ms=[10,10]", "--set", f"diagram.file={cheat}",
                 status=1)  # fmt: skip
    assert found["reason"] == "force"
    assert found["failure"]["text"].startswith("change of the target of the moment")
    assert found["failure"]["unit"] == "N m/s"
    assert list(found["phases"])[-1] == "close"
