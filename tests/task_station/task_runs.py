"""Runs of the container task by a stand-in diagram, which drives straight on and gives up."""

import json
from pathlib import Path

from typer.testing import CliRunner

from hil.cli.main import app
from hil.machines.world.robot_documents import document_of
from hil.stations.task.container.draw import draw
from hil.stations.task.container.settings import ContainerSettings

STAND_IN = Path(__file__).parent / "stand_in.toml"
SETTINGS = ContainerSettings(kind="container")


def settings(**changes):
    return ContainerSettings.build({"kind": "container", **changes}, "test")


def robot():
    return document_of("mf4_wheels").robot


def drawn(seed=7, **changes):
    return draw(settings(**changes), robot(), seed)


def stand_in(left=0.0, right=0.0, until_s=0.5, said=0.0):
    """Options of `hil run` for the stand-in."""
    given = {"left": left, "right": right, "until_s": until_s, "said": said}
    rows = ", ".join(f'{{parameter="{key}", value={value}}}' for key, value in given.items())
    return "--set", f"diagram.file={STAND_IN}", "--set", f"diagram.set=[{rows}]"


def hil(*words, status):
    told = CliRunner().invoke(app, [str(one) for one in words])
    assert told.exit_code == status, (told.stdout, told.stderr, told.exception)
    return told


def told(*words, status):
    return json.loads(hil(*words, "--json", status=status).stdout)
