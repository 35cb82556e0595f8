"""Tables of a plan in a recording; their types are checked before any of it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from hil.config.settings import Settings


class Kept(Settings):
    """Table of a recording; keys of another version are ignored."""

    model_config = ConfigDict(extra="ignore")


class RecordedScene(Kept):
    """Scene with the texts of its robots, as `PlacedScene.to_table` has it."""

    scene: str
    """Text of the scene's document."""
    robots: dict[str, str]
    """Texts of the robots' documents, by their names in the scene."""
    moved: str
    """Name of the robot that moves."""
    file: str
    """Path of the scene's document."""
    documents: dict[str, str]
    """Paths of the robots' documents, by their names."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not {self.moved} <= self.robots.keys() <= self.documents.keys():
            raise ValueError("a robot's document is not there")
        return self


class RecordedStepping(Kept):
    """Steps of the engine, as the scenario set them."""

    step_s: Annotated[float, Field(gt=0.0, le=1.0)]
    """Step of the engine [s]."""
    integrator: Literal["implicitfast", "RK4"]
    """Integrator of the engine."""
    gravity_m_s2: tuple[float, float, float]
    """Gravity in the world's axes [m/s²]."""
    seed: int = 0
    """Seed of the random numbers."""


class RecordedPlan(Kept):
    """Plan of a run, as `WorldPlan.to_table` has it."""

    scenario: dict[str, Any]
    """Whole table of the scenario."""
    robot: str
    """Text of the document of the robot that moves."""
    robot_file: str
    """Path of that document."""
    scenario_file: str = ""
    """Path of the scenario."""
    scene: RecordedScene | None = None
    """Scene around the robot; None without one."""
    diagram: str = ""
    """Text of the diagram that moves the robot; empty without one."""
    diagram_file: str = ""
    """Path of the diagram."""
    losses: tuple[str, ...] = ()
    """Contents of the robots' documents that had no effect, a line each."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Read the plan of a recording's header.

        Raises:
            ConfigError: with each value that is not valid.
        """
        return cls.build(document, "plan of the recording")

    def stepping(self) -> RecordedStepping:
        """Steps of the engine; raises as `of`."""
        return RecordedStepping.build(self.scenario, "plan of the recording: scenario")
