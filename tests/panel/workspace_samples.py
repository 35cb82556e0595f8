"""Rigs, maps and computations that tests of the workspace page play with."""

import tomllib

import numpy as np

from hil.config.file_search import configs_dir
from hil.machines.kinds import RIG
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.workspace_run import WorkspaceNews
from hil.run.workspace import (
    LimitKind,
    RegionMark,
    WorkspaceMap,
    WorkspaceProof,
    WorkspaceSlice,
)

PAPER = configs_dir() / "rigs" / "paper.toml"


def paper():
    """Table of a rig."""
    return tomllib.loads(PAPER.read_text())


def paper_model():
    """Form of a rig whose problems are known to be none."""
    model = FormModel(RIG, paper())
    assert model.take(model.revision, ())
    return model


def judged(model, problems=()):
    """Let the check of a form come to its end."""
    assert model.take(model.revision, problems)


def small_slice(**changed):
    """A slice of two rows and three columns."""
    given = {
        "right": "x", "up": "z", "unit": "m", "title": "at y = 0 m",
        "ends": (-0.3, 0.3, 0.8, 1.2), "box": (-0.1, 0.1, 0.9, 1.1),
        "values": np.array([[np.nan, 0.1, 0.2], [0.3, 0.4, np.nan]]),
        "limits": np.array([[1, 0, 0], [0, 1, 1]], np.int8),
        "inside": np.array([[False, True, True], [True, True, False]]),
        "marks": (RegionMark(0.2, 1.1, 1),),
    }  # fmt: skip
    return WorkspaceSlice(**{**given, **changed})


def small_map(quantity="travel", **changed):
    """A map with one slice thrice."""
    given = {
        "quantity": quantity, "title": f"{quantity} of a sample", "unit": "m", "worst": "least",
        "least": 0.1, "greatest": 0.4,
        "limits": (LimitKind("leg too short", "#0072B2"), LimitKind("leg too long", "#D55E00")),
        "slices": (small_slice(), small_slice(title="at x = 0 m"), small_slice(up="y")),
        "lines": ("inside all limits: a sample",),
    }  # fmt: skip
    return WorkspaceMap(**{**given, **changed})


HOLDS = WorkspaceProof("holds", 1.2, ("holds: all limits",))


class SlowRun:
    """A computation that reports what its test says, when it says so."""

    def __init__(self, path, table, parts):
        self.path, self.table, self.parts = path, table, parts
        self.news = []
        self.share, self.proving, self.ended = 0.0, False, 0
        self._missing = {name for name in ("map", "proof") if getattr(parts, name)}

    @property
    def done(self):
        return not self._missing

    def poll(self):
        assert not self.ended
        news = self.news.pop(0) if self.news else WorkspaceNews()
        self._missing -= {name for name in ("map", "proof") if getattr(news, name) is not None}
        return news

    def end(self):
        self.ended += 1
