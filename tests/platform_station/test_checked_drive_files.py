"""What `drives.type` and `devices.drives` name is read by `hil check` as by `hil run`."""

import socket

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir

DRIVES = configs_dir() / "drives"
CAN, MODBUS = "slcan:socket://127.0.0.1:29536", "modbus-tcp://127.0.0.1:1502"


def verdicts(url, name):
    """Exit status and text of check and run of drives of a type."""
    clock = () if url == "sim:" else ("--set", 'clock="real"')
    changes = (f'devices.drives="{url}"', f'rig_settings.drives.type="{name}"')
    sets = [one for change in changes for one in ("--set", change)]
    for verb in ("check", "run"):
        result = CliRunner().invoke(app, [verb, "hold_neutral", *sets, *clock])
        yield result.exit_code, " ".join(result.output.split())


@pytest.fixture
def no_port(monkeypatch):
    """Whoever opens a connection fails the test."""

    def refuse(*_):
        raise AssertionError("a port was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("url", ["sim:", CAN, MODBUS])
def test_a_drive_file_that_is_not_there_is_refused_alike(url, no_port):
    check, run = verdicts(url, "nobodys_drive")
    assert check == run
    assert check[0] == 2
    assert "drives.type" in check[1]
    assert "nobodys_drive" in check[1]


@pytest.mark.parametrize(
    ("url", "shipped"),
    [("sim:", "epos4"), ("sim:", "hil_rack"), (CAN, "epos4"), (MODBUS, "hil_rack")],
)
@pytest.mark.parametrize("part", [0.15, 0.5, 0.8])
def test_a_drive_file_that_is_cut_off_in_a_line_is_refused_alike(
    url, shipped, part, tmp_path, no_port
):
    whole = (DRIVES / f"{shipped}.toml").read_bytes()
    lines = [at for at in range(len(whole)) if whole[at : at + 3] == b" = "]
    cut = tmp_path / "cut.toml"
    cut.write_bytes(whole[: lines[int(part * len(lines))] + 3])  # a key without its value
    check, run = verdicts(url, cut)
    assert check == run
    assert check[0] == 2
    assert "cut.toml" in check[1]


@pytest.mark.parametrize(
    ("url", "name", "words"),
    [
        (CAN, "hil_rack", "speaks modbus, the drives' url is canopen"),
        (MODBUS, "epos4", "speaks canopen, the drives' url is modbus"),
        ("modbus-tcp:127.0.0.1:1502", "hil_rack", "modbus-tcp://HOST:PORT"),
        ("modbus-tcp://127.0.0.1:99999", "hil_rack", "99999"),
        ("modbus-rtu:/dev/x?parity=Q", "hil_rack", "parity 'Q' is none of E, O, N"),
        ("slcan:", "epos4", "slcan:/dev/serial/by-id/NAME"),
        ("nobody:x", "epos4", "begins like none of"),
    ],
)
def test_what_cannot_be_is_refused_alike(url, name, words, no_port):
    check, run = verdicts(url, name)
    assert check == run
    assert check[0] == 2
    assert words in check[1]


def test_a_register_map_with_a_word_too_few_is_refused_with_it(tmp_path, no_port):
    text = (DRIVES / "hil_rack.toml").read_text()
    broken = tmp_path / "broken.toml"
    broken.write_text(text.replace("[write]\n", "[write]\nnonsense = 3\n"))
    assert broken.read_text() != text
    check, run = verdicts(MODBUS, broken)
    assert check == run
    assert "nonsense" in check[1]
