"""What the editor's window asks a person for: names, files, ends of a wire."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from hil.config.errors import RefusedError
from hil.config.files import write_whole
from hil.diagram.draw import svg
from hil.panel.diagram.models.edits import Connect, Rename

if TYPE_CHECKING:
    from hil.panel.diagram.window import DiagramWindow


def _text(window: DiagramWindow, title: str, words: str, text: str = "") -> str:
    """What was typed; empty if it was given up."""
    found, fine = QInputDialog.getText(window, title, words, text=text)
    return found.strip() if fine else ""


def rename(window: DiagramWindow) -> None:
    """Ask for another name of the chosen block."""
    scene = window.scene
    for name in scene.chosen()[:1]:
        text = _text(window, "Rename", "Name:", name)
        if text and scene.do(Rename(scene.where, name, text)):
            scene.choose(frozenset({text}))


def group(window: DiagramWindow) -> None:
    """Make the chosen blocks a sub-diagram, and ask for its name."""
    if chosen := window.scene.chosen():
        name = _text(window, "Group", "Name of the sub-diagram:")
        if name:
            window.group_as(chosen, name)


def connect(window: DiagramWindow) -> None:
    """Ask for both ends of a wire; the chosen block is offered as where it comes from."""
    chosen = window.scene.chosen_outputs()
    begin = ".".join(chosen[0]) if chosen else ""
    text = _text(window, "Connect", "output -> input, such as pi.y -> limit.u:", f"{begin} -> ")
    source, arrow, target = (one.strip() for one in text.partition("->"))
    if not text:
        return
    if not (arrow and source and target):
        window.scene.refused.emit(f"{text[:60]!r}: write it as pi.y -> limit.u")
        return
    window.scene.do(Connect(window.scene.where, source, target))


def find(window: DiagramWindow) -> None:
    """Ask for a part of a name; choose the blocks that have it, and show them."""
    text = _text(window, "Find", "Part of a name:").lower()
    found = frozenset(name for name in window.scene.blocks if text and text in name.lower())
    if not text:
        return
    if not found:
        window.scene.refused.emit(f"no block here has {text[:60]!r} in its name")
        return
    window.scene.choose(found)
    window.view.ensureVisible(window.scene.blocks[min(found)])


def picture(window: DiagramWindow) -> None:
    """Ask for a file, and draw what is shown into it as SVG."""
    document, scene = window.document, window.scene
    title = f"{document.path.stem}{f' / {scene.where}' if scene.where else ''}"
    start = str(document.path.with_suffix(".svg"))
    name, _ = QFileDialog.getSaveFileName(window, "Picture", start, "*.svg")
    if not name:
        return

    def write() -> None:
        try:
            write_whole(Path(name), svg(document.file, scene.diagram, title).encode())
        except OSError as error:
            raise RefusedError(f"{name}: {error.strerror}") from None

    window.attempt(write)


def save_as(window: DiagramWindow) -> None:
    """Ask for another file and write that."""
    start = str(window.document.path)
    name, _ = QFileDialog.getSaveFileName(window, "Save as", start, "*.toml")
    if name:  # the dialogue has asked whether to overwrite
        window.attempt(lambda: window.document.save_as(Path(name), overwrite=True))


def offer_recovery(window: DiagramWindow) -> None:
    """Ask what is to become of edits that a process left unsaved."""
    document = window.document
    if document.offered is None:
        return
    words = f"{len(document.offered.done)} step(s) were left unsaved. Go on with them?"
    answers = QMessageBox.StandardButton
    if QMessageBox.question(window, document.path.name, words) == answers.Yes:
        document.recover()
    else:
        document.discard()
    window.attempt(lambda: None)
