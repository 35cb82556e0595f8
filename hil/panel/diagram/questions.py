"""What the editor's window asks a person for: names, files, ends of a wire."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QGraphicsView, QInputDialog, QMessageBox, QWidget

from hil.config.errors import RefusedError
from hil.config.files import write_whole
from hil.diagram.show.draw import svg
from hil.panel.diagram.models.edits import Connect, Rename
from hil.panel.diagram.scene import DiagramScene


class Questions:
    """What a window of the editor asks.

    Args:
        window: over which it asks.
        view: of its drawing.
        attempt: does something with the document and shows it; whether it could be done.
    """

    def __init__(
        self,
        window: QWidget,
        scene: DiagramScene,
        view: QGraphicsView,
        attempt: Callable[[Callable[[], Any]], bool],
    ) -> None:
        self._window, self._scene, self._view = window, scene, view
        self._attempt = attempt

    def _text(self, title: str, words: str, text: str = "") -> str:
        """What was typed; empty if it was given up."""
        found, fine = QInputDialog.getText(self._window, title, words, text=text)
        return found.strip() if fine else ""

    def rename(self) -> None:
        """Ask for another name of the chosen block."""
        scene = self._scene
        for name in scene.chosen()[:1]:
            text = self._text("Rename", "Name:", name)
            if text and scene.do(Rename(scene.where, name, text)):
                scene.choose(frozenset({text}))

    def group(self) -> None:
        """Make the chosen blocks a sub-diagram, and ask for its name."""
        if chosen := self._scene.chosen():
            name = self._text("Group", "Name of the sub-diagram:")
            if name:
                self.group_as(chosen, name)

    def group_as(self, names: list[str], name: str) -> None:
        """Make blocks a sub-diagram of this name."""
        scene = self._scene
        self._attempt(lambda: scene.document.group(scene.where, names, name))

    def connect(self) -> None:
        """Ask for both ends of a wire; the chosen block is offered as where it comes from."""
        chosen = self._scene.chosen_outputs()
        begin = ".".join(chosen[0]) if chosen else ""
        text = self._text("Connect", "output -> input, such as pi.y -> limit.u:", f"{begin} -> ")
        source, arrow, target = (one.strip() for one in text.partition("->"))
        if not text:
            return
        if not (arrow and source and target):
            self._scene.refused.emit(f"{text[:60]!r}: write it as pi.y -> limit.u")
            return
        self._scene.do(Connect(self._scene.where, source, target))

    def find(self) -> None:
        """Ask for a part of a name; choose the blocks that have it, and show them."""
        text = self._text("Find", "Part of a name:").lower()
        found = frozenset(name for name in self._scene.blocks if text and text in name.lower())
        if not text:
            return
        if not found:
            self._scene.refused.emit(f"no block here has {text[:60]!r} in its name")
            return
        self._scene.choose(found)
        self._view.ensureVisible(self._scene.blocks[min(found)])

    def picture(self) -> None:
        """Ask for a file, and draw what is shown into it as SVG."""
        document, scene = self._scene.document, self._scene
        title = f"{document.path.stem}{f' / {scene.where}' if scene.where else ''}"
        start = str(document.path.with_suffix(".svg"))
        name, _ = QFileDialog.getSaveFileName(self._window, "Picture", start, "*.svg")
        if not name:
            return

        def write() -> None:
            try:
                write_whole(Path(name), svg(document.file, scene.diagram, title).encode())
            except OSError as error:
                raise RefusedError(f"{name}: {error.strerror}") from None

        self._attempt(write)

    def save_as(self) -> None:
        """Ask for another file and write that."""
        start = str(self._scene.document.path)
        name, _ = QFileDialog.getSaveFileName(self._window, "Save as", start, "*.toml")
        if name:  # the dialogue has asked whether to overwrite
            self._attempt(lambda: self._scene.document.save_as(Path(name), overwrite=True))

    def offer_recovery(self) -> None:
        """Ask what is to become of edits that a process left unsaved."""
        document = self._scene.document
        if document.offered is None:
            return
        words = f"{len(document.offered.done)} step(s) were left unsaved. Go on with them?"
        answers = QMessageBox.StandardButton
        if QMessageBox.question(self._window, document.path.name, words) == answers.Yes:
            document.recover()
        else:
            document.discard()
        self._attempt(lambda: None)
