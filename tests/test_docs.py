"""The documents: links lead somewhere, commands exist, examples are accepted."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer.main

from hil.cli import app
from hil.rig import Rig

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")])
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
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
            for line in block.splitlines():
                if line.startswith("hil "):
                    yield shlex.split(line, comments=True)


def fault_of_command(words):
    """What is wrong with a command line: a verb or an option that does not exist; else None."""
    command, rest = typer.main.get_command(app), words[1:]
    while verbs := getattr(command, "commands", None):
        verb = rest.pop(0) if rest else ""
        if verb not in verbs:
            return f"{' '.join(words)}: no verb {verb!r}"
        command = verbs[verb]
    known = {"--help"}.union(*(option.opts for option in command.params))
    for word in rest:
        if word.startswith("--") and word.partition("=")[0] not in known:
            return f"{' '.join(words)}: no option {word!r}"
    return None


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(path):
    assert dead_links(path.read_text(encoding="utf-8"), path.parent) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_commands_exist(path):
    faults = map(fault_of_command, command_lines(path.read_text(encoding="utf-8")))
    assert [fault for fault in faults if fault] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_verbs_in_the_text_exist(path):
    """`hil drives …` in running text: its first verb is one."""
    verbs = typer.main.get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]
    spans = re.findall(r"`(hil [^`\n]+)`", path.read_text(encoding="utf-8"))
    assert [span for span in spans if span.split()[1] not in verbs] == []


def test_documents_name_commands_at_all():
    assert sum(len(list(command_lines(path.read_text()))) for path in DOCUMENTS) > 20


def test_the_documents_of_the_readme_are_all_there():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in ROOT.glob("docs/*.md"):
        assert f"docs/{path.name}" in readme, path.name


def test_every_decision_is_listed():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for path in ROOT.glob("docs/adr/*.md"):
        assert f"adr/{path.name}" in text, path.name


def test_the_table_of_drives_in_the_document_names_every_key():
    from hil.rig_drives import CanopenTable, ModbusTable, RigDrives

    text = (ROOT / "docs/commissioning.md").read_text(encoding="utf-8")
    section = text.split("## The `[drives]` table")[1].split("\n## ")[0]
    told = {key for row in re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)
            for key in re.findall(r"`(\w+)`", row)}  # fmt: skip
    keys = {*RigDrives.model_fields, *CanopenTable.model_fields, *ModbusTable.model_fields}
    assert told == keys - {"canopen", "modbus"}


def test_the_example_of_drives_in_the_rig_is_accepted():
    text = (ROOT / "configs/rigs/paper.toml").read_text(encoding="utf-8")
    plain, _, example = text.partition("# [drives]")
    lines = ("# [drives]" + example).splitlines()
    assert all(line.startswith("#") or not line for line in lines)
    rig = Rig.build(
        tomllib.loads(plain + "\n".join(line.removeprefix("#").lstrip() for line in lines)), "rig"
    )
    assert rig.drives.url.startswith("slcan:/dev/serial/by-id/")


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
