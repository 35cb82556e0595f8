"""The last gate before the drives: standard library only, readable in one sitting."""

from typing import TYPE_CHECKING

from hil_common.lazy_names import lazy_names

if TYPE_CHECKING:
    from safety.gate import Gate, GateInputs
    from safety.limits import GateLimits
    from safety.modes import Mode, Request
    from safety.verdict import Action, Check, Feedback, Setpoint, Verdict, Violation

    __version__: str

__all__ = [
    "Action",
    "Check",
    "Feedback",
    "Gate",
    "GateInputs",
    "GateLimits",
    "Mode",
    "Request",
    "Setpoint",
    "Verdict",
    "Violation",
    "__version__",
]
_HOME = {
    "Action": "verdict",
    "Check": "verdict",
    "Feedback": "verdict",
    "Gate": "gate",
    "GateInputs": "gate",
    "GateLimits": "limits",
    "Mode": "modes",
    "Request": "modes",
    "Setpoint": "verdict",
    "Verdict": "verdict",
    "Violation": "verdict",
}
"""Module of each public name, loaded when the name is asked for."""

__getattr__, __dir__ = lazy_names(__name__, _HOME)
