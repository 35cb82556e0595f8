"""Words of lamps, buttons, faults, margins, timeline and lateness."""

from typing import Final

_STATE: Final[dict[str, str]] = {
    "state.stop": "STOP",
    "state.stop.tip": "Stops smoothly and holds. Everyone may press it, at any time. Esc or F12",
    "state.stop.replay": "no stop:\na recording",
    "state.stop.replay.tip": "This is a recording: there is nothing that could be stopped",
    "state.hold_to_run": "HOLD TO RUN",
    "state.hold_to_run.tip": "The platform moves only while this, or Space, is held down",
    "state.take": "Take the motion",
    "state.release": "Give the motion back",
    "state.banner": "{device}: {line}",
    "state.lamps": "Mode of the bench",
    "state.lamp.lit": "mode: {name}",
    "state.mode_unknown": "mode: not known",
    "state.link.waiting": "Connected; nothing has come yet",
    "state.link.live": "Live",
    "state.link.stale": "SILENT for {silent_s} s",
    "state.link.lost": "NO DESK: {why}",
    "state.link.ended": "ENDED: {why}",
    "state.link.replay": "Recording",
    "state.link.run_over": "the run is over",
    "state.owner.you": "You move it",
    "state.owner.other": "{owner} moves it",
    "state.owner.nobody": "Nobody moves it",
    "state.owner.replay": "Nobody moves it: a recording",
    "state.dead_man.hold.held": "Dead-man held",
    "state.dead_man.hold.released": "Dead-man released",
    "state.dead_man.presence.held": "Panel present",
    "state.dead_man.presence.released": "Panel absent",
    "state.why.replay": "this is a recording",
    "state.why.not_owner": "you do not own the motion; take it first",
    "state.why.not_sent": "the desk did not take it; press again",
    "state.why.unanswered": "the desk died before it answered; what became of it is not known",
    "state.why.no_frame": "nothing is known of the bench yet",
    "state.why.no_mode": "the mode {mode} is not known here",
    "state.refused": "Nothing done. {why}",
    "state.tempo_zero": "The tempo is 0 %: nothing moves before it is raised",
    "state.end": "THE RUN IS ENDING: {cause}; {step}",
    "state.end.press": "End run was pressed",
    "state.end.shut_down": "End run was pressed by {why}",
    "state.end.terminal": "Ctrl-C at the terminal, or a signal",
    "state.end.fault": "{why}",
    "state.end.gave_up": "{why}",
    "state.end.desk": "operator's desk: {why}",
    "state.end.source": "{why}",
    "state.end.control": "{why}",
    "state.end.unknown": "{why}",
    "state.end.under_way": "under way",
    "state.end.over": "ENDED: {over}: {cause}",
    "state.end.stopping": "stopping",
    "state.end.parking": "parking",
    "state.end.awaiting_park": "hold to run and press Park, else the power goes off in {left_s} s",
    "state.end.power_off": "power off",
    "state.end.waits": "; waits: {waits}",
    "state.button.home": "Home",
    "state.button.engage": "Engage",
    "state.button.hold": "Hold",
    "state.button.park": "Park",
    "state.button.reset": "Reset",
    "state.button.shut_down": "End run",
    "state.button.play": "Play",
    "state.button.pose": "Go to pose",
    "state.tip.home": "Let each leg find its reference",
    "state.tip.engage": "Rise to the neutral pose",
    "state.tip.hold": "Stop smoothly and hold",
    "state.tip.park": "Go back to rest",
    "state.tip.reset": "Leave a fault whose cause is gone",
    "state.tip.shut_down": "Park if need be, then power off: the run ends",
    "state.tip.play": "Play the motion",
    "state.tip.pose": "Go to the pose that is set",
}

_FAULTS: Final[dict[str, str]] = {
    "faults.none": "No faults",
    "faults.standing": "{count} standing",
    "faults.title": "What went wrong",
    "faults.copy": "Copy",
    "faults.forget": "Hide what is over",
    "faults.sort.fault": "fault",
    "faults.sort.refusal": "nothing done",
    "faults.sort.warning": "warning",
    "faults.state.standing": "standing",
    "faults.state.over": "over",
    "faults.place.leg": "leg {leg}",
    "faults.column.t_s": "Time",
    "faults.column.sort": "What",
    "faults.column.place": "Where",
    "faults.column.cause": "Cause",
    "faults.column.value": "Value",
    "faults.column.limit": "Limit",
    "faults.what_to_do": "What to do",
    "advice.unknown": (
        "Read the cause; have the machine looked at before going on if it is not understood."
    ),
    "advice.refused_press": "Do what the reason says, then press again.",
}

_PLATFORM_ADVICE: Final[dict[str, str]] = {
    "finite": "A value is not a number: look at the motion's file or source. Reset, then home.",
    "position": (
        "The motion leaves the leg's travel. Make it smaller or move its neutral pose; "
        "`hil check` shows where. Reset, then home."
    ),
    "speed": "The motion is too fast for this leg. Lower amplitude or frequency. Reset, then home.",
    "acceleration": (
        "The motion jerks or is too fast for this leg. Lower amplitude or frequency, or let it "
        "fade in for longer. Reset, then home."
    ),
    "braking": (
        "Too fast so near the end of travel to stop in time. Make the motion smaller or slower. "
        "Reset, then home."
    ),
    "speed_mismatch": (
        "The source's speeds do not fit its lengths. Mend the source. Reset, then home."
    ),
    "following": (
        "The leg does not follow. Look for something in its way, overload, or a weak drive. Look "
        "at the machine before resetting."
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
        "A leg did not make its first slow way as sent: its drive counts in another unit, or "
        "motor and encoder do not belong together. Look at its drive file and cables before "
        "anything moves again."
    ),
    "force": (
        "A leg needs more force than the payload can: look for something in its way, and at its "
        "load. Look at the machine before resetting."
    ),
    "warning": (
        "A drive warns and goes on. Look up its code: heat or load come first; end the motion in "
        "time."
    ),
    "feedback": "A drive is silent. Look at its power, cable and bus termination. Then reset.",
    "stuck": "The length does not change although the leg is commanded. Look at its encoder.",
    "jump": "The measured length jumped. Look at the encoder and its cable; home anew.",
    "quick_stop": (
        "A drive did not stop by itself in time; power was taken away. Stay off the machine and "
        "have drive and brake looked at."
    ),
    "drive": (
        "The drive tells of a fault of its own. Look up its code, take away the cause, then reset."
    ),
    "estop": "Find out why it was pressed. Release it, see that nobody is near, then reset.",
    "estop_discrepancy": (
        "The two channels of the emergency stop differ: a contact or wire is bad. Have it repaired "
        "before going on."
    ),
    "stale": "Control was late. Close other programs on this machine; see `hil doctor`.",
    "missing": "Control gave no setpoint in time. See `hil doctor`; park, then engage anew.",
    "sequence": "Setpoints came twice or out of order. If it happens again, report it.",
    "start": "The motion does not begin where the platform stands. Park, then engage anew.",
    "period": "The cycle was not kept. Close other programs on this machine; see `hil doctor`.",
    "late": "The cycle came late. Close other programs on this machine; see `hil doctor`.",
    "control": (
        "The program that leads the run stood still, or has ended. Nothing starts again by itself: "
        "see `hil doctor`; park, or end the run."
    ),
    "request": "The gate did not take it in this mode. Do what the reason says, then press again.",
    "internal": "The gate does not trust itself any more. End the run, start anew, and report it.",
    "overrun": "The machine was too slow for the cycle. Close other programs; see `hil doctor`.",
}

_ARM_ADVICE: Final[dict[str, str]] = {
    "count": "A waypoint has the wrong number of values. Mend the source, then start anew.",
    "finite": "A value is not a number: look at the motion's file or source.",
    "rotation": "A rotation is none: look at the motion's file or source.",
    "position": (
        "A joint would leave its range. Choose another working point or posture, or a smaller "
        "motion."
    ),
    "rate": "A joint would turn too fast. Slow the motion, or stay further from singularities.",
    "acceleration": "A joint would speed up too fast. Smooth or slow the motion.",
    "gripper_speed": "The gripper would be too fast beside people. Slow the motion.",
    "gripper_turn": "The gripper would turn too fast. Slow the motion.",
    "reach": "The place is out of the robot's reach. Move the working point nearer.",
    "margin": "Too near a singularity. Choose another working point or posture.",
    "clearance": "The robot would come too near itself or the table. Move the working point.",
    "corner": "The controller would round this corner too much. Slow down before it.",
    "sequence": "Waypoints came twice or out of order. Start anew; if it happens again, report it.",
    "start": "The robot does not stand where the motion begins. Bring it there, then start anew.",
    "latched": "An earlier waypoint was refused; nothing follows it. Begin anew from rest.",
    "internal": "The gate does not trust itself any more. Start anew, and report it.",
}

_LOOKS: Final[dict[str, str]] = {
    "margins.title": "What is left, worst first",
    "margins.none": "Nothing measured",
    "margins.leg": "Leg {leg}",
    "margins.space_joint": "Space arm, joint {joint}",
    "margins.robot_joint": "Robot, joint {joint}",
    "margins.singular.wrist": "Robot, from wrist singularity",
    "margins.singular.elbow": "Robot, from elbow singularity",
    "margins.singular.shoulder": "Robot, from shoulder singularity",
    "margins.watched.following_1": "Robot, off its path",
    "margins.watched.ahead_s": "Robot, too early",
    "margins.watched.behind_s": "Robot, too late",
    "margins.watched.silence_s": "Robot, silent",
    "margins.watched.blank_1": "Robot, tells no place",
    "margins.to_end.following_1": "{left}, then not following",
    "margins.to_end.ahead_s": "{left}, then off its period",
    "margins.to_end.behind_s": "{left}, then off its period",
    "margins.to_end.silence_s": "{left}, then link lost",
    "margins.to_end.blank_1": "{left}, then not following",
    "margins.to_low": "{left} to the lower end",
    "margins.to_high": "{left} to the upper end",
    "margins.to_least": "{left} to the least",
    "margins.beyond": "{left} BEYOND",
    "margins.unknown": "not known",
    "margins.role.ok": "has room",
    "margins.role.warn": "NEAR",
    "margins.role.fault": "AT LIMIT",
    "margins.role.unknown": "?",
    "timeline.title": "What happened when",
    "timeline.axis": "Time of the run",
    "timeline.keys": "Left and right: event before and after. Home, End: first, last. A: all",
    "timeline.none": "Nothing has happened yet",
    "timeline.mark": "{t_s} s   {number} of {total}   {message}",
    "lateness.title": "Lateness and work of the cycle",
    "lateness.late": "late",
    "lateness.busy": "busy",
    "lateness.answer": "answer",
    "lateness.axis": "Time",
    "lateness.count": "Cycles",
    "lateness.none": "Nothing measured",
    "lateness.virtual": "Virtual clock: not measured",
    "lateness.figures": (
        "{name}: median {p50}, p99 {p99}, largest {largest} "
        "({count} cycles in the last {window_s} s)"
    ),
}

TEXTS: Final[dict[str, str]] = {
    **_STATE,
    **_FAULTS,
    **{f"advice.platform.{check}": words for check, words in _PLATFORM_ADVICE.items()},
    **{f"advice.arm.{check}": words for check, words in _ARM_ADVICE.items()},
    **_LOOKS,
}
"""Key → English."""
