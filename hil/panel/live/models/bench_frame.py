"""What a bench's newest frame and its events tell of its state: its mode, and its end."""

from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.panel.live.models.session_end import begins_end, failure_of
from hil.recording.arm_frame import SIMULATED_KEY
from hil.recording.header import code_name


class NewestFrame:
    """The state of a bench as its frames and events tell it."""

    def __init__(self, facts: RunFacts) -> None:
        self._header = facts.header
        mode, action = facts.layout.codes
        names = (mode, action, "t_s")
        self._places = tuple(column(facts.layout, name).start for name in names)
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
        told = any(SIMULATED_KEY in event.data for event in batch.events)
        self.robot_simulated = self.robot_simulated or told
        if not len(batch.rows):
            return False
        mode, action, t_s = batch.rows[-1, self._places].tolist()
        self.mode = code_name(self._header.modes, int(mode)) if mode == mode else None
        self.action = code_name(self._header.actions, int(action)) if action == action else ""
        self.t_s = t_s
        return True
