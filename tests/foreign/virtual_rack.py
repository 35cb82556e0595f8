"""Six foreign slaves on a bus in memory and on a virtual clock: what a bank sees of them is frames.

The one place of this folder that knows `drives`: of it, only what a frame is.
"""

from canopen_slave import CanopenSlave
from drive402 import Drive402, identity_rows
from electro_cylinder import ElectroCylinder
from habits import Habits
from object_dictionary import ObjectDictionary
from slave_rows import communication_rows, pdo_rows, profile_rows
from units import Mechanics

from drives.can.frames import REMOTE, BusHealth, BusState, Frame

STEP_S = 0.001
VENDOR, PRODUCT, FIRST_SERIAL = 0x0000_0F0E, 0x0402, 70_001


class VirtualRack:
    """Six slaves; whoever waits for a frame moves the clock on.

    Args:
        changes: of each dictionary.
        habits: of each drive.
        places_m: where the rods stand.
        zeros_m: places where the encoders tell 0, 6; ordinary ones if left out.
        now_s: time of the power-up.
    """

    def __init__(
        self,
        changes=(),
        habits=None,
        *,
        places_m=(0.28, 0.291, 0.302, 0.273, 0.285, 0.268),
        zeros_m=None,
        mechanics=None,
        pdos=(4, 4),
        sign=1,
        now_s=100.0,
    ):
        self.now = now_s
        self._stepped_s = now_s
        self._out = []
        self.closed = False
        self.slaves = []
        habits = habits or Habits()
        for leg, place_m in enumerate(places_m):
            node = leg + 1
            rows = communication_rows(node) | profile_rows() | pdo_rows(node, *pdos)
            rows |= identity_rows(VENDOR, PRODUCT, FIRST_SERIAL + leg, "Servo drive")
            for change in changes:
                change(rows)
            objects = ObjectDictionary(rows)
            zero_m = place_m - 0.001 * node * node if zeros_m is None else zeros_m[leg]
            drive = Drive402(
                objects, ElectroCylinder(place_m), mechanics or Mechanics(), habits,
                sign=sign, zero_m=zero_m,
            )  # fmt: skip
            slave = CanopenSlave(node, objects, drive, self._send, pdos)
            slave.power_on(now_s - 10.0)
            self.slaves.append(slave)

    @property
    def drives(self):
        return [slave.drive for slave in self.slaves]

    def now_s(self):
        return self.now

    def _send(self, can_id, data):
        self._out.append(Frame(can_id, bytes(data)))

    def _advance(self, until_s):
        """Go on to a time, or to the first frame that is sent before."""
        while True:
            for slave in self.slaves:
                slave.advance(self.now)
            if self._out or self.now >= until_s:
                return
            self.now = min(self._stepped_s + STEP_S, until_s)
            if self.now >= self._stepped_s + STEP_S:
                self._stepped_s += STEP_S
                for slave in self.slaves:
                    slave.drive.step(STEP_S)

    def move_to(self, at_s):
        """Let time pass; what is sent meanwhile waits."""
        while self.now < at_s:
            kept, self._out = self._out, []
            self._advance(at_s)
            self._out = kept + self._out

    # --- as a `FrameBus` ------------------------------------------------------------------------

    def send_frames(self, frames):
        for frame in frames:
            can_id = frame.can_id & ~REMOTE
            for slave in self.slaves:
                slave.receive(can_id, frame.data, self.now, remote=bool(frame.can_id & REMOTE))

    def receive_frames(self, timeout_s):
        self._advance(self.now + timeout_s)
        frames, self._out = self._out, []
        return frames

    def health(self):
        return BusHealth(BusState.ACTIVE)

    def shutdown(self):
        self.closed = True
