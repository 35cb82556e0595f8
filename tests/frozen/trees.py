"""Two trees of the project, each with an interpreter that sees its code and nobody else's."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from frozen.cases import Case

TOP = Path(__file__).parents[2]
STUDY = "benchmarks/arm_study"
"""A distribution of the same repository, whose verb is one of the program's."""
RUN_WITHIN_S = 900.0
START = """\
import sys
from importlib.metadata import entry_points
[entry] = {one.value: one for one in entry_points(group="console_scripts", name="hil")}.values()
sys.argv[0] = "hil"
"""
RUN = START + "entry.load()()"
"""Runs the program as its installation does: of its inner layout nothing is known here."""
WITHOUT_JSON = {("drives", "import"), ("world", "send")}
"""Verbs that say nothing but in words; what they write counts."""
COMMANDS = (
    START
    + """\
import json, typer, typer.main

def bare(value):
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)

def kind(one):
    annotation = getattr(getattr(one, "type_descriptor", None), "annotation", None)
    values = [str(each.value) for each in getattr(annotation, "__members__", {}).values()]
    return values or (annotation.__name__ if annotation in (bool, int, float, str) else "")

def told(command):
    options = {
        one.opts[0]: {
            "spelt": [*one.opts, *one.secondary_opts],
            "need": "required" if one.required else "optional",
            "default": bare(one.default),
            "many": [getattr(one, "multiple", False), one.nargs],
            "flag": getattr(one, "is_flag", False),
            "bounds": [bare(getattr(one, side, None)) for side in ("min", "max")],
            "kind": kind(one),
        }
        for one in command.params
    }
    below = {name: told(one) for name, one in sorted(getattr(command, "commands", {}).items())}
    return {"options": options, "commands": below}

def shown(app, *arguments, **named):
    print(json.dumps(told(typer.main.get_command(app))))

typer.Typer.__call__ = shown
entry.load()()
"""
)
"""Prints the tree of commands with their options, in place of running one."""


@dataclass(frozen=True)
class Answer:
    """What a case gave.

    Args:
        status: exit status.
        told: what it printed with --json; None if that was no JSON.
        words: standard error, for people.
        rows: the recording as CSV; None without one.
        events: its events as CSV.
        parts: the same of each station that ran together with others.
        files: what else it wrote, by name.
    """

    status: int
    told: Any
    words: str
    rows: Path | None = None
    events: Path | None = None
    parts: dict[str, "Answer"] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


class Tree:
    """The program at one revision.

    Args:
        python: interpreter that finds its packages.
        packages: folder that has to hold them.
        path: folder in which the interpreter looks first; for a tree that is not installed.
    """

    def __init__(self, python: Path, packages: Path, *, path: Path | None = None) -> None:
        self._python, self._path = python, path
        where = "import hil, sys; print(next(iter(hil.__path__)))"
        found = Path(self._run(["-P", "-c", where], TOP).stdout.strip()).parent
        if found.resolve() != packages.resolve():
            raise RuntimeError(f"{python} takes hil from {found}, not from {packages}")

    def commands(self) -> object:
        """All commands and their options."""
        return json.loads(self._run(["-P", "-c", COMMANDS], TOP, check=True).stdout)

    def warm(self) -> None:
        """Compile its kernels."""
        self._hil(["warm"], TOP, check=True)

    def run(self, case: Case, folder: Path) -> Answer:
        """Run a case in a new folder, and read its recording with this tree's own program."""
        folder.mkdir(parents=True)
        places = {"top": str(TOP)}
        for words in case.before:
            made = self._asked(words, folder, places, "before")
            places |= {"recording": str(made.told["recording"])} if _recording(made.told) else {}
        answer = self._asked(case.arguments, folder, places, "runs" if case.records else "")
        files = {name: folder / name for name in case.files if (folder / name).exists()}
        parts = answer.told.get("parts") if isinstance(answer.told, dict) else None
        if case.records and isinstance(parts, dict):
            told = parts.items()
            return replace(answer, parts={name: self._read(one, folder) for name, one in told})
        read = self._read(answer.told, folder) if case.records else answer
        return replace(answer, rows=read.rows, events=read.events, files=files)

    def _asked(self, words, folder, places, out) -> Answer:
        """One command of a case; with a folder for what it records."""
        words = [_placed(word, places) for word in words]
        if words[0] == "python":
            self._run(["-P", "-m", *words[1:]], folder, check=True)
            return Answer(0, None, "")
        takes_out = out and words[0] != "diagram"
        told = [] if words[0] == "schema" else ["--json"]  # a schema is JSON anyway
        told = [] if tuple(words[:2]) in WITHOUT_JSON else told
        ended = self._hil([*words, *(["--out", str(folder / out)] if takes_out else []), *told],
                          folder)  # fmt: skip
        return Answer(ended.returncode, _json(ended.stdout), ended.stderr)

    def _read(self, told: Any, folder: Path) -> Answer:
        """The recording that an answer names, as CSV."""
        if not (recording := _recording(told)):
            return Answer(0, told, "")
        out = folder / f"csv{len(list(folder.glob('csv*')))}"
        out.mkdir()
        # Exit status 1: the recording has no good end, which its rows and the run's status show.
        self._hil(["export", str(folder / recording), "--out", str(out)], folder)
        events = next(iter(out.glob("*.events.csv")), None)
        if events is None:
            return Answer(0, told, "")
        return Answer(0, told, "", events.with_name(events.name.replace(".events", "")), events)

    def _hil(self, arguments, folder, *, check=False):
        return self._run(["-P", "-c", RUN, *arguments], folder, check=check)

    def _run(self, arguments, folder, *, check=False):
        bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        bare |= {} if self._path is None else {"PYTHONPATH": str(self._path)}
        return subprocess.run(
            [str(self._python), *arguments], cwd=folder, env=bare, text=True, capture_output=True,
            timeout=RUN_WITHIN_S, check=check,
        )  # fmt: skip


def _placed(word: str, places: dict[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(f"{{{name}}}", place)
    return word


def _recording(told: Any) -> str | None:
    return told.get("recording") if isinstance(told, dict) else None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def tree_of(revision: str, work: Path) -> Tree:
    """A revision, built as a wheel and unpacked into an environment of its own.

    What it depends on is taken from the environment that this runs in.

    Raises:
        subprocess.CalledProcessError: if there is no such revision, or it does not build.
    """
    source, home = work / "source", work / "environment"
    _must("git", "-C", str(TOP), "worktree", "add", "--detach", str(source), revision)
    try:
        venv.create(home)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
        pip = (sys.executable, "-m", "pip")
        for part in filter(Path.exists, (source, source / STUDY)):
            _must(*pip, "wheel", "-q", "--no-deps", "-w", str(work), str(part))
        wheels = map(str, work.glob("*.whl"))
        _must(*pip, "install", "-q", "--no-deps", "--target", str(packages), *wheels)
    finally:
        _must("git", "-C", str(TOP), "worktree", "remove", "--force", str(source))
    # A path file is not read where a path file leads: an editable install there stays unseen.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return tree_in(home)


def tree_in(home: Path) -> Tree:
    """The program as it is installed in a virtual environment, such as that of a compiled build."""
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    return Tree(home / "bin" / "python", packages)


def _must(*command: str) -> None:
    subprocess.run(command, check=True)
