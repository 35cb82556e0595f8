"""Wheels of both builds for one Python, each installed and run in an environment of its own."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from two_builds import TOP

BUILDS = ("pure", "compiled")


def python_of(version):
    """An interpreter of this version, on the path or of pyenv; None if there is none."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = (shutil.which(f"python{version}"), *root.glob(f"versions/{version}.*/bin/python"))
    usable = (place for place in places if place and _runs(place, "import ensurepip, venv"))
    return next(map(Path, usable), None)


def obstacle(python):
    """Why it compiles nothing; empty if it does."""
    header = "import sysconfig; open(sysconfig.get_path('include') + '/Python.h')"
    if shutil.which("gcc") is None:
        return "no gcc"
    return "" if _runs(python, header) else "no headers of this Python"


def wheel_of(python, build, folder):
    """Make the wheel of a build in a folder."""
    env = os.environ | {"HIL_COMPILE": str(int(build == "compiled"))}
    command = (python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, TOP)
    subprocess.run(command, env=env, check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def summary_of(python, wheel, folder):
    """Install a wheel and what it depends on, run the main job, and return what it says."""
    subprocess.run((python, "-m", "venv", folder / "venv"), check=True)
    scripts = folder / "venv" / "bin"
    subprocess.run((scripts / "python", "-m", "pip", "install", "-q", wheel), check=True)
    told = subprocess.run(
        (scripts / "hil", "run", "demo", "--out", folder / "runs", "--json"),
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(told.stdout)


def _runs(python, program):
    return subprocess.run((python, "-c", program), capture_output=True, check=False).returncode == 0
