"""The scope: which signals are shown, which stretch of time, and what the trigger does with it.

There are three things to look at: the newest samples, which roll by; a sweep that the trigger
caught; and a pause, which keeps a copy of the whole history, so that nothing of it is overwritten
while somebody looks.
"""

from collections.abc import Sequence
from typing import Final

from hil.panel.live.models.feed import Batch, RunFacts
from hil.panel.scope.models.catch import Catcher
from hil.panel.scope.models.channels import Channel, branches_of, channel_named, channels_of
from hil.panel.scope.models.cursors import CursorReading, Cursors, readings
from hil.panel.scope.models.envelope import Envelope, Polyline, bucket_size
from hil.panel.scope.models.ring import GAP_PERIODS, SignalHistory, Window
from hil.panel.scope.models.time_window import Still, View
from hil.panel.scope.models.trigger import Sweep, TriggerPhase, TriggerSettings
from hil.recording.events import EventKind, EventRecord

MAX_TRACES: Final = 16
MIN_HISTORY_S: Final = 1.0
MAX_HISTORY_S: Final = 600.0
LEAST_SAMPLES_SEEN: Final = 10
"""A picture is never of fewer samples than this."""
MAX_MARKS: Final = 4000
_MARKED: Final = (EventKind.MODE, EventKind.FAULT, EventKind.VIOLATION)
_SHOWN_FILLING_S: Final = 1.0
"""Sweeps shorter than this are shown when they are full: filling ones would only flicker."""


class ScopeError(ValueError):
    """Something that the scope cannot show; the message says why."""


class ScopeModel:
    """State of the scope of one run.

    Args:
        history_s: how far back samples are kept [s], 1 to 600.

    Raises:
        ScopeError: if the history is out of its range.
    """

    def __init__(self, facts: RunFacts, history_s: float = 60.0) -> None:
        self.facts = facts
        self.channels = channels_of(facts.signals)
        self.branches = branches_of(self.channels)
        self._time = channel_named(self.channels, "t_s").column
        self._traces: list[Channel] = []
        self._marks: list[EventRecord] = []
        self._envelope = Envelope()
        self._catcher = Catcher()
        self._pause: Still | None = None
        self.cursors: Cursors | None = None
        self.missed = 0
        """Frames that the panel was too slow for, since the beginning."""
        self._make_ring(history_s)
        self._span_s = min(10.0, self.history_s)

    # What is shown.

    @property
    def traces(self) -> tuple[Channel, ...]:
        """Signals that are shown, in the order in which they were chosen."""
        return tuple(self._traces)

    def show(self, name: str) -> None:
        """Show one more signal; its history is there already.

        Raises:
            KeyError: if there is none of this name.
            ScopeError: if there are as many traces as there may be.
        """
        channel = channel_named(self.channels, name)
        if channel in self._traces:
            return
        if len(self._traces) >= MAX_TRACES:
            raise ScopeError(f"{name}: {MAX_TRACES} traces are shown already, which is the most")
        self._traces.append(channel)

    def hide(self, name: str) -> None:
        """Show a signal no more."""
        self._traces = [channel for channel in self._traces if channel.name != name]

    def plots(self) -> tuple[tuple[str, tuple[Channel, ...]], ...]:
        """Traces by plot, those of one unit together."""
        found: dict[str, list[Channel]] = {}
        for channel in self._traces:
            found.setdefault(channel.plot, []).append(channel)
        return tuple((key, tuple(members)) for key, members in found.items())

    # Samples.

    @property
    def history_s(self) -> float:
        """Length of the history that is kept [s]."""
        return self._history_s

    def set_history(self, history_s: float) -> None:
        """Keep samples for another time [s]; those kept so far stay as far as there is room.

        Raises:
            ScopeError: if it is out of its range.
        """
        window = self._ring.window
        rows = window.values.T
        self._make_ring(history_s)
        self._ring.replace(rows.copy())
        self._span_s = min(self._span_s, self._history_s)

    def _make_ring(self, history_s: float) -> None:
        if not MIN_HISTORY_S <= history_s <= MAX_HISTORY_S:
            bounds = {"least": f"{MIN_HISTORY_S:g}", "most": f"{MAX_HISTORY_S:g}"}
            raise ScopeError(
                "history of {value} s: outside [{least}, {most}] s".format(
                    value=f"{history_s:g}", **bounds
                )
            )
        period_s = self.facts.period_s
        samples = max(LEAST_SAMPLES_SEEN, round(history_s / period_s) + 1)
        self._history_s = max(history_s, LEAST_SAMPLES_SEEN * period_s)
        self._ring = SignalHistory(self.facts.signals.values, samples, period_s, self._time)

    def take(self, batch: Batch) -> None:
        """Learn what came; cheap, and to be called whether the scope is seen or not."""
        self.missed += batch.missed
        if batch.restart:
            self._marks.clear()
            self._catcher.arm()
            self._ring.replace(batch.rows)
            self._find_edges(0)
        elif len(batch.rows):
            epoch, total = self._ring.epoch, self._ring.total
            self._ring.push(batch.rows)
            if epoch != self._ring.epoch:
                total = 0
                self._catcher.arm()
            self._find_edges(total)
        self._marks += [event for event in batch.events if event.kind in _MARKED]
        del self._marks[:-MAX_MARKS]

    # Time.

    @property
    def span_s(self) -> float:
        """Time from the left edge to the right one [s]."""
        if self._pause is not None:
            return self._pause.span_s
        return self._span_s

    def set_span(self, span_s: float) -> None:
        """Show this much time [s]; what is beyond the possible becomes the nearest possible."""
        span_s = self._possible(span_s)
        if self._pause is not None:
            self._pause = self._pause.spanning(span_s)
        elif span_s != self._span_s:
            self._span_s = span_s
            self._catcher.arm()

    def zoom(self, factor: float) -> None:
        """Show less time (factor above 1) or more."""
        self.set_span(self.span_s / factor)

    def move(self, share: float) -> None:
        """Look at another time, by a share of what is seen; pauses if need be."""
        self.set_paused(True)
        if self._pause is not None:
            self._pause = self._pause.moved(share)

    @property
    def paused(self) -> bool:
        """Whether the picture is frozen."""
        return self._pause is not None

    def set_paused(self, paused: bool) -> None:
        """Freeze the picture, with all the history of this moment, or let it roll."""
        if paused and self._pause is None:
            view = self.view()
            caught = self._catcher.caught
            source = caught.window if not view.live and caught else self._ring.window.kept()
            self._pause = Still(source, view.from_s, view.to_s)
        elif not paused:
            self._pause = None

    def view(self) -> View:
        """The view that is to be drawn now."""
        catcher, still, none = self._catcher, self._pause, float("nan")
        caught = catcher.caught
        if still is not None:
            edge_s = caught.edge_s if caught and still.window is caught.window else none
            return self._view(still.window, still.from_s, still.to_s, edge_s, live=False)
        pre_s = catcher.settings.pre * self._span_s
        newest = self._ring.window
        end_s = float(newest.t_s[-1]) if len(newest) else 0.0
        if catcher.filling and self._span_s >= _SHOWN_FILLING_S:
            from_s = catcher.edge_s - pre_s
            return self._view(newest, from_s, from_s + self._span_s, catcher.edge_s, live=True)
        if caught is not None and catcher.settings.active:
            from_s = caught.edge_s - pre_s
            old = end_s > from_s + 2.0 * self._span_s
            if not (catcher.settings.sweep is Sweep.AUTO and old):
                return self._view(
                    caught.window, from_s, from_s + self._span_s, caught.edge_s, live=False
                )
        return self._view(newest, end_s - self._span_s, end_s, none, live=True)

    def lines(self, view: View, width_px: int) -> dict[str, Polyline]:
        """Every trace as it is drawn, by the signal's name."""
        # By the span, not by what is there: the size of a bucket must not change as samples come.
        in_span = round((view.to_s - view.from_s) / self.facts.period_s)
        bucket = bucket_size(in_span, width_px)
        columns = [channel.column for channel in self._traces]
        lines = self._envelope.lines(view.window, columns, bucket)
        return {channel.name: line for channel, line in zip(self._traces, lines, strict=True)}

    def marks(self, view: View) -> tuple[EventRecord, ...]:
        """Modes, faults and violations in what is seen, oldest first."""
        return tuple(mark for mark in self._marks if view.from_s <= mark.t_s <= view.to_s)

    # Trigger.

    @property
    def trigger(self) -> TriggerSettings:
        """Settings of the trigger."""
        return self._catcher.settings

    @property
    def phase(self) -> TriggerPhase:
        """Phase of the trigger."""
        return self._catcher.phase

    def set_trigger(self, settings: TriggerSettings) -> None:
        """Wait for something else; begins anew.

        Raises:
            KeyError: if there is no such signal.
        """
        if settings.channel:
            channel_named(self.channels, settings.channel)
        self._catcher.settings = settings
        self.arm()

    def arm(self) -> None:
        """Wait for the next edge, forgetting the last one."""
        self._catcher.arm()

    def _find_edges(self, since: int) -> None:
        if self.trigger.active:
            column = channel_named(self.channels, self.trigger.channel).column
            self._catcher.update(self._ring.window, since, column, self._span_s, self._reach_s)

    # Cursors.

    def toggle_cursors(self) -> None:
        """Show cursors at a third and two thirds of the samples seen, or none."""
        if self.cursors is not None:
            self.cursors = None
            return
        view = self.view()
        from_s, to_s = view.from_s, view.to_s
        if len(view.window):
            from_s = max(from_s, float(view.window.t_s[0]))
            to_s = min(to_s, float(view.window.t_s[-1]))
        third_s = (to_s - from_s) / 3.0
        self.cursors = Cursors(from_s + third_s, to_s - third_s)

    def readings(self, view: View) -> tuple[CursorReading, ...]:
        """Values of the traces at the cursors; empty without any."""
        if self.cursors is None:
            return ()
        return readings(view.window, self._traces, self.cursors, self._reach_s)

    def seen(self) -> tuple[Window, Sequence[Channel]]:
        """Samples and signals that are seen now, for a file."""
        view = self.view()
        return view.window.between(view.from_s, view.to_s), self.traces

    @property
    def _reach_s(self) -> float:
        return GAP_PERIODS * self.facts.period_s

    def _possible(self, span_s: float) -> float:
        return min(max(span_s, LEAST_SAMPLES_SEEN * self.facts.period_s), self._history_s)

    def _view(
        self, window: Window, from_s: float, to_s: float, edge_s: float, *, live: bool
    ) -> View:
        return View.of(window, from_s, to_s, edge_s, self._reach_s, live=live)


def first_columns(facts: RunFacts) -> list[str]:
    """Signals shown at first: columns that a station names and the run has.

    A signal of several values is shown whole, or not at all if there is no room for it.
    """
    signals = {one.name: one.columns() for one in facts.signals.shown}
    known, found = {*facts.signals.columns()}, list[str]()
    for name in facts.views.first_traces:
        columns = signals.get(name, [name])
        if known.issuperset(columns) and len(found) + len(columns) <= MAX_TRACES:
            found += columns
    return found
