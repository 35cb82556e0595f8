"""Order that starts a gate's process: one line of JSON, complete and checked on both sides."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from hil.stations.platform.gate.control_state import NOT_OPEN
from hil.stations.platform.gate.spec import BankSpec
from hil.timing.realtime_setup import RealtimePolicy
from safety.limits import GateLimits, LegLimits

GATE_PRIORITY = 90
"""SCHED_FIFO priority of the gate, above control's 80: it must run when control does not stop."""


@dataclass(frozen=True, slots=True)
class GateOrder:
    """Facts that a gate's process must know."""

    spec: BankSpec
    """Specification of the drives' bank."""
    limits: GateLimits
    """Limits of the gate."""
    slot_fd: int
    """Inherited descriptor of the command slot."""
    ring_fd: int
    """Inherited descriptor of the status ring."""
    socket_fd: int
    """Inherited descriptor of the connection that wakes control and ends with it."""
    hold_alone_s: float
    """Time for which the platform is held when control is gone [s]."""
    black_box: str = ""
    """Path of the file for events without control; empty for none."""
    place_file: str = ""
    """Path of the file for where the legs were left; empty for none."""
    policy: RealtimePolicy = field(default_factory=lambda: RealtimePolicy(priority=GATE_PRIORITY))
    """Real-time settings to request from the system."""
    led: bool = False
    """Whether a person leads the run from a panel."""
    record_fd: int = NOT_OPEN
    """Descriptor of the kernel's record of control's process; negative where there is none."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Descriptors that the gate's process inherits."""
        needed = (self.slot_fd, self.ring_fd, self.socket_fd)
        return needed if self.record_fd < 0 else (*needed, self.record_fd)

    def to_line(self) -> bytes:
        """Encode as one line of JSON; every number comes back bit for bit."""
        data = {
            "spec": self.spec.to_json(),
            "limits": asdict(self.limits),
            "slot_fd": self.slot_fd,
            "ring_fd": self.ring_fd,
            "socket_fd": self.socket_fd,
            "hold_alone_s": self.hold_alone_s,
            "led": self.led,
            "black_box": self.black_box,
            "place_file": self.place_file,
            "policy": asdict(self.policy),
            "record_fd": self.record_fd,
        }
        return json.dumps(data, allow_nan=False).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> GateOrder:
        """Return the order of a line.

        Raises:
            ValueError: if it is not JSON, or limits, drives or policy contradict themselves.
            KeyError: if a part is missing.
            TypeError: if a limit is missing or unknown.
        """
        data: dict[str, Any] = json.loads(line)
        data["spec"] = BankSpec.from_json(data["spec"])
        legs = tuple(LegLimits(**leg) for leg in data["limits"].pop("legs"))
        data["limits"] = GateLimits(legs=legs, **data["limits"])  # type: ignore[arg-type]
        data["policy"] = RealtimePolicy(**data["policy"])
        return cls(**data)
