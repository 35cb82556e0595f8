"""docs/formats.md: made of the code, and true of real recordings and real output."""

import ast
import json
import re
from pathlib import Path

import format_judge
import format_tables
import numpy as np
import pytest
import typer.main
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.installation import InstallationError, refuse
from hil.recording import writer
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.terminal.console import JSON_FORMAT

ROOT = Path(__file__).parents[1]
QUICK = ["--set", "motion.duration_s=1", "--set", "motion.fade_s=0.5", "--set", "rate_hz=125"]
ARM = ["--rates", "1,0,0,0,0,0", "--ticks", "2"]
TABLE = ["--motions", "1", "--model", "a", "--repeats", "1", "--payload", "none", "--no-rk4"]


def hil(*arguments, status=0):
    done = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert done.exit_code == status, done.output + repr(done.exception)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def platform(tmp_path_factory):
    """What a run of a platform prints."""
    out = tmp_path_factory.mktemp("runs")
    return hil("run", "heave", "--report", "--out", out, *QUICK)


def test_the_page_is_made_of_the_code():
    text = format_tables.PAGE.read_text("utf-8")
    assert format_tables.filled(text) == text, "python tests/format_tables.py"


def test_every_verb_that_prints_json_is_in_it_and_every_key_has_its_meaning():
    def verbs(command, path):
        for name, inner in getattr(command, "commands", {}).items():
            yield from verbs(inner, f"{path} {name}")
        if any("--json" in one.opts for one in command.params):
            yield path

    assert {*verbs(typer.main.get_command(app), "hil")} == {*format_tables.VERBS}
    assert {*format_judge.forms()} == {*format_tables.VERBS, "any verb"}
    for place in (*format_tables.forms(), format_tables.REFUSED):
        empty = [row for row in format_tables.rows_of(format_tables.form_of(place)) if not row[2]]
        assert not empty, place


def test_nothing_is_printed_that_has_no_typed_form():
    untyped = []
    for path in (ROOT / "hil").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print_json":
                (value,) = node.args
                name = getattr(getattr(value, "func", None), "id", "")
                if not (name.endswith("Summary") or getattr(value, "id", "") == "summary"):
                    untyped.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    at_console = [one for one in untyped if one.startswith("hil/terminal/console.py")]
    assert len(at_console) == 3, "errors, bad usage, and a check's own form"
    assert untyped == at_console


@pytest.mark.parametrize(
    "arguments",
    [
        ["stations"], ["panel"], ["doctor", "--duration", "0.5"],
        ["platform", "ik", "paper"], ["platform", "extremes", "paper"],
        ["platform", "fk", "paper", "--lengths", "1,1,1,1,1,1"],
        ["platform", "sample", "paper", "--count", "10"],
        ["check", "heave", *QUICK], ["arm", "check", "circle_on_rm01"],
        ["check", "platform_and_arm"],
        ["drives", "check-type", "epos4"],
        ["arm", "fk", "rm01"], ["arm", "fk", "bkm"],
        ["arm", "ik", "rm01", "--pose", "600,0,800,0,90,0"],
        ["arm", "advance", "bkm", *ARM], ["arm", "table", "--arm", "bkm", *TABLE],
    ],
    ids=lambda arguments: " ".join(arguments[:3]),
)  # fmt: skip
def test_what_a_verb_prints_is_in_its_table(arguments):
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    format_judge.judge(format_judge.verb_of(arguments), told)  # as the plugin has done


@pytest.mark.parametrize("verb", ["jog", "park", "home", "test"])
def test_so_is_what_moves_of_single_drives_print(verb, tmp_path):
    more = ["--leg", "2", "--by", "0.01"] if verb == "jog" else []
    assert hil("drives", verb, "paper", "--drives", "sim:", "--out", tmp_path, *more)["ok"]


def test_so_is_what_is_refused(tmp_path):
    assert not hil("run", tmp_path / "none.toml", status=2)["ok"]
    far = ["--set", "motion.terms.0.amplitude_m=0.5"]
    told = hil("check", "heave", *far, *QUICK, status=1)
    assert told["violations"]
    assert told["fit"]["changes"]


def test_so_is_what_a_run_and_its_recording_print(platform, tmp_path):
    assert platform["ok"]
    hil("report", Path(platform["recording"]).parent, "--out", tmp_path)
    hil("export", Path(platform["recording"]).parent, "--out", tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told.pop("reason"), "reason is in the table only"),
        (lambda told: told.update(weather="fine"), "weather is not in the table"),
        (lambda told: told["lateness_us"].pop("p99"), "lateness_us.p99 is in the table only"),
        (lambda told: told["real_time"].append({"item": "x"}), r"real_time\[\].ok is in the table"),
        (lambda told: told.update(cycles="many"), "cycles is 'many', and not whole number"),
        (lambda told: told.update(ok=None), "ok is null, and not true or false"),
        (lambda told: told.pop("format"), "its first key is not format"),
    ],
)
def test_the_judge_objects(platform, change, words):
    told = json.loads(json.dumps(platform))
    change(told)
    with pytest.raises(pytest.fail.Exception, match=words):
        format_judge.judge("hil run", told)


def test_an_installation_that_is_refused_prints_the_same_form(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["hil", "run", "--json"])
    with pytest.raises(SystemExit):
        refuse(InstallationError("two of them"))
    told = json.loads(capsys.readouterr().out)
    assert told == {"format": JSON_FORMAT, "ok": False, "error": "two of them"}


def described():
    """Topic of rows → its fields as the page tells them."""
    return {title.strip("`"): format_judge.cells_of(text)
            for title, text in format_judge.sections("columns")}  # fmt: skip


def judge_file(path, station):
    """Hold a recording, read by others, against the page."""
    text = format_tables.PAGE.read_text("utf-8")
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        topics = {one.topic: summary.schemas[one.schema_id].name for one in
                  summary.channels.values()}  # fmt: skip
        tables = {one.name: one.metadata for one in reader.iter_metadata()}
        rows = next(reader.iter_decoded_messages(f"/{station}/rows"))
    wanted = dict(re.findall(rf"^\| `(/{station}/\w+)` \| `([^`]+)` \|$", text, re.MULTILINE))
    assert topics == wanted
    assert tables["format"]["version"] == "1"
    fields = described()[f"/{station}/rows"]
    message, definition = rows.decoded_message, rows.schema.data.decode()
    assert [name for name in message.__slots__ if name[0] != "_"] == [
        field[0].strip("`") for field in fields
    ]
    layout = np.dtype(json.loads(rows.channel.metadata["dtype"]))
    for name, kind, unit, told, _ in fields:
        base, many = re.fullmatch(r"(\w+?)(?:\[(\d+)\])?", kind).groups()
        value = layout[name.strip("`")]
        assert (value.base.name, value.shape) == (base, (int(many),) if many else ())
        constants = {text.split(" ", 1)[0]: text for text in told.split("; ")[-1].split(", ")}
        codes = len(constants) if unit == "code" else 0
        constant = rf"^u?int\d+ {name.strip('`').upper()}_\w+=\d+$"
        assert len(re.findall(constant, definition, re.MULTILINE)) == codes, name
    return fields


def test_a_recording_of_a_platform_is_as_the_page_says(platform, tmp_path):
    fields = judge_file(Path(platform["recording"]), "platform")
    written = hil("export", Path(platform["recording"]).parent, "--out", tmp_path)["csv"]
    head = Path(written).read_text("utf-8").splitlines()[0].split(",")
    told = [cell for *_, cell in fields]
    ends = [name for cell in told for name in re.findall(r"`([^`]+)`", cell)]
    assert [name for name in head if name in ends] == ends


def test_a_recording_of_an_arm_is_as_the_page_says(tmp_path):
    told = hil("run", "circle_on_rm01", "--out", tmp_path)
    judge_file(Path(told["recording"]), "arm")


def test_a_recording_of_a_newer_format_is_refused(platform, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "FORMAT", 2)
    told = hil("run", "heave", "--out", tmp_path, *QUICK, status=1)
    assert "is of format 2; this version reads 1 and older ones" in told["cause"]
    (newer,) = tmp_path.glob("*/recording.mcap")
    with pytest.raises(RecordingError, match="is of format 2"):
        Recording.open(newer)
