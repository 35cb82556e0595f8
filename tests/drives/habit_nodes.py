"""Scripted nodes with habits of real slaves; written from CiA 301 and CiA 402-2."""

from scripted_nodes import ScriptedBus, ScriptedNode


class HabitNode(ScriptedNode):
    """A node that watches its master and takes its time over SDO.

    Watched: the consumer heartbeat 1016h:1 from the first heartbeat on, and the event timer of
    RPDO1 (1400h:5) from the first RPDO1 on, in operational only. What ran out is in `faults`.
    """

    def __init__(self, node):
        super().__init__(node)
        self.faults = []
        self.sdo_s = 0.0002
        self.boots_at_s = float("-inf")
        self._master_s = self._rpdo_s = None

    def hear(self, frame, now_s):
        """Look at the clock, then at a frame that concerns the watchdogs."""
        self.look(now_s)
        if frame.can_id == 0x77F:
            self._master_s = now_s
        elif frame.can_id == 0x200 + self.node and self.nmt == 5:
            self._rpdo_s = now_s
        elif frame.can_id == 0 and self.nmt != 5:
            self._rpdo_s = None

    def look(self, now_s):
        expected_s = int.from_bytes(self.objects.get((0x1016, 1), b"")[:2], "little") * 1e-3
        if not expected_s:
            self._master_s = None
        elif self._master_s is not None and now_s - self._master_s > expected_s:
            self._trip(0x8130, now_s - self._master_s)
            self._master_s = None
        timer_s = int.from_bytes(self.objects.get((0x1400, 5), b""), "little") * 1e-3
        watched = timer_s and self._rpdo_s is not None and self.nmt == 5
        if watched and now_s - self._rpdo_s > timer_s:
            self._trip(0x8250, now_s - self._rpdo_s)
            self._rpdo_s = None

    def _trip(self, code, after_s):
        self.faults.append((code, round(after_s, 4)))
        self.state = "fault"


class HabitBus(ScriptedBus):
    """A bus of such nodes; SDO answers take each node's own time, one after the other."""

    def __init__(self, time, node=HabitNode):
        super().__init__(time)
        self.nodes = [node(number) for number in range(1, 7)]
        for each in self.nodes:
            each.now_s = time.now_s
        self.others = []
        """Nodes that are nobody's leg."""

    def _arrive(self, frame):
        now_s = self.time.now
        legs, self.nodes = (
            self.nodes,
            [node for node in (*self.nodes, *self.others) if node.boots_at_s <= now_s],
        )
        super()._arrive(frame)
        for node in self.nodes:
            node.hear(frame, now_s)
        self.nodes = legs

    def _put(self, after_s, can_id, data):
        if can_id & 0x780 == 0x580:
            after_s = next(n.sdo_s for n in self.nodes if n.answers_as == can_id & 0x7F)
        super()._put(after_s, can_id, data)

    def _beat(self):
        legs, self.nodes = (
            self.nodes,
            [node for node in (*self.nodes, *self.others) if node.boots_at_s <= self.time.now],
        )
        super()._beat()
        self.nodes = legs

    def rest(self, span_s):
        """Let time pass on a bus that the bench has left."""
        self.time.move_to(self.time.now + span_s)
        for node in self.nodes:
            node.look(self.time.now)


def frames_to(bus, can_id):
    """What the bench sent with this identifier."""
    return [frame for frame in bus.sent if frame.can_id == can_id]
