"""Packets of bytes between a run and its planner's process.

The first packet says what to plan for, as JSON; its answer is `READY`. Requests and answers are
little-endian numbers. All numbers come through unchanged, so that a plan is the same wherever it is
made.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import Pose
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.parameters import Curve, Scale
from platform6dof.cueing.plan import Plan
from platform6dof.cueing.planner import Outcome, PlanAnswer, Planner, PlanRequest
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.limits import EnvelopeLimits

Array = NDArray[np.float64]

READY: Final = b"ready"
RENEWALS_MOST: Final = 3
"""A planner that is killed more often in a ride is not begun anew."""
PACKET_MAX_BYTES: Final = 128 * 1024
_PLAN: Final = struct.Struct("<QdI")  # serial, start, knots
_REQUEST: Final = struct.Struct("<QdI")  # serial, start, steps
_ANSWER: Final = struct.Struct("<QIId")  # serial, outcome, whether a plan follows, cost
_RENEWAL: Final = struct.Struct(
    "<4sII"
)  # RENEWED, how many so far, its process; no answer is so short
_RENEWED: Final = b"anew"
_GEOMETRY: Final = (
    "base_joints_m",
    "platform_joints_m",
    "closed_length_m",
    "stroke_m",
    "base_axes",
    "platform_axes",
)


@dataclass(frozen=True, slots=True, eq=False)
class PlannerSetup:
    """Settings of a planner."""

    parameters: MpcParameters
    envelope: Envelope
    neutral: Pose
    """The platform's pose that deviations count from."""
    head_m: tuple[float, float, float]
    """The rider's head in the platform's axes [m]."""

    def planner(self) -> Planner:
        """Make such a planner.

        Raises:
            ValueError: if the machine has no travel at neutral.
        """
        return Planner(self.parameters, self.envelope, self.neutral, self.head_m)


def setup_to_bytes(setup: PlannerSetup) -> bytes:
    """Return the first packet."""
    geometry, limits = setup.envelope.geometry, setup.envelope.limits
    table = {
        "parameters": asdict(setup.parameters),
        "geometry": {name: getattr(geometry, name).tolist() for name in _GEOMETRY},
        "screw_lead_m": geometry.screw_lead_m,
        "hanging": geometry.hanging,
        "limits": {
            name: np.asarray(getattr(limits, name)).tolist()
            for name in EnvelopeLimits.__dataclass_fields__
        },
        "position_m": setup.neutral.position_m.tolist(),
        "rotation": setup.neutral.rotation.tolist(),
        "head_m": list(setup.head_m),
    }
    return json.dumps(table).encode()


def setup_from_bytes(packet: bytes) -> PlannerSetup:
    """Read the first packet.

    Raises:
        ValueError: it says something that cannot be.
    """
    table: dict[str, Any] = json.loads(packet)
    given = table["parameters"]
    numbers: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    for name in ("force", "rates"):
        numbers[name] = tuple(Scale(**one | {"curve": Curve(one["curve"])}) for one in given[name])
    shape = {name: np.array(table["geometry"][name]) for name in _GEOMETRY}
    first, second, third = table["head_m"]
    return PlannerSetup(
        MpcParameters(**numbers),
        Envelope(
            HexapodGeometry(**shape, screw_lead_m=table["screw_lead_m"], hanging=table["hanging"]),
            EnvelopeLimits(**table["limits"]),
        ),
        Pose(table["position_m"], table["rotation"]),
        (first, second, third),
    )


def request_to_bytes(request: PlanRequest) -> bytes:
    """Return a request with the plan that it begins from."""
    head = _REQUEST.pack(request.serial, request.start_s, len(request.wanted))
    organs, wanted = request.organs.tobytes(), np.ascontiguousarray(request.wanted).tobytes()
    return b"".join((head, organs, wanted, _plan_to_bytes(request.playing)))


def request_from_bytes(packet: bytes) -> PlanRequest:
    """Read a request back.

    Raises:
        ValueError: it is cut, or no plan.
        struct.error: it is cut.
    """
    serial, start_s, steps = _REQUEST.unpack_from(packet)
    organs, at = _numbers(packet, _REQUEST.size, (6, 3))
    wanted, at = _numbers(packet, at, (steps, 6))
    return PlanRequest(serial, start_s, _plan_from_bytes(packet, at), organs, wanted)


def answer_to_bytes(answer: PlanAnswer) -> bytes:
    """Return an answer with its plan, if there is one."""
    plan = b"" if answer.plan is None else _plan_to_bytes(answer.plan)
    return _ANSWER.pack(answer.serial, answer.outcome, bool(plan), answer.cost) + plan


def answer_from_bytes(packet: bytes) -> PlanAnswer:
    """Read an answer back.

    Raises:
        ValueError: it is cut, or what it holds is no plan.
        struct.error: it is cut.
    """
    serial, outcome, planned, cost = _ANSWER.unpack_from(packet)
    plan = _plan_from_bytes(packet, _ANSWER.size) if planned else None
    return PlanAnswer(serial, Outcome(outcome), plan, cost)


def renewal_to_bytes(number: int, pid: int) -> bytes:
    """Encode that another process makes the plans from now on: its ordinal, and its number."""
    return _RENEWAL.pack(_RENEWED, number, pid)


def renewal_from_bytes(packet: bytes) -> tuple[int, int] | None:
    """Read its ordinal and process back; None if the packet is an answer."""
    if len(packet) != _RENEWAL.size or not packet.startswith(_RENEWED):
        return None
    _, number, pid = _RENEWAL.unpack(packet)
    return number, pid


def _plan_to_bytes(plan: Plan) -> bytes:
    head = _PLAN.pack(plan.serial, plan.start_s, len(plan.knots_s))
    return b"".join((head, plan.knots_s.tobytes(), plan.course.tobytes()))


def _plan_from_bytes(packet: bytes, at: int) -> Plan:
    serial, start_s, count = _PLAN.unpack_from(packet, at)
    knots_s, at = _numbers(packet, at + _PLAN.size, (count,))
    course, _ = _numbers(packet, at, (count, 3, 6))
    return Plan(start_s, knots_s, course, serial)


def _numbers(packet: bytes, at: int, shape: tuple[int, ...]) -> tuple[Array, int]:
    count = int(np.prod(shape))
    values = np.frombuffer(packet, np.float64, count, at).reshape(shape)
    return values.copy(), at + 8 * count
