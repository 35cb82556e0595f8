"""Write NOTICE: whose work is shipped and needed, and under which licences.

    .venv/bin/python locks/notice.py

The names are those of the lock files of the program and of its extras; licences are what each
installed distribution says of itself. `make lock` writes it anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

HERE = Path(__file__).parent
SECTIONS = {
    "core": "Needed by the program",
    "panel": "Needed by the operator panel, [panel]",
    "world": "Needed by the virtual environment, [world]",
    "handles": "Needed by gamepads and SpaceMouse, [handles]",
    "fmu": "Needed by models of others, [fmu]",
    "fly": "Needed by the demonstration's aircraft, [fly]",
    "seismic": "Needed by records in miniSEED, [seismic]",
    "campaign": "Needed by campaigns on a cluster, [campaign]",
}
"""Heading of each lock file's part; tools for tests are not shipped and not needed."""
SAID_ELSEWHERE = {
    "evdev": "BSD-3-Clause",  # of its sources' LICENSE; it is built where it is installed
    "fmpy": "BSD-2-Clause",  # of its LICENSE.txt
}
"""Licences that the metadata do not say, or of what is not installed here."""
HEAD = """\
hil-bench
Copyright The developers of hil-bench
Licensed under the Apache License, Version 2.0; see LICENSE.

No file of others is contained in this distribution. The motions in configs/motions were computed
for it; their README.md says how. Rides in configs/rides name records of others by their source and
licence, and do not contain them. Machines in configs have the dimensions of the publications that
they name; drive types state facts of their makers' public object dictionaries. Product names
belong to their owners.

The program is installed beside the libraries below, loads them unchanged, and works with any other
compatible release of them (python-can and PySide6 are under the GNU Lesser General Public License).
"""
NAME = re.compile(r"^([a-z0-9][a-z0-9._-]*)==", re.MULTILINE)


def licence(name: str) -> str:
    """What a distribution says of its licence: expression, classifiers, or a short text."""
    if name in SAID_ELSEWHERE:
        return SAID_ELSEWHERE[name]
    said = metadata(name)
    if said["License-Expression"]:
        return said["License-Expression"]
    classifiers = said.get_all("Classifier") or []
    named = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License :: ")]
    first = (said["License"] or "").strip().partition("\n")[0].strip()
    found = ", ".join(dict.fromkeys(named)) or first
    if not found:
        raise LookupError(f"{name} says no licence; add it to SAID_ELSEWHERE")
    return found


def lines() -> Iterator[str]:
    """The text, line by line."""
    yield HEAD
    seen: set[str] = set()
    for lock, heading in SECTIONS.items():
        yield f"{heading}:"
        for name in NAME.findall((HERE / f"{lock}.txt").read_text(encoding="utf-8")):
            if name not in seen:
                seen.add(name)
                yield f"  {name:26}{licence(name)}"
        yield ""


if __name__ == "__main__":
    try:
        text = "\n".join(lines())
    except PackageNotFoundError as error:
        raise SystemExit(f"{error}: install it first (make .venv/test.stamp)") from None
    (HERE.parent / "NOTICE").write_text(text, encoding="utf-8")
