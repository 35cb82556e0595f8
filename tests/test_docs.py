"""The documents: links lead somewhere, commands exist, examples are accepted."""

import json
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.settings import read_toml
from hil.machines.kinds import ROBOT, SPACE_ARM
from hil.machines.rig.settings import Rig
from hil.machines.robot.settings import BlendSettings, RobotSettings
from hil.run.file_kinds import find_kind, scenario_kinds
from hil.run.part_process import PartSettings
from hil.run.together import TogetherScenario
from hil.stations.arm.plan.scenario import ArmPlan, ArmScenario, arm_plan_from_table
from hil.stations.arm.sources import settings as sources
from hil.stations.arm.station import SCENARIO as ARM_SCENARIO

ROOT = Path(__file__).parents[1]
CODE = (
    "hil", "platform6dof", "arm_driver", "drives", "safety", "sim", "hil_common", "tests",
    "examples", "benchmarks",
)  # fmt: skip
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("docs/**/*.md"),
    ]
)
MODULES = [
    f"/{path.relative_to(ROOT).as_posix()}" for top in CODE for path in (ROOT / top).rglob("*.py")
]
OF_OTHERS = {
    "beamng.py", "contextlib.py", "ctypes.py", "data_processing.py", "numpy.py", "udp_data.py",
}  # fmt: skip
"""Modules of libraries and programs of others that the documents name."""
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
COLUMN = re.compile(r" {3,}[^ #]")
"""Words after a wide gap explain a command; a mark of comment does so anywhere."""
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def anchor_of(heading):
    """The anchor that renderers make of a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def dead_links(text, folder):
    """Relative links of a text that lead to no file or heading."""
    dead = []
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = folder / name if name else None
        if path is not None and not path.exists():
            dead.append(target)
        elif anchor:
            there = text if path is None else path.read_text(encoding="utf-8")
            if anchor not in map(anchor_of, HEADING.findall(there)):
                dead.append(target)
    return dead


def command_lines(text):
    """Lines of code blocks that begin with the program's name, without their comments."""
    for language, block in FENCE.findall(text):
        if language in ("", "sh"):
            for line in map(str.strip, block.splitlines()):
                if line.startswith("hil "):
                    if "#" not in line and COLUMN.search(line):
                        line = re.split(r"(?<!^hil run)(?<!^hil check) {3,}", line)[0]
                    yield shlex.split(line, comments=True)


PLACEHOLDER = re.compile(r"[A-Z$]|my_")
"""How a word begins that stands for a file, a name or an address of the reader's own."""
KINDS_OF_VERB = {
    "run": scenario_kinds(), "check": scenario_kinds(),
    "arm run": (ARM_SCENARIO,), "arm check": (ARM_SCENARIO,),
    "arm goto": (ROBOT,), "arm jog": (ROBOT,), "arm play": (ROBOT,),
    "arm identify": (ROBOT,),
    "arm ik": (ROBOT,), "arm fk": (ROBOT, SPACE_ARM),
    "arm id": (SPACE_ARM,), "arm cost": (SPACE_ARM,),
    "arm simplify": (SPACE_ARM,),
}  # fmt: skip


def named_file(words):
    """The file that a command names first, and the kinds that it may have; None if it has none."""
    for verb in (" ".join(words[1:3]), words[1]):
        if verb in KINDS_OF_VERB:
            rest = words[1 + len(verb.split()) :]
            if rest and not rest[0].startswith("-") and not PLACEHOLDER.match(rest[0]):
                return rest[0], KINDS_OF_VERB[verb]
    return None


@cache
def program():
    """The command line with all its verbs, put together once."""
    return typer.main.get_command(app)


def fault_of_command(words):
    """What is wrong with a command line: a verb or an option that does not exist; else None."""
    command, rest = program(), words[1:]
    while verbs := getattr(command, "commands", None):
        verb = rest.pop(0) if rest else ""
        default = getattr(command, "default_verb", None)
        if verb not in verbs and default:
            command = verbs[default]
            break
        if verb not in verbs:
            return f"{' '.join(words)}: no verb {verb!r}"
        command = verbs[verb]
    known = {"--help"}.union(*(one.opts + one.secondary_opts for one in command.params))
    for word in rest:
        if word.startswith("--") and word.partition("=")[0] not in known:
            return f"{' '.join(words)}: no option {word!r}"
    return None


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(path):
    assert dead_links(path.read_text(encoding="utf-8"), path.parent) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_modules_that_are_named_exist(path):
    """Examples in Python have files of their own, and the changelog has those of its time."""
    text = path.read_text(encoding="utf-8")
    prose = FENCE.sub(lambda found: "" if found[1] == "python" else found[0], text)
    named = {
        one for one in re.findall(r"\b\w[\w/]*\.py\b", prose) if Path(one).name not in OF_OTHERS
    }
    absent = {one for one in named if not any(file.endswith(f"/{one}") for file in MODULES)}
    assert path.name == "CHANGELOG.md" or not absent


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_commands_exist(path):
    faults = map(fault_of_command, command_lines(path.read_text(encoding="utf-8")))
    assert [fault for fault in faults if fault] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_files_of_commands_exist_and_are_of_the_right_kind(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for words in command_lines(path.read_text(encoding="utf-8")):
        named = named_file(words)
        if named and "third_station" in named[0]:  # of a station that is not installed here
            assert Path(named[0]).is_file()
        elif named and not Path(named[0]).stem.startswith("hold_neutral"):
            find_kind(named[0], *named[1], key=" ".join(words))


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_verbs_in_the_text_exist(path):
    """`hil drives …` in running text: its first verb is one."""
    verbs = program().commands  # pyright: ignore[reportAttributeAccessIssue]
    spans = re.findall(r"`(hil [^`\n]+)`", path.read_text(encoding="utf-8"))
    assert [span for span in spans if span.split()[1] not in verbs] == []


def test_documents_name_commands_at_all():
    assert sum(len(list(command_lines(path.read_text()))) for path in DOCUMENTS) > 20


def test_the_documents_of_the_readme_are_all_there():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in ROOT.glob("docs/*.md"):
        assert f"docs/{path.name}" in readme, path.name


def test_the_tests_of_the_safety_manual_exist():
    text = (ROOT / "docs/safety_manual.md").read_text(encoding="utf-8")
    section = text.split("## Where the promises are tested")[1].split("\n## ")[0]
    folder = Path()
    named = [Path(name) for name in re.findall(r"`([\w/]+\.py)`", section)]
    assert len(named) > 30
    for path in named:
        folder = path.parent if len(path.parts) > 1 else folder
        assert (ROOT / folder / path.name).is_file(), path


def test_every_decision_is_listed():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for path in ROOT.glob("docs/adr/*.md"):
        assert f"adr/{path.name}" in text, path.name


def test_the_table_of_drives_in_the_document_names_every_key():
    from hil.machines.rig.drives import CanopenTable, RigDrives

    text = (ROOT / "docs/commissioning.md").read_text(encoding="utf-8")
    section = text.split("## The `[drives]` table")[1].split("\n## ")[0]
    told = {key for row in re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)
            for key in re.findall(r"`(\w+)`", row)}  # fmt: skip
    keys = {*RigDrives.model_fields, *CanopenTable.model_fields}
    assert told == keys - {"canopen"}


def test_the_example_of_drives_in_the_rig_is_accepted():
    text = (ROOT / "configs/rigs/paper.toml").read_text(encoding="utf-8")
    plain, _, example = text.partition("# [drives]")
    lines = ("# [drives]" + example).splitlines()
    assert all(line.startswith("#") or not line for line in lines)
    rig = Rig.build(
        tomllib.loads(plain + "\n".join(line.removeprefix("#").lstrip() for line in lines)), "rig"
    )
    assert rig.drives.url.startswith("slcan:/dev/serial/by-id/")


SCENARIOS_TEXT = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")


def examples(*keys):
    """TOML examples of the document of scenarios that have one of these keys at their top."""
    blocks = [block for language, block in FENCE.findall(SCENARIOS_TEXT) if language == "toml"]
    tables = [tomllib.loads(block) for block in blocks]
    return [table for table in tables if table.keys() & set(keys)]


def test_examples_of_arm_scenarios_are_accepted(tmp_path):
    whole = [table for table in examples("station") if table["station"] == "arm"]
    assert whole
    plans = [arm_plan_from_table(table, tmp_path / "doc.toml") for table in whole]
    shipped, _ = find_kind("bkm_on_rm01", ARM_SCENARIO, key="")
    parts = [table for table in examples("mapping", "source") if "station" not in table]
    assert {key for table in parts for key in table} == {"mapping", "source"}
    plans += [arm_plan_from_table(read_toml(shipped) | table, shipped) for table in parts]
    assert all(isinstance(plan, ArmPlan) for plan in plans)


def test_the_place_of_the_mapping_example_is_that_of_its_joints():
    """Millimetres and degrees as the example writes them."""
    (table,) = examples("mapping")
    joints = ",".join(map(str, table["mapping"]["start_joints_deg"]))
    result = CliRunner().invoke(app, ["arm", "fk", "rm01", "--q", joints, "--json"])
    told = json.loads(result.stdout)
    start = table["mapping"]["start"]
    assert told["position_m"] == pytest.approx(start["position_m"], abs=5e-4)
    assert told["oat_deg"] == pytest.approx(start["oat_deg"], abs=1e-6)


def test_examples_of_stations_together_are_accepted(tmp_path):
    whole = [table for table in examples("station") if table["station"] == "together"]
    assert whole
    for table in whole:
        scenario = TogetherScenario.build(table, "scenarios.md")
        for part in scenario.part:
            path, kind = find_kind(part.scenario, *scenario_kinds(), key="part")
            if kind is ARM_SCENARIO:
                arm_plan_from_table(read_toml(path), path, part.changes)


@pytest.mark.parametrize(
    ("heading", "models"),
    [
        ("## Arm scenarios", (ArmScenario, *(
            field.annotation for field in ArmScenario.model_fields.values()
            if hasattr(field.annotation, "model_fields")
        ))),
        ("### Sources of motion", (
            sources.SourceLimitSettings, sources.SegmentSettings, sources.ProfileSourceSettings,
            sources.RecordedSourceSettings, sources.KeyboardSourceSettings,
            sources.GamepadSourceSettings, sources.RemoteSourceSettings,
        )),
        ("### Your own robot", (RobotSettings, BlendSettings)),
        ("## Stations together", (TogetherScenario, PartSettings)),
    ],
)  # fmt: skip
def test_the_document_of_scenarios_names_every_key(heading, models):
    level = heading.split()[0]
    section = SCENARIOS_TEXT.split(f"{heading}\n")[1]
    section = re.split(rf"^#{{2,{len(level)}}} ", section, maxsplit=1, flags=re.MULTILINE)[0]
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", section))))
    told |= set(re.findall(r"\[\[?(\w+)", section))
    keys = {key for model in models for key in model.model_fields}
    assert keys - told == set()


def test_a_file_of_a_command_is_seen():
    words = shlex.split("hil arm fk nowhere --q 1,2,3,4,5,6")
    assert named_file(words) == ("nowhere", (ROBOT, SPACE_ARM))
    assert named_file(shlex.split("hil run my_rig.toml")) is None
    assert named_file(shlex.split("hil arm table")) is None
    assert list(command_lines("```\nhil run demo --set a=b     what it's for\n```\n")) == [
        ["hil", "run", "demo", "--set", "a=b"]
    ]


def test_a_dead_link_is_seen():
    text = "[a](docs) [b](nowhere.md) [c](#here) [d](#there)\n# Here\n"
    assert dead_links(text, ROOT) == ["nowhere.md", "#there"]


@pytest.mark.parametrize(
    ("line", "word"),
    [("hil jump high", "jump"), ("hil drives fly paper", "fly"), ("hil run a --sim", "--sim")],
)
def test_a_wrong_command_is_seen(line, word):
    fault = fault_of_command(shlex.split(line))
    assert fault is not None
    assert repr(word) in fault
    assert list(command_lines(f"```\n{line}  # why\n```\n")) == [shlex.split(line)]
