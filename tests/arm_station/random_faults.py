"""Faults of the emulated arm's catalogue, drawn at random, and what each may end a stream with."""

from sim.devices.arm.faults import ARM_FAULTS

BAD = {"ran dry", "link lost"}
ENDS = {
    "estop": {"held"}, "power_off": {"held"}, "uncalibrated": {"faulted"},
    "silence": BAD, "unplug": BAD,
    "slow": {"not following"}, "beside": {"not following"}, "period": {"off its period"},
    "drop_answer": BAD, "drop_request": BAD,
    "stall": BAD | {"off its period", "faulted"},
    "noise": BAD | {"faulted", "held", "off its period", "not following"},
    "parity": BAD | {"faulted", "held", "off its period", "not following"},
    "repeat_request": {"faulted"}, "repeat_answer": set(), "echo": set(),
    "elsewhere": {"not following"},
}  # fmt: skip
"""What a stream may end with, besides completed; noise of a checksum of three digits is anything
once in a thousand lines."""
VALUES = {"slow": (0.0, 0.6), "beside": (0.006, 0.05), "period": (0.2, 0.31), "stall": (0.05, 0.6)}


def fault_of(draw, kind="", latest_s=6.0):
    """One fault of the catalogue, as a person types it; for a while or for ever."""
    kind = kind or draw.choice(sorted(ARM_FAULTS))
    words = f"{kind} at_s={draw.uniform(0.8, latest_s):.2f}"
    if kind in VALUES:
        words += f" value={draw.uniform(*VALUES[kind]):.3f}"
    elif ARM_FAULTS[kind].value == "probability":
        words += f" value={draw.choice((0.002, 0.05, 0.3, 1.0))}"
    if draw.random() < 0.4 and not ARM_FAULTS[kind].momentary:
        words += f" duration_s={draw.uniform(0.1, 2.0):.2f}"
    return kind, words
