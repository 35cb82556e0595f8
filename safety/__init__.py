"""The last gate before the drives: standard library only, readable in one sitting."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from safety.gate import Gate, GateInputs
    from safety.limits import GateLimits
    from safety.modes import Mode, Request
    from safety.verdict import Action, Check, Feedback, LegTarget, Setpoint, Verdict, Violation

    __version__: str

__all__ = [
    "Action",
    "Check",
    "Feedback",
    "Gate",
    "GateInputs",
    "GateLimits",
    "LegTarget",
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
    "LegTarget": "verdict",
    "Mode": "modes",
    "Request": "modes",
    "Setpoint": "verdict",
    "Verdict": "verdict",
    "Violation": "verdict",
}
"""Module of each public name, loaded when the name is asked for."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # the gate's process never asks

        return version("hil-bench")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
