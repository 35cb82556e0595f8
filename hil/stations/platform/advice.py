"""Remedies for what a check of the gate found, for people."""

from collections.abc import Mapping
from typing import Final

ADVICE: Final[Mapping[str, str]] = {
    "finite": "A value is not a number: look at the motion's file or source. Reset, then home.",
    "position": (
        "The motion leaves the leg's travel. Make it smaller or move its neutral "
        "pose; `hil check` prints what makes it fit. Reset, then home."
    ),
    "speed": (
        "The motion is too fast for this leg. Lower amplitude or frequency; `hil check` prints "
        "what makes it fit. Reset, then home."
    ),
    "acceleration": (
        "The motion jerks or is too fast for this leg. Lower amplitude or "
        "frequency, or let it fade in for longer; `hil check` prints what makes it fit. "
        "Reset, then home."
    ),
    "braking": (
        "Too fast so near the end of travel to stop in time. Make the motion "
        "smaller or slower; `hil check` prints what makes it fit. Reset, then home."
    ),
    "speed_mismatch": (
        "The source's speeds do not fit its lengths. Mend the source. Reset, then home."
    ),
    "following": (
        "The leg does not follow. Look for something in its way, overload, or a "
        "weak drive. Look at the machine before resetting."
    ),
    "lag": (
        "What is measured comes late, or the legs follow late. Look at the link with `hil doctor`; "
        "a lag that is the drives' own belongs into the rig (feedback_lag_max_s)."
    ),
    "first_setpoint": (
        "Something else was asked than the slow first motion that drives with absolute encoders "
        "begin with. Nothing was sent of it. End the run and start it anew."
    ),
    "first_motion": (
        "A leg did not make its first slow way as sent: its drive counts in "
        "another unit, or motor and encoder do not belong together. Look at its "
        "drive file and cables before anything moves again."
    ),
    "force": (
        "A leg needs more force than the payload can: look for something in its "
        "way, and at its load. Look at the machine before resetting."
    ),
    "warning": (
        "A drive warns and goes on. Look up its code: heat or load come first; end "
        "the motion in time."
    ),
    "feedback": "A drive is silent. Look at its power, cable and bus termination. Then reset.",
    "stuck": "The length does not change although the leg is commanded. Look at its encoder.",
    "jump": "The measured length jumped. Look at the encoder and its cable; home anew.",
    "quick_stop": (
        "A drive did not stop by itself in time; power was taken away. Stay off "
        "the machine and have drive and brake looked at."
    ),
    "drive": (
        "The drive tells of a fault of its own. Look up its code, take away the cause, then reset."
    ),
    "estop": "Find out why it was pressed. Release it, see that nobody is near, then reset.",
    "estop_discrepancy": (
        "The two channels of the emergency stop differ: a contact or wire is bad. "
        "Have it repaired before going on."
    ),
    "stale": "Control was late. Close other programs on this machine; see `hil doctor`.",
    "missing": "Control gave no setpoint in time. See `hil doctor`; Play or Engage leads back.",
    "sequence": "Setpoints came twice or out of order. If it happens again, report it.",
    "start": "The motion does not begin where the platform stands. Park, then engage anew.",
    "period": "The cycle was not kept. Close other programs on this machine; see `hil doctor`.",
    "late": "The cycle came late. Close other programs on this machine; see `hil doctor`.",
    "control": (
        "The program that leads the run stood still, or has ended. Nothing starts "
        "again by itself: see `hil doctor`; park, or end the run."
    ),
    "request": (
        "The gate did not take it in this mode. Do what the reason says, then press again."
    ),
    "internal": (
        "The gate does not trust itself any more. End the run, start anew, and report it."
    ),
    "overrun": ("The machine was too slow for the cycle. Close other programs; see `hil doctor`."),
}
"""Remedy by the name of the check."""
