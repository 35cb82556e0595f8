"""Pose sliders, tempo and motion of a platform that runs."""

from collections.abc import Callable
from typing import Final

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from hil.panel.lead.models.controls import AXES, OVERRIDE_STEP, Array, ControlsModel
from hil.panel.lead.models.live_motion import Comparison
from hil.panel.scenarios.form_view import FormView
from hil.panel.widgets.theme import LIGHT, Theme

NOTCHES: Final = 1000
TEMPO_APART: Final = 0.005
"""The tempo now is shown beside the one wanted if it differs by more than this."""
_STEPS: Final = {
    Qt.Key.Key_Left: (-1, False), Qt.Key.Key_Down: (-1, False), Qt.Key.Key_Right: (1, False),
    Qt.Key.Key_Up: (1, False), Qt.Key.Key_PageDown: (-1, True), Qt.Key.Key_PageUp: (1, True),
}  # fmt: skip


_COMPARISONS: Final = {
    "changed": "Changed, not in force",
    "same": "As in force",
    "untold": "What is in force is not known yet",
    "unknown": (
        "Motion {serial} is in force; its terms were set by another panel and are not known here"
    ),
    "proved": "Proved as motion {newest}; in force is still motion {serial}",
}


class StepSlider(QSlider):
    """A slider whose keys are steps of its quantity, not of its own notches.

    Args:
        step: takes -1 or 1, and whether it is a coarse step.
    """

    def __init__(self, step: Callable[[int, bool], None]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._step = step
        self.setRange(0, NOTCHES)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Step, or leave the key to others."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._step(*step)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the wheel to what scrolls: it is turned without looking at what is under it."""
        event.ignore()


class ControlsView(QWidget):
    """The controls."""

    def __init__(
        self, model: ControlsModel, now_s: Callable[[], float], theme: Theme = LIGHT,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._model, self._now_s, self._theme = model, now_s, theme
        self._owner: bool | None = None
        self._pose_shown: tuple[object, ...] = ()
        layout = QVBoxLayout(self)
        self._note = QLabel(self.tr("Take the motion (F9) to lead the platform."))
        layout.addWidget(self._note)
        layout.addWidget(self._made_pose())
        layout.addWidget(self._made_motion(), 1)
        self._colour_handles()
        self.set_owner(False)
        self.refresh()

    def set_owner(self, owner: bool) -> None:
        """Whether this panel owns the motion: without it nothing here can be pressed."""
        if owner == self._owner:
            return
        self._owner = owner
        self._note.setVisible(not owner)
        for widget in (*self.sliders, self.tempo, *self.buttons.values()):
            widget.setEnabled(owner)
        if not owner:
            self._model.disowned()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._colour_handles()
        self.form.set_theme(theme)
        self._error.setStyleSheet(f"color: {theme.fault}")

    def _colour_handles(self) -> None:
        """Colour handles to differ from their grooves; those of dark buttons do not."""
        for slider in (*self.sliders, self.tempo):
            palette = QPalette()
            for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
                palette.setColor(group, QPalette.ColorRole.Button, QColor(self._theme.dim))
            slider.setPalette(palette)

    def refresh(self) -> None:
        """Show the model as it is; does nothing while hidden."""
        if not self.isVisible():
            return
        self._show_pose()
        self._show_tempo(self._model.in_force.tempo)
        errors = [
            self._model.error_of(control) for control in ("target", "pose", "play", "override")
        ]
        errors.append(self._model.in_force.objection)
        self._error.setText("\n".join(filter(None, errors)))
        self._show_motion()

    def _show_pose(self) -> None:
        """Show the pose and its limits, if the sliders do not show them already."""
        target, limits = self._model.target, self._model.limits
        if self._pose_key(target, limits) == self._pose_shown:
            return
        span = np.maximum(limits[:, 1] - limits[:, 0], 1e-12)
        for axis, slider in enumerate(self.sliders):
            with QSignalBlocker(slider):
                share = (target[axis] - limits[axis, 0]) / span[axis]
                slider.setValue(round(NOTCHES * float(np.clip(share, 0.0, 1.0))))
            ends = (*limits[axis], target[axis])
            for label, value in zip(self._ends[axis], ends, strict=True):
                label.setText(_shown(axis, value))
        self._pose_shown = self._pose_key(target, limits)

    def _pose_key(self, target: Array, limits: Array) -> tuple[object, ...]:
        places = (slider.value() for slider in self.sliders)
        return (target.tobytes(), limits.tobytes(), *places)

    def _show_tempo(self, now: float | None) -> None:
        """Show the tempo wanted, and the one on the way there."""
        wanted = self._model.override
        with QSignalBlocker(self.tempo):
            self.tempo.setValue(round(NOTCHES * wanted))
        self._percent.setText(self.tr("{percent:.0f} %").format(percent=100.0 * wanted))
        apart = now is not None and abs(now - wanted) > TEMPO_APART
        self._now.setText(
            self.tr("now {percent:.0f} %").format(percent=100.0 * (now or 0.0)) * apart
        )

    def _show_motion(self) -> None:
        model = self._model
        if model.motion is not self.form.model:
            self._show_form()
        comparison = model.motion_in_force
        self._motion_note.setText(self._motion_words(comparison))
        ready = bool(self._owner) and model.motion_live and not model.motion_pending
        right = comparison != "same" and not model.motion.problems_at(("motion",))
        self.buttons["apply"].setEnabled(ready and right)

    def _motion_words(self, comparison: Comparison) -> str:
        model = self._model
        if not model.motion_live:
            return self.tr("This motion cannot change while it runs: only sums of sines can.")
        if model.motion_pending:
            return self.tr("The bench proves the motion…")
        numbers = {"newest": model.in_force.newest, "serial": model.in_force.serial}
        text = self.tr(_COMPARISONS[comparison]).format(**numbers)
        return "\n".join(filter(None, (model.error_of("motion"), self._no(comparison), text)))

    def _no(self, comparison: Comparison) -> str:
        """Return why control has not taken what was proved."""
        return self._model.in_force.refused if comparison == "proved" else ""

    def _show_form(self) -> None:
        self.form.set_model(self._model.motion, lambda _: self._model.motion_problems())
        self.form.show_only(("motion",))

    # --- building -------------------------------------------------------------------------------

    def _made_pose(self) -> QWidget:
        box = QGroupBox(self.tr("Pose"))
        grid = QGridLayout(box)
        self.sliders: list[StepSlider] = []
        self._ends: list[tuple[QLabel, QLabel, QLabel]] = []
        for axis, name in enumerate(AXES):
            slider = StepSlider(lambda step, coarse, axis=axis: self._stepped(axis, step, coarse))
            slider.setToolTip(self.tr("Arrows: 1 mm or 0.1°. Page up and down: ten times that."))
            slider.setAccessibleName(name)
            slider.valueChanged.connect(lambda notch, axis=axis: self._drawn(axis, notch))
            low, high, value = QLabel(), QLabel(), QLabel()
            value.setMinimumWidth(10 * self.fontMetrics().averageCharWidth())
            for column, widget in enumerate((QLabel(name), low, slider, high, value)):
                grid.addWidget(widget, axis, column)
            self.sliders.append(slider)
            self._ends.append((low, high, value))
        grid.setColumnStretch(2, 1)
        self.tempo = StepSlider(lambda step, coarse: self._paced(step * (2 if coarse else 1)))
        self.tempo.setAccessibleName(self.tr("Tempo"))
        self.tempo.valueChanged.connect(lambda notch: self._model.set_override(notch / NOTCHES))
        self.tempo.setToolTip(self.tr("Arrows: 5 %. Page up and down: 10 %."))
        self._percent, self._now = QLabel(), QLabel()
        grid.addWidget(QLabel(self.tr("Tempo")), 6, 0)
        grid.addWidget(self.tempo, 6, 2)
        grid.addWidget(self._now, 6, 3)
        grid.addWidget(self._percent, 6, 4)
        grid.addLayout(self._made_buttons(), 7, 0, 1, 5)
        self._error = QLabel()
        self._error.setWordWrap(True)
        self._error.setStyleSheet(f"color: {self._theme.fault}")
        grid.addWidget(self._error, 8, 0, 1, 5)
        return box

    def _made_buttons(self) -> QHBoxLayout:
        self.buttons: dict[str, QPushButton] = {}
        bar = QHBoxLayout()
        for name, words, act in (
            ("neutral", "Neutral", self._model.neutral),
            ("pose", "Go to pose", lambda: self._model.pose(self._now_s())),
            ("play", "Play", self._model.play),
        ):
            button = QPushButton(self.tr(words))
            # Space is hold-to-run: it must not press what happens to have the focus.
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _, act=act: act())
            self.buttons[name] = button
            bar.addWidget(button)
        return bar

    def _made_motion(self) -> QWidget:
        box = QGroupBox(self.tr("Motion"))
        layout = QVBoxLayout(box)
        self.form = FormView(self._theme)
        self._show_form()
        self.form.setEnabled(self._model.motion_live)
        layout.addWidget(self.form, 1)
        bar = QHBoxLayout()
        self._motion_note = QLabel()
        self._motion_note.setWordWrap(True)
        bar.addWidget(self._motion_note, 1)
        apply = self.buttons["apply"] = QPushButton(self.tr("Apply all at once"))
        apply.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        apply.clicked.connect(lambda: self._model.apply_motion())
        bar.addWidget(apply)
        layout.addLayout(bar)
        return box

    def _stepped(self, axis: int, step: int, coarse: bool) -> None:
        self._model.step(axis, step, coarse=coarse)
        self.refresh()

    def _drawn(self, axis: int, notch: int) -> None:
        low, high = self._model.limits[axis]
        self._model.set_coordinate(axis, low + (high - low) * notch / NOTCHES)

    def _paced(self, steps: int) -> None:
        self._model.set_override(self._model.override + steps * OVERRIDE_STEP)
        self.refresh()


def _shown(axis: int, value: float) -> str:
    if axis < 3:
        return f"{1e3 * value:.1f} mm"
    return f"{np.degrees(value):.2f}°"
