"""The strip at the top: what is simulated, lamps, who moves it, buttons, hold-to-run and stop."""

from html import escape
from typing import Any, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from hil.desk.order import Button
from hil.panel.lead.lamps_view import LampsRow
from hil.panel.lead.state_big import HoldButton, StopButton
from hil.panel.lead.state_keys import SHORTCUTS, StateKeys
from hil.panel.live.flow_row import FittedLabel, FlowRow, Words
from hil.panel.live.models.bench import BenchModel, ButtonState
from hil.panel.live.models.bench_alarm import BUTTONS
from hil.panel.live.models.bench_link import Link, Source
from hil.panel.widgets.theme import LIGHT, Theme

NARROW_EM: Final = 64.0
"""A strip is narrow if it is less wide than so many lines of its text are high."""
ORDER: Final = (
    Button.HOME, Button.ENGAGE, Button.PLAY, Button.POSE, Button.PARK, Button.HOLD, Button.RESET,
    Button.SHUT_DOWN,
)  # fmt: skip
"""Order of the buttons from left to right, in which they are mostly needed."""


_TIPS: Final = {
    "home": "Let each leg find its reference",
    "engage": "Rise to the neutral pose",
    "hold": "Stop smoothly and hold",
    "park": "Go back to rest",
    "reset": "Leave a fault whose cause is gone",
    "shut_down": "Park if need be, then power off: the run ends",
    "play": "Play the motion",
    "pose": "Go to the pose that is set",
}


class StateView(QWidget):
    """State of a bench and its buttons; `asked` hands out messages for the desk."""

    asked = Signal(object)
    """A message of `hil.desk.messages` that is to be sent."""

    def __init__(
        self, model: BenchModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme
        self._holds: set[str] = set()
        self._shown: tuple[object, ...] = ()
        self._buttons_shown: tuple[ButtonState, ...] | None = None
        self.banner = FittedLabel(self)
        self.alarm = FittedLabel(self)
        """Why the run ends, or what the bench stopped for first."""
        self.acts = FittedLabel(self)
        """What is to be pressed next."""
        for label in (self.alarm, self.acts):
            label.hide()
        self.lamps = LampsRow(theme, self)
        self.link, self.owner, self.dead_man = Words(self), Words(self), Words(self)
        self.refused = FittedLabel(self, Qt.AlignmentFlag.AlignLeft)
        self.take = QPushButton(self)
        self.take.clicked.connect(self.toggle_ownership)
        self.buttons = {button: self._made(button) for button in ORDER}
        self.hold_button = HoldButton(self)
        self.hold_button.pressed.connect(lambda: self._set_hold("mouse", pressed=True))
        self.hold_button.released.connect(lambda: self._set_hold("mouse", pressed=False))
        self.stop_button = StopButton(self)
        self.stop_button.pressed.connect(self.stop)
        for widget in (self.take, *self.buttons.values(), self.hold_button, self.stop_button):
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._lay_out()
        self.keys = StateKeys(self, self)
        self._paint_stop(Link.WAITING if model.source is Source.LIVE else Link.REPLAY)
        self.set_theme(theme)

    # --- from outside ---------------------------------------------------------------------------

    def set_model(self, model: BenchModel) -> None:
        """Show another run."""
        self._let_go()
        self._model = model
        self._shown, self._buttons_shown = (), None
        self._paint_stop(Link.WAITING if model.source is Source.LIVE else Link.REPLAY)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.lamps.set_theme(theme)
        self.banner.fill(theme.simulated, theme.on_strong)
        for label in (self.alarm, self.acts):
            label.fill(theme.fault, theme.on_strong)
        self.refused.fill(None, theme.warn)
        self._shown = ()

    def refresh(self, now_s: float) -> None:
        """Show the present state; do nothing while hidden."""
        if not self.isVisible():
            return
        model = self._model
        if not model.you_own:
            self._holds.clear()  # what was held went with the motion; it is pressed anew
        self.lamps.show_lamps(model.lamps_at(now_s))
        buttons = model.buttons
        if buttons != self._buttons_shown:
            self._buttons_shown = buttons
            self._show_buttons(buttons)
        link = model.link(now_s)
        facts = (
            link, model.link_text(now_s), model.owner_text, model.you_own, model.may_take,
            model.dead_man_text, model.operation.held, model.held, model.notice,
            model.banners, model.end_text, model.alarm,
        )  # fmt: skip
        if facts != self._shown:
            self._shown = facts
            self._show_words(link, now_s)

    # --- what people do -------------------------------------------------------------------------

    def stop(self) -> None:
        """Ask for a stop, and let go of hold-to-run."""
        self._let_go()
        if self._model.source is Source.LIVE:
            self.asked.emit(self._model.stop())

    def press(self, button: Button) -> None:
        """Press a button, if it does something now."""
        message = self._model.press(button)
        if message is not None:
            self.asked.emit(message)

    def toggle_ownership(self) -> None:
        """Take the motion, or give it back."""
        self._let_go()
        self.asked.emit(self._model.toggle_ownership())

    def hold_key(self, *, pressed: bool) -> bool:
        """Hold-to-run by its key; False if it is not for the motion now."""
        if not pressed:
            self._let_go()
            return True
        if not self._model.you_own:
            return False
        self._set_hold("key", pressed=True)
        return True

    def hideEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Let go: a button that cannot be seen cannot be held."""
        self._let_go()
        super().hideEvent(event)

    def _set_hold(self, hand: str, *, pressed: bool) -> None:
        if pressed:
            self._holds.add(hand)
        else:
            self._holds.discard(hand)
        self._model.hold(pressed=bool(self._holds))
        self._paint_hold()

    def _let_go(self) -> None:
        self._holds.clear()
        self._model.hold(pressed=False)
        self._paint_hold()

    # --- how it looks ---------------------------------------------------------------------------

    def _made(self, button: Button) -> QPushButton:
        name = self.tr(BUTTONS[button.value])
        made = QPushButton(self)
        made.setAccessibleName(name)
        made.clicked.connect(lambda: self.press(button))
        return made

    def _lay_out(self) -> None:
        words = (self.link, self.owner, self.take, self.dead_man, self.refused)
        self._words = FlowRow(words, 14, self)
        self._row = FlowRow(tuple(self.buttons.values()), 4, self, spread=True)
        left = QVBoxLayout()
        left.setSpacing(3)
        for part in (self.lamps, self._words, self._row):
            left.addWidget(part)
        body = QHBoxLayout()
        body.addLayout(left, 1)
        body.addWidget(self.hold_button)
        body.addWidget(self.stop_button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(4, 2, 4, 2)
        outer.setSpacing(3)
        top = QHBoxLayout()
        top.setSpacing(3)
        # Its height is kept, so that no button moves from under a hand when the end begins.
        self._strut = QWidget(self)
        for widget, share in ((self._strut, 0), (self.banner, 1), (self.alarm, 2), (self.acts, 1)):
            top.addWidget(widget, share)
        outer.addLayout(top)
        outer.addLayout(body)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._fit_width()

    @property
    def narrow(self) -> bool:
        """Whether words need two lines, and buttons no second one."""
        return self.width() < NARROW_EM * self.fontMetrics().height()

    def _fit_width(self) -> None:
        lines = 2.3 if self.narrow else 1.7
        self._strut.setFixedSize(0, round(lines * self.fontMetrics().height()))
        for button, made in self.buttons.items():
            key = "" if self.narrow else f"\n{_key(button)}"
            made.setText(self.tr(BUTTONS[button.value]) + key)
        for big in (self.hold_button, self.stop_button):
            big.fit(narrow=self.narrow)
        self._shown, self._buttons_shown = (), None

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Find room for the words and the buttons."""
        super().resizeEvent(event)
        self._fit_width()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Another size of text takes another place."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_strut"):
            self._fit_width()

    def _show_buttons(self, states: tuple[ButtonState, ...]) -> None:
        useful = not self.narrow or self._model.source is Source.LIVE
        for button in self.buttons.values():
            button.setVisible(bool(states) and useful)
        self.refused.setVisible(useful)
        for state in states:
            widget = self.buttons[state.button]
            widget.setEnabled(state.allowed)
            tip = f"{self.tr(_TIPS[state.button.value])} ({_key(state.button)})"
            widget.setToolTip(tip if state.allowed else f"{tip}: {state.why_not}")

    def _show_words(self, link: Link, now_s: float) -> None:
        model, theme = self._model, self._theme
        self.banner.setText("   |   ".join(model.banners))
        self.banner.setVisible(bool(model.banners))
        words = _spotted(_LINK[link], model.link_text(now_s), theme)
        alarm = model.alarm
        cause, more = (model.end_text, model.end_why) if model.end_text else alarm[:2]
        self.alarm.setText(cause)
        self.alarm.setToolTip(f"{cause}\n{more}")
        self.acts.setText(alarm.acts)
        for label in (self.alarm, self.acts):
            label.setVisible(bool(label.text()))
        gone = link in (Link.STALE, Link.LOST, Link.ENDED)
        self.link.setText(f'<b style="color:{theme.fault}">{words}</b>' if gone else words)
        you = "accent" if model.you_own else "dim"
        self.owner.setText(_spotted(you, model.owner_text, theme))
        held = model.operation.held
        self.dead_man.setText(
            _spotted("ok" if held else "warn", model.dead_man_text, theme)
            if model.dead_man_text
            else ""
        )
        own = model.you_own
        taking = (
            ("Give back", "Take") if self.narrow else ("Give the motion back", "Take the motion")
        )
        self.take.setText(taking[0 if own else 1] + "   F9")
        over = link is Link.ENDED
        self.take.setEnabled((own or model.may_take) and not over)
        self.take.setVisible(link is not Link.REPLAY)
        self.hold_button.setVisible(link is not Link.REPLAY)
        self.hold_button.setEnabled(own and not over)
        self.refused.setText(model.notice)
        self.refused.setToolTip(model.notice)
        self._paint_hold()
        self._paint_stop(link)

    def _paint_stop(self, link: Link) -> None:
        self.stop_button.paint(self._theme, nothing=self.tr(_NO_STOP.get(link, "")))

    def _paint_hold(self) -> None:
        model = self._model
        self.hold_button.paint(self._theme, held=model.held, owned=model.you_own)


_NO_STOP: Final = {Link.REPLAY: "a recording", Link.ENDED: "it is over"}
"""Reasons why nothing can be stopped."""
_LINK: Final = {
    Link.WAITING: "warn",
    Link.LIVE: "ok",
    Link.STALE: "fault",
    Link.LOST: "fault",
    Link.ENDED: "fault",
    Link.REPLAY: "accent",
}


def _key(button: Button) -> str:
    """The key that does what a button does."""
    return SHORTCUTS[BUTTONS[button.value]][0]


def _spotted(role: str, words: str, theme: Theme) -> str:
    return f'<span style="color:{getattr(theme, role)}">●</span> {escape(words)}'
