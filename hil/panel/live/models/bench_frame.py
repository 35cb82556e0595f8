"""What a bench's newest frame and its events tell of its state: its mode, and its end."""

import numpy as np

from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.panel.live.models.session_end import begins_end, failure_of
from hil.recording.events import SIMULATED_KEY
from hil.recording.header import code_name


class NewestFrame:
    """The state of a bench as its frames and events tell it."""

    def __init__(self, facts: RunFacts) -> None:
        self._time = column(facts.signals, "t_s").start
        self._coded = [
            (signal.codes, column(facts.signals, signal.name).start)
            for signal in facts.signals.coded[:2]
        ]
        self.mode: str | None = None
        """Name of the mode, or of the link's state at the arm station; None if not known."""
        self.action = ""
        """Name of what the gate does; empty if not known."""
        self.t_s = 0.0
        """Its time of the run [s]."""
        self.ending = False
        """Whether an event has told that the end is under way."""
        self.failed = ""
        """What an event has told of a failure of the run; empty if none has."""
        self.robot_simulated = False
        """Whether an event has told that the robot behind a wire is an emulated one."""

    def take(self, batch: Batch) -> bool:
        """Take what the feed brought; whether a frame was in it."""
        if batch.restart:
            self.mode, self.ending, self.failed = None, False, ""
            self.robot_simulated = False
        self.ending = self.ending or any(map(begins_end, batch.events))
        self.failed = self.failed or next(filter(None, map(failure_of, batch.events)), "")
        codes_now = any(SIMULATED_KEY in event.data for event in batch.events)
        self.robot_simulated = self.robot_simulated or codes_now
        if not len(batch.rows):
            return False
        row = batch.rows[-1]
        codes_now = [
            code_name(codes, int(row[place])) if np.isfinite(row[place]) else ""
            for codes, place in self._coded
        ]
        self.mode = (codes_now[0] if codes_now else "") or None
        self.action = codes_now[1] if len(codes_now) > 1 else ""
        self.t_s = float(row[self._time])
        return True
