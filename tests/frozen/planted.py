"""Changes of the product's source that the comparison has to find, each by one case."""

from typing import NamedTuple

COMMANDS = "commands"
"""In place of a case: the tree of commands and options."""


class Change(NamedTuple):
    """A change planted in the source: text that stands there once, and what is put instead."""

    file: str
    old: str
    new: str
    case: str


FK = "platform_fk_paper_--lengths_1.1,1.12,1.14,1.1,1.13,1.11"
IK = "platform_ik_paper_--pose_0.05,-0.04,0.95,5,-4,10"
BEYOND = "platform_ik_paper_--pose_0,0,1.9,0,0,0"
RATES = "platform_ik_paper_--pose_0,0,0.9,0,0,0_--rates_0.1,0,0.2,5,0,3"
ARM_FK = "arm_fk_bkm_--q_10,-20,30,20,50,60"
ARM_IK = "arm_ik_rm01_--pose_600,150,900,90,0,0"
ROBOT_FK = "arm_fk_rm01_--q_0,45,-180,0,45,0"
ADVANCE = "arm_advance_bkm_--rates_1,-1,0.5,2,-2,1_--ticks_20_--payload_1000"
JOG = "world_jog_robot_a_--step_1:0.1:0.2"
MOVE = "run_joint_move_0"
SHOW = "hil/stations/platform/run/run_summary.py"
KINEMATICS = "hil/stations/platform/commands/platform.py"
RACK = "hil/stations/platform/commands/rack.py"
POSE = "hil/stations/arm/commands/pose.py"
EXPORT = "hil/recording/export.py"
WORLD = "hil/stations/world/run/world_output.py"
WALL = "hil/diagram/exercises/wall.py"
TWICE_OMEGA = "2.0 * self.damping * omega"

CHANGES = [
    Change(
        "hil/stations/platform/commands/rig_model.py",
        "math.degrees(value) for value",
        "math.degrees(-value) for value",
        FK,
    ),
    # Options: a name, a default, a bound, a kind.
    Change(RACK, '"--buses", min=1', '"--bus", min=1', COMMANDS),
    Change(RACK, 'of the line [Bd].")] = 115_200', 'of the line [Bd].")] = 9_600', COMMANDS),
    Change(KINEMATICS, "max=10_000_000", "max=1_000_000", COMMANDS),
    Change(KINEMATICS, '"--seed", min=0)] = 0', '"--seed", min=0)] = 1', COMMANDS),
    Change("hil/cli/recordings.py", '"--to", metavar="csv"', '"--form"', COMMANDS),
    Change("hil/stations/world/commands/jog.py", "] = 1.0,", "] = 0.5,", COMMANDS),
    Change("hil/stations/arm/commands/emulate.py", "] = 9600,", "] = 19200,", COMMANDS),
    # The platform: its figures, its gate, its drives.
    Change("platform6dof/forward.py", "TOLERANCE_M = 1e-12", "TOLERANCE_M = 1e-3", FK),
    Change(KINEMATICS, "strokes_m=legs.length_m - ", "strokes_m=legs.length_m + ", IK),
    Change(KINEMATICS, "speeds_m_s=legs.speed_m_s", "speeds_m_s=1e3 * legs.speed_m_s", RATES),
    Change(KINEMATICS, "ok=not wrong,", "ok=True,", BEYOND),
    Change(SHOW, "cycles=result.cycles", "cycles=float(result.cycles)", "run_hold_neutral_0"),
    Change(SHOW, "mode=result.mode.name", "mode=result.mode.name.lower()", "run_hold_neutral_0"),
    Change(
        SHOW, "outcome=result.outcome.value", "outcome=result.outcome.name", "run_hold_neutral_0"
    ),
    Change(
        "safety/lag.py",
        "leg.lag * period_s, most *",
        "leg.lag * period_s, 1e3 * most *",
        "fault_lag_0",
    ),
    Change(
        "safety/controlled_stop.py",
        "return k - k * (k + 1) / (2.0 * ratio)",
        "return k - k * (k + 1.001) / (2.0 * ratio)",
        "run_leaves_envelope_0",
    ),
    Change(
        "safety/plausibility.py",
        "stop = Severity.STOP",
        "stop = Severity.QUICK_STOP",
        "fault_feedback_jump_0",
    ),
    Change(
        "drives/sim/bank.py",
        "POWER_UP_SPREAD_M = 0.005",
        "POWER_UP_SPREAD_M = 0.004",
        "run_hold_neutral_1",
    ),
    Change(
        "drives/sim/cylinder_model.py",
        "cylinder.FEED] = 1.0",
        "cylinder.FEED] = 0.999999",
        "run_hold_neutral_0",
    ),
    Change(
        "drives/sim/cylinder_model.py",
        TWICE_OMEGA,
        TWICE_OMEGA.replace("2.0", repr(2.0 + 2**-51)),
        "run_hold_neutral_0",
    ),
    # The arm: kinematics, the space arm, the emulated robot, events.
    Change(
        POSE,
        "q_deg=np.degrees(q),\n        position_m=place",
        "q_deg=q,\n        position_m=place",
        ROBOT_FK,
    ),
    Change(POSE, "position_m=position,", "position_m=-position,", ARM_FK),
    Change(
        "sim/devices/arm/servo.py",
        "bandwidth_rad_s: float = 120.0",
        "bandwidth_rad_s: float = 119.0",
        "run_circle_on_rm01_0",
    ),
    Change(
        "sim/devices/arm/servo.py",
        "friction_known: float = 0.95",
        "friction_known: float = 0.5",
        "run_circle_on_rm01_0",
    ),
    Change(
        "hil/stations/arm/commands/advance.py",
        "_snapshot(one) for one in snapshots",
        "_snapshot(one) for one in snapshots[1:]",
        ADVANCE,
    ),
    Change(POSE, "posture=str(branch_of(geometry, q))", 'posture=""', ROBOT_FK),
    # Virtual environments.
    Change(WORLD, "math.degrees(figures.error_max_rad)", "figures.error_max_rad", MOVE),
    Change(WORLD, "steps=figures.steps", "steps=figures.steps + 1", MOVE),
    Change(WORLD, "ended=figures.ended", 'ended="done"', JOG),
    Change(
        "sim/world/control/laws.py",
        "w**3 * inertias",
        "1.000000001 * w**3 * inertias",
        MOVE,
    ),
    Change("sim/world/motion/profiles.py", "third / 6.0", "third / 6.000001", MOVE),
    Change(
        "sim/devices/arm/exoskeleton.py", "math.radians(0.05)", "math.radians(0.06)", "world_send"
    ),
    Change(
        "hil/stations/world/commands/show.py",
        "drives=len(robot.drives)",
        "drives=len(robot.joints)",
        "world_list",
    ),
    # Simulators.
    Change(
        "sim/hosts/ramp_script.py",
        "scaled(gravity, -1.0)",
        "scaled(gravity, -1.000001)",
        "host_spike_s0",
    ),
    Change(
        "hil/hosts/watch/watchdogs.py", "OUT_S: Final = 0.3", "OUT_S: Final = 0.31", "host_pause_s0"
    ),
    Change(
        "hil/stations/simulator/listening/host_list.py",
        "tells=sorted(kind.fields)",
        "tells=sorted(kind.fields)[1:]",
        "host_list",
    ),
    Change(
        "sim/hosts/flight.py",
        "Ramp(begin_s, 16.0, CRUISE_M_S)",
        "Ramp(begin_s, 16.1, CRUISE_M_S)",
        "host_reset_s0",
    ),
    # Diagrams.
    Change(WALL, "t >= END_S - 4.0", "t >= END_S - 3.0", "exercise_check_wall"),
    Change(WALL, "draw.uniform(1.6, 2.2)", "draw.uniform(1.6, 2.3)", "exercise_new_wall"),
    Change("hil/diagram/show/draw.py", "MARGIN: Final = 30", "MARGIN: Final = 31", "diagram_draw"),
    # Recordings, export, lists.
    Change("hil/recording/export.py", "else names)", "else names[:-1])", "export_world"),
    Change(EXPORT, '"" if cell != cell else cell', "cell", "export_platform"),
    Change(EXPORT, "repr(e.t_s)", "f'{e.t_s:.3g}'", "export_simulator"),
    Change(
        "hil/recording/events.py",
        'VIOLATION = "violation"',
        'VIOLATION = "objection"',
        "fault_disabled_0",
    ),
    Change("hil/cli/shipped_files.py", "station=one.station", 'station=""', "list"),
]
