"""A distribution of somebody else's motions and banks, installed for the tests that ask for it."""

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import third_party
from typer.testing import CliRunner

from hil.cli.main import app
from hil.run import registry
from hil.stations.platform.plan.scenario import plan_from_table

HERE = Path(__file__).parent / "third_parts"
EXAMPLES = third_party.ROOT / "examples"
PARTS = (
    "own_bank", "own_bus", "own_bus_bank", "own_host", "own_link", "own_motion_kind", "parts_buses",
    "parts_faulty", "parts_hosts", "parts_links", "parts_robot", "parts_rubbish",
)  # fmt: skip
SWING = {"kind": "swing", "height_m": 0.03, "duration_s": 2.0}


@contextmanager
def installed(tmp_path, monkeypatch):
    """Install the distribution for this process; its code is imported anew each time."""
    third_party.metadata(HERE / "pyproject.toml", tmp_path / "site")
    for folder in (HERE, EXAMPLES, tmp_path / "site"):
        monkeypatch.syspath_prepend(str(folder))
    registry.installed.cache_clear()
    yield
    registry.installed.cache_clear()
    for module in PARTS:
        sys.modules.pop(module, None)


def table_of(motion, **keys):
    return {"name": "theirs", "rig": "paper", "rate_hz": 250.0, "motion": motion} | keys


def plan_of(motion, **keys):
    return plan_from_table(table_of(motion, **keys), Path("theirs.toml"))


def scenario(folder, motion, rig="paper"):
    """A scenario file with a motion."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in motion.items()]
    path = folder / "theirs.toml"
    head = f'name = "theirs"\nrig = "{rig}"\nrate_hz = 250.0\n[motion]\n'
    path.write_text(head + "\n".join(lines) + "\n")
    return path


def hil(*arguments):
    done = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, json.loads(done.stdout)


def bank_plan(url, **keys):
    return plan_of(
        {"kind": "hold", "duration_s": 1.0}, clock="real", devices={"drives": url} | keys
    )


def program(folder, *arguments):
    """The program in a process of its own, with the distribution installed for it."""
    return subprocess.run(
        [sys.executable, "-m", "hil.cli", *map(str, arguments)],
        env=third_party.environment(HERE, EXAMPLES, folder / "site"),
        capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
