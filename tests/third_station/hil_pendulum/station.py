"""Station `pendulum` as everybody else sees it; what computes is imported when it is called."""

from importlib import import_module

from hil.config.file_kind import FileKind
from hil.recording.signals import CODE, Signal, Signals
from hil.run.late_call import late_of
from hil.run.station import CheckFinding, Section, Shape, Station, Views

_own = late_of("hil_pendulum")
MODES = ("swinging", "braking", "resting", "tripped")
LAMPS = ("ok", Shape.MOVES), ("warn", Shape.STOPS), ("accent", Shape.REST), ("fault", Shape.FAULT)
SIGNALS = Signals(
    "pendulum",
    (
        Signal("index", "u8"),
        Signal("t_s", "f8", unit="s"),
        Signal("mode", "u1", unit=CODE, codes=MODES),
        Signal("asked_torque_nm", "f8", unit="N m"),
        Signal("allowed_torque_nm", "f8", unit="N m"),
        Signal("angle_rad", "f8", unit="rad"),
        Signal("rate_rad_s", "f8", unit="rad/s"),
    ),
)


def _findings(told):
    most, limit = told["angle_rad"], told["limit_rad"]
    return (CheckFinding("pendulum", "angle", most, limit, "rad", None, most > limit),)


STATION = Station(
    name="pendulum",
    scenarios=FileKind(
        name="pendulum scenario",
        schema="pendulum-scenario",
        station="pendulum",
        model=lambda: import_module("hil_pendulum.pendulum").SwingScenario,
    ),
    signals=SIGNALS,
    prove=_own("run:prove"),
    play=_own("run:swing"),
    sections=(Section("swing", "hil_pendulum.report:swing", "How it swung"),),
    views=Views(
        lamps=dict(zip(MODES, LAMPS, strict=True)),
        margins=_own("scene:margins_of"),
        first_traces=("angle_rad",),
        moving=("swinging",),
        advice={"angle": "Drive it with less torque, or further from its own frequency."},
        findings=_findings,
    ),
    scene=_own("scene:scenes_of"),
)
