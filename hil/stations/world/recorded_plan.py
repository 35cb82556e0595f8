"""What a recording keeps of a plan, its types judged before any of it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from hil.config.settings import Settings


class Kept(Settings):
    """A table of a recording; keys of another version are left out."""

    model_config = ConfigDict(extra="ignore")


class KeptScene(Kept):
    """A scene with the texts of its robots, as `PlacedScene.told` has it."""

    scene: str
    """Its document."""
    robots: dict[str, str]
    """The robots' documents, by their names there."""
    moved: str
    """Name of the one that moves."""
    file: str
    """Where the scene's document was."""
    documents: dict[str, str]
    """Where the robots' documents were."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not {self.moved} <= self.robots.keys() <= self.documents.keys():
            raise ValueError("a robot's document is not there")
        return self


class KeptStepping(Kept):
    """How the engine stepped, of the scenario."""

    step_s: Annotated[float, Field(gt=0.0, le=1.0)]
    """[s]."""
    integrator: Literal["implicitfast", "RK4"]
    """Of the engine."""
    gravity_m_s2: tuple[float, float, float]
    """In the world's axes [m/s²]."""
    seed: int = 0
    """Of what is random."""


class KeptPlan(Kept):
    """A plan, as `WorldPlan.told` has it."""

    scenario: dict[str, Any]
    """Its table, whole."""
    robot: str
    """The document of the robot that moves."""
    robot_file: str
    """Where that was."""
    scenario_file: str = ""
    """Where the scenario was."""
    scene: KeptScene | None = None
    """Around the robot."""
    diagram: str = ""
    """That moves the robot."""
    diagram_file: str = ""
    """Where that was."""
    losses: tuple[str, ...] = ()
    """What of its robots' documents did not act, a line each."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """That of a recording's header.

        Raises:
            ConfigError: with each value that is none.
        """
        return cls.build(document, "plan of the recording")

    def stepping(self) -> KeptStepping:
        """How the engine stepped; raises as `of`."""
        return KeptStepping.build(self.scenario, "plan of the recording: scenario")
