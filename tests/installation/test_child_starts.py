"""One function starts every process: nothing else in the packages can."""

import ast
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from hil.config.installation import HOME, PACKAGES
from hil.ipc.child import PIPE, start_child, worker_pool

ALLOWED = HOME / "hil" / "ipc" / "child.py"
MODULES = {"subprocess", "_posixsubprocess", "multiprocessing", "pexpect"}
NAMES = {
    "os": ("exec", "spawn", "posix_spawn", "fork", "system", "popen", "startfile"),
    "posix": ("exec", "spawn", "posix_spawn", "fork", "system", "popen"),
    "pty": ("fork", "spawn"),
    "asyncio": ("create_subprocess", "subprocess"),
    "concurrent": ("ProcessPool", "process"),
}
"""Beginnings of names by which a module starts processes."""
COPIES = {"hil/ipc/standby.py": ["os.fork"]}
"""Who copies the running process, which loads nothing anew: fork(2) without exec."""
METHODS = ("subprocess_exec", "subprocess_shell", "QProcess", "create_subprocess", "startDetached")
"""Beginnings of names that start one whoever has them."""
IMPORTERS = ("import_module", "__import__", "find_spec", "run_module")
SUSPECT = re.compile(rf"\b(({'|'.join((*MODULES, *NAMES, *IMPORTERS))})\b|{'|'.join(METHODS)})")
"""Without one of these words a text starts nothing; to parse all files takes seconds."""


def starts(source):
    """Where a text can start a process, in words; the name of a module counts as its import."""
    if not SUSPECT.search(source):
        return []
    tree, found, modules = ast.parse(source), [], {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name.partition(".")[0]] = alias.name.partition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            paths = [alias.name.split(".") for alias in node.names]
            used = [(path[0], part) for path in paths for part in path]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            top = (node.module or "").partition(".")[0]
            used = [(top, part) for part in (node.module or "").split(".")]
            used += [(top, alias.name) for alias in node.names]
        elif isinstance(node, ast.Attribute):
            owner = node.value
            while isinstance(owner, ast.Attribute):
                owner = owner.value
            top = modules.get(owner.id, "") if isinstance(owner, ast.Name) else ""
            used = [(top, node.attr), ("", node.attr)]
        elif isinstance(node, ast.Name):
            used = [("", node.id)]
        elif isinstance(node, ast.Call) and _imports(node.func):
            used = [
                (str(each.value).partition(".")[0], "")
                for each in node.args
                if isinstance(each, ast.Constant)
            ]
        else:
            continue
        for top, name in used:
            if top in MODULES or name.startswith((*NAMES.get(top, ()), *METHODS)):
                found.append(f"line {node.lineno}: {top}.{name}")
    return found


def _imports(function):
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in IMPORTERS


def test_nothing_but_the_one_function_starts_a_process():
    files = [file for name in PACKAGES for file in (HOME / name).rglob("*.py")]
    assert len(files) > 300
    found = {
        str(file.relative_to(HOME)): starts(file.read_text(encoding="utf-8"))
        for file in files
        if file != ALLOWED
    }
    others = {file: places for file, places in found.items() if places}
    copies = {file: [place.split(": ")[1] for place in places] for file, places in others.items()}
    assert copies == COPIES
    assert starts(ALLOWED.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess",
        "import subprocess as s\ns.run('x')",
        "from subprocess import Popen",
        "from multiprocessing.context import SpawnContext",
        "import os\nos.execv('x', [])",
        "import os as o\no.posix_spawnp('x', [], {})",
        "from os import fork",
        "import os\nstart = os.system",
        "import pty\npty.spawn('sh')",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "import asyncio.subprocess",
        "loop.subprocess_exec(None, 'x')",
        "from concurrent.futures import ProcessPoolExecutor",
        "import concurrent.futures\nconcurrent.futures.ProcessPoolExecutor()",
        "from concurrent.futures.process import ProcessPoolExecutor",
        "from PySide6.QtCore import QProcess",
        "import PySide6.QtCore as q\nq.QProcess()",
        "import importlib\nimportlib.import_module('subprocess')",
        "__import__('multiprocessing')",
    ],
)
def test_every_way_to_start_one_would_be_found(source):
    assert starts(source)


def test_what_starts_none_is_not_found():
    assert not starts("import os, pty\npty.openpty()\nos.read(0, 1)\nprocess = executor = 1\n")


def test_a_child_does_not_look_into_the_folder_that_it_works_in(tmp_path):
    for name in ("safety", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    code = "import json, sys, safety; print(safety.__file__, sys.flags.safe_path)"
    child = start_child(("-c", code), stdout=PIPE, stderr=PIPE, folder=tmp_path)
    said, errors = child.communicate()
    assert child.returncode == 0, errors
    assert said.decode().split() == [str(HOME / "safety" / "__init__.py"), "True"]


def test_a_pool_does_not_look_into_the_folder_that_it_works_in(tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    for name in ("multiprocessing", "random", "tempfile", "selectors"):
        (tmp_path / f"{name}.py").write_text(f"open({str(seen)!r}, 'w')\nraise SystemExit(1)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", ".")])
    before = dict(os.environ)
    with worker_pool(1) as pool:
        assert pool.submit(abs, -7).result(timeout=60) == 7
    assert not seen.exists()
    assert dict(os.environ) == before


def test_a_child_gets_its_environment_folder_and_descriptors(tmp_path):
    reader, writer = os.pipe()
    code = "import os, sys; os.write(int(sys.argv[1]), os.environ['GIVEN'].encode())"
    code += "; print(os.getcwd())"
    child = start_child(
        ("-c", code, str(writer)), stdout=PIPE, pass_fds=(writer,), folder=tmp_path,
        environment={"GIVEN": "yes"},
    )  # fmt: skip
    os.close(writer)
    said, _ = child.communicate()
    assert Path(said.decode().strip()) == tmp_path.resolve()
    assert os.read(reader, 10) == b"yes"
    os.close(reader)
    assert "GIVEN" not in os.environ


def test_a_child_is_told_a_long_line_whole_and_sees_the_end_of_its_input():
    code = "import sys; print(len(sys.stdin.buffer.readline()), sys.stdin.buffer.read())"
    child: Any = start_child(("-c", code), stdin=PIPE, stdout=PIPE)
    child.send(b"x" * 300_000 + b"\n", last=True)  # more than a pipe holds
    assert child.stdout.read() == b"300001 b''\n"
    assert (child.end(60.0), child.end()) == (0, 0)
    child.send(b"it is gone")


def test_a_child_that_does_not_end_is_killed_and_its_pipes_are_closed():
    code = "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True)"
    child: Any = start_child(("-c", f"{code}; signal.pause()"), stdin=PIPE, stdout=PIPE)
    child.stdout.readline()
    child.terminate()
    assert child.end(0.05) == -9
    assert child.stdin.closed
    assert child.stdout.closed


def test_a_child_that_died_is_not_told():
    child = start_child(("-c", "pass"), stdin=PIPE)
    child.wait()
    child.send(b"x\n", last=True)
    assert child.end() == 0
