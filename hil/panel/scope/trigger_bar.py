"""The settings of the scope's trigger, in one row."""

from dataclasses import replace
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QWidget,
)

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.models.trigger import Edge, Sweep, TriggerSettings

_FAR: Final = 1e9


class TriggerBar(QWidget):
    """The bar of the trigger's settings."""

    changed = Signal()
    """Something else is waited for."""

    def __init__(self, model: ScopeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._filling = False
        self.channel = QComboBox(self)
        self.channel.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.channel.setMinimumContentsLength(12)
        self.sweep = _choice(self, "scope.sweep", Sweep)
        self.edge = _choice(self, "scope.edge", Edge)
        self.level = _number(self, -_FAR)
        self.hysteresis = _number(self, 0.0)
        self.hold_off = _number(self, 0.0)
        self.hold_off.setSuffix(" s")
        self.pre = QSpinBox(self)
        self.pre.setRange(0, 100)
        self.pre.setSuffix(" %")
        self.arm = QPushButton(self.tr("Arm"), self)
        self.arm.clicked.connect(self._arm)
        self._arrange()
        self.refresh()
        for box in (self.channel, self.sweep, self.edge):
            box.currentIndexChanged.connect(self._set)
        for box in (self.level, self.hysteresis, self.hold_off, self.pre):
            box.valueChanged.connect(self._set)

    def set_model(self, model: ScopeModel) -> None:
        """Show another run's trigger."""
        self._model = model
        self.refresh()

    def refresh(self) -> None:
        """Offer the signals that are shown, and show what the model has."""
        settings = self._model.trigger
        self._filling = True
        names = ["", *(channel.name for channel in self._model.traces)]
        if settings.channel not in names:
            names.append(settings.channel)
        self.channel.clear()
        for name in names:
            self.channel.addItem(name or self.tr("none"), name)
        self.channel.setCurrentIndex(names.index(settings.channel))
        self.sweep.setCurrentIndex(self.sweep.findData(settings.sweep))
        self.edge.setCurrentIndex(self.edge.findData(settings.edge))
        self.level.setValue(settings.level)
        self.hysteresis.setValue(settings.hysteresis)
        self.hold_off.setValue(settings.hold_off_s)
        self.pre.setValue(round(100.0 * settings.pre))
        self._filling = False

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for pair in (
            (("Signal", self.channel), ("Sweep", self.sweep)),
            (("Edge", self.edge), ("Level", self.level)),
            (("Hysteresis", self.hysteresis), ("Before", self.pre)),
            (("Hold-off", self.hold_off), ("", self.arm)),
        ):
            form = QFormLayout()
            form.setContentsMargins(0, 0, 0, 0)
            form.setSpacing(2)
            for key, widget in pair:
                form.addRow(self.tr(key) if key else "", widget)
                if key:
                    widget.setAccessibleName(self.tr(key))
            row.addLayout(form)
        row.addStretch(1)

    def _set(self, *_: Any) -> None:
        if self._filling:
            return
        # Numbers are shown rounded; one that was not touched keeps all its digits.
        old = self._model.trigger
        settings = TriggerSettings(
            channel=self.channel.currentData(),
            level=_kept(self.level, old.level),
            edge=self.edge.currentData(),
            hysteresis=_kept(self.hysteresis, old.hysteresis),
            pre=self.pre.value() / 100.0,
            sweep=self.sweep.currentData(),
            hold_off_s=_kept(self.hold_off, old.hold_off_s),
        )
        if settings != old:
            self._model.set_trigger(settings)
            self.changed.emit()

    def _arm(self) -> None:
        settings = self._model.trigger
        if settings.sweep is Sweep.OFF and settings.channel:
            self._model.set_trigger(replace(settings, sweep=Sweep.SINGLE))
            self.refresh()
        else:
            self._model.arm()
        self.changed.emit()


def _kept(box: QDoubleSpinBox, value: float) -> float:
    return value if abs(box.value() - value) < 0.5 * 10.0 ** -box.decimals() else box.value()


def _number(parent: QWidget, low: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox(parent)
    box.setDecimals(5)
    box.setRange(low, _FAR)
    box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
    box.setKeyboardTracking(False)  # a half typed number is no level
    box.setMinimumWidth(84)
    box.setMaximumWidth(110)
    return box


def _choice(parent: QWidget, prefix: str, values: type[Edge] | type[Sweep]) -> QComboBox:
    box = QComboBox(parent)
    for value in values:
        box.addItem(value.value, value)
    return box
