"""Write the lock files: every release that `make` may install, with the hashes of its files.

    python locks/lock.py UV

`UV` is the program of that name; it resolves for all Pythons from 3.11 on at once.
`core.txt` is what the program needs; the others are what each extra needs beside it (`test` and
`lint` beside `panel` and `world`, too). Releases that are locked already stay, unless
`pyproject.toml` does not allow them any more; remove a file to have all of it resolved anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXTRAS = ("core", "panel", "world")
BESIDE = {
    **{"core": (), "panel": ("core",), "world": ("core",)},
    **{"handles": ("core",), "fmu": ("core",), "fly": ("core",), "seismic": ("core",)},
    **{"campaign": ("core",)},
    **{"test": EXTRAS, "lint": EXTRAS},
}
"""Names of lock files, and of those that are installed with each."""
HEADER = "# Written by `make lock` (locks/lock.py) from pyproject.toml; not by hand.\n"
ENTRY = re.compile(r"^[a-z0-9].*(?:\n[ ]+.*)*", re.MULTILINE)
"""A release with its hashes: a line and those that belong to it."""


def resolved(uv: str, name: str, known: Path) -> list[str]:
    """All releases that an extra needs, those of a file of known ones if they fit."""
    extra = [] if name == "core" else ["--extra", name]
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.txt"
        found.write_bytes(known.read_bytes() if known.exists() else b"")
        command = [uv, "pip", "compile", "pyproject.toml", str(HERE / "build.in"), *extra]
        command += ["--generate-hashes", "--no-header", "--no-annotate", "--no-config", "--quiet"]
        for other in BESIDE[name]:
            command += ["--constraint", str(HERE / f"{other}.txt")]
        subprocess.run([*command, "--output-file", str(found)], cwd=HERE.parent, check=True)  # noqa: S603
        return ENTRY.findall(found.read_text(encoding="utf-8"))


def main(uv: str) -> None:
    """Write all of them, `core` first."""
    for name, beside in BESIDE.items():
        path = HERE / f"{name}.txt"
        there = {each for one in beside for each in entries(HERE / f"{one}.txt")}
        found = [each for each in resolved(uv, name, path) if each not in there]
        path.write_text(HEADER + "\n".join(found) + "\n", encoding="utf-8")


def entries(path: Path) -> list[str]:
    """The releases of a lock file."""
    return ENTRY.findall(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1])
