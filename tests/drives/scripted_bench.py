"""A CANopen bank on scripted nodes, on a virtual clock."""

from canopen_bench import SCALES, SETTINGS
from memory_bus import PacedBank, VirtualTime
from scripted_nodes import ScriptedBus
from text_port import slcan_over

from drives.bank import DriveGoal, DriveState
from drives.canopen.bank import CanopenBank

PERIOD_S = 0.004
LINK = "frames"
"""How the bank reaches the nodes: `frames`, or the text of an SLCAN adapter: `slcan`."""
ENABLED = (DriveState.ENABLED,) * 6


class Scripted:
    def __init__(self, settings=SETTINGS, scales=SCALES, period_s=PERIOD_S, bus=ScriptedBus):
        self.time = VirtualTime(10.0)
        self.bus = bus(self.time)
        over_text = LINK == "slcan"
        link = slcan_over(self.bus, self.time.now_s) if over_text else self.bus
        self.raw = CanopenBank(
            [link], settings, scales, period_s, now_s=self.time.now_s, url="scripted:"
        )
        self.bank = PacedBank(self.raw, self.time, period_s)

    def node(self, leg):
        return self.bus.nodes[leg - 1]

    def run(self, cycles, command=None):
        for _ in range(cycles):
            feedback = self.bank.exchange(command)
        return feedback

    def until(self, condition, limit=1000):
        for _ in range(limit):
            feedback = self.bank.exchange(None)
            if condition(feedback):
                return feedback
        raise AssertionError(f"not reached: {feedback}, {self.raw.waiting}")

    def enabled(self):
        """Configure, home and enable; return the last feedback."""
        self.bank.configure()
        return self.enabled_from_here()

    def enabled_from_here(self):
        """Home and enable a bank that is configured; return the last feedback."""
        self.bank.request(DriveGoal.HOMED)
        self.until(lambda f: all(f.homed))
        self.bank.request(DriveGoal.ENABLED)
        return self.until(lambda f: f.state == ENABLED)
