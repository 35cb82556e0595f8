"""Station `pendulum` as everybody else sees it; what computes is imported when it is called."""

from importlib import import_module

from hil.config.file_kind import FileKind
from hil.recording.signals import CODE, Signal, Signals
from hil.run.station import CheckFinding, Section, Shape, Station, Views

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


def _own(module, name):
    return getattr(import_module(f"hil_pendulum.{module}"), name)


def _findings(told):
    most, limit = told["angle_rad"], told["limit_rad"]
    return (CheckFinding("pendulum", "angle", most, limit, "rad", None, most > limit),)


STATION = Station(
    name="pendulum",
    scenarios=FileKind(
        name="pendulum scenario",
        schema="pendulum-scenario",
        station="pendulum",
        model=lambda: _own("pendulum", "SwingScenario"),
        check=lambda table, file: _own("pendulum", "SwingScenario").build(table, str(file)),
    ),
    signals=SIGNALS,
    load=lambda request: _own("run", "load")(request),
    prove=lambda scenario, request: _own("run", "prove")(scenario, request),
    play=lambda scenario, opening: _own("run", "swing")(scenario, opening),
    sections=(Section("swing", "hil_pendulum.report:swing", "How it swung"),),
    views=Views(
        lamps=dict(zip(MODES, LAMPS, strict=True)),
        margins=lambda scenario: _own("scene", "margins_of")(scenario),
        first_traces=("angle_rad",),
        moving=("swinging",),
        advice={"angle": "Drive it with less torque, or further from its own frequency."},
        findings=_findings,
    ),
    scene=lambda header: (_own("scene", "PendulumScene")(header),),
)
