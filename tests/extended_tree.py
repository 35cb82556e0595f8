"""A copy of the tree with what a section of `docs/extending.md` adds, and programs that run in it.

A fence ``diff`` has a file behind ``---`` and what changes in it, parts of a file apart by ``@@``.
A fence whose first line is ``# FOLDER/FILE`` is a new file, or replaces one.
"""

import os
import re
import subprocess
import sys

import third_party

ROOT = third_party.ROOT
SHORT = {"HIL_TEST_SHARE": "0.01"}
PATHS = (".", "tests", "tests/diagram", "tests/safety", "tests/third_station", "site")
TEXT = (ROOT / "docs" / "extending.md").read_text()


def section(title):
    """What the document says below a title."""
    found = TEXT.partition(f"\n## {title}\n")[2]
    assert found, title
    return found.partition("\n## ")[0]


def files_of(text):
    """Each file that the fences of a section make or change, and what it then is."""
    made = {}
    for kind, body in re.findall(r"```(\w+)\n(.*?)```", text, re.S):
        if kind == "diff":
            for part in re.split(r"^--- ", body, flags=re.M)[1:]:
                path, _, changes = part.partition("\n")
                before = made.get(path) or (ROOT / path).read_text()
                made[path] = changed(before, changes, path)
        elif named := re.match(r"# ([\w/]+\.\w+)\n", body):
            made[named[1]] = body[named.end() :]
    return made


def changed(text, changes, path):
    """A text with each part of a diff's lines put where its old lines stand, once."""
    for part in re.split(r"^@@\n", changes, flags=re.M):
        lines = part.splitlines(keepends=True)
        assert all(line[0] in " +-" for line in lines), part
        old, new = ("".join(line[1:] for line in lines if line[0] in kept) for kept in (" -", " +"))
        assert text.count(old) == 1, f"{path}: stands {text.count(old)} times:\n{old}"
        text = text.replace(old, new)
    return text


def tree(folder, files):
    """Make a tree whose other files are links to ours."""
    for path in files:
        assert not path.startswith("/")
        assert ".." not in path
    _link(ROOT, folder, {tuple(path.split("/")): text for path, text in files.items()})
    return folder


def _link(ours, folder, files):
    folder.mkdir(exist_ok=True)
    own = {path[0] for path in files}
    for entry in ours.iterdir() if ours.is_dir() else ():
        if entry.name not in own and entry.name not in (".git", ".venv", "__pycache__", "runs"):
            (folder / entry.name).symlink_to(entry)
    for name in own:
        below = {path[1:]: text for path, text in files.items() if path[0] == name}
        if () in below:
            (folder / name).write_text(below[()])
        else:
            _link(ours / name, folder / name, below)


def run(folder, *words, timeout_s=120):
    """Run Python in a tree; what it prints."""
    paths = os.pathsep.join(str(folder / one) for one in PATHS)
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen", **SHORT},
        timeout=timeout_s,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
