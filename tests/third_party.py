"""A distribution of somebody else's as if it were installed: its metadata lie on the path."""

import os
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def metadata(project_file, site):
    """Write the metadata of a project into a folder, as an installer would."""
    project = tomllib.loads(project_file.read_text())["project"]
    name, version = project["name"], project["version"]
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(head)
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{one} = {value}" for one, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def environment(*folders):
    """Variables of a program that finds our code and these folders, and no screen."""
    paths = os.pathsep.join(map(str, (ROOT, *folders)))
    return os.environ | {"PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
