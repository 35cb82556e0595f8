"""Versions of a diagram that is being edited: what was done, and what was taken back."""

from __future__ import annotations

from typing import Final

from hil.diagram.file.model import DiagramFile
from hil.panel.diagram.models.changes import Step, differences

STEPS_MOST: Final = 5000
"""Of more the oldest can no longer be taken back."""


class History:
    """A file with the steps that led to it.

    Args:
        file: The first version.
    """

    def __init__(self, file: DiagramFile) -> None:
        self.file = file
        """As it is now."""
        self.done: list[Step] = []
        self.undone: list[Step] = []
        """The last is redone first."""

    def step_to(self, file: DiagramFile, words: str, drag: int = 0) -> Step | None:
        """The step from here to another version; None if it changes nothing."""
        changes = differences(self.file, file)
        return Step(words, changes, drag) if changes else None

    def push(self, step: Step) -> None:
        """Do a step; one of the same drag as the last becomes one with it.

        Raises:
            MismatchError: If it belongs to another version.
        """
        file = step.do(self.file)
        self.undone.clear()
        last = self.done[-1] if self.done else None
        if last is not None and step.drag and step.drag == last.drag:
            changes = differences(last.undo(self.file), file)
            self.done.pop()
            if changes:
                self.done.append(Step(step.words, changes, step.drag))
        else:
            self.done.append(step)
            del self.done[:-STEPS_MOST]
        self.file = file

    def undo(self) -> Step | None:
        """Take back the last step; None if there is none."""
        if not self.done:
            return None
        step = self.done.pop()
        self.file = step.undo(self.file)
        self.undone.append(step)
        return step

    def redo(self) -> Step | None:
        """Do again what was taken back last; None if there is nothing."""
        if not self.undone:
            return None
        step = self.undone.pop()
        self.file = step.do(self.file)
        self.done.append(step)
        return step
