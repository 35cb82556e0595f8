"""What the recording of an arm run says of itself: scenario, machines, date, versions."""

import numpy as np

from hil.recording.header import SIMULATED, RunHeader
from hil.run.facts import run_facts
from hil.stations.arm.prepare import ArmProof
from hil.stations.arm.report.machines import ArmMachines
from hil.stations.arm.scenario import SIM_URL, ArmPlan
from hil.stations.arm.signals import SIGNALS
from hil.timing.clock import Moment
from sim.world.space_arm.simulator import TICK_S

VERSIONED = ("numpy", "scipy", "numba", "mcap")


def run_header(prepared: ArmProof, started: Moment) -> RunHeader:
    """The header of a run's recording, with all that its report needs."""
    plan = prepared.plan
    return RunHeader(
        SIGNALS,
        {
            "scenario": plan.scenario.name,
            "space_arm": plan.space_arm.name,
            "robot": robot_line(plan),
            SIMULATED: "robot" if _simulated(plan) else "",
            "clock": plan.scenario.clock,
            "period_s": repr(TICK_S),
            "seed": str(plan.scenario.seed),
            "scale": repr(plan.scenario.mapping.scale),
            **run_facts(plan.scenario.clock, started, VERSIONED),
            "station": SIGNALS.station,
        },
        plan.model_dump(mode="json") | {"machines": _machines(prepared).to_json()},
    )


def _machines(prepared: ArmProof) -> ArmMachines:
    plan = prepared.plan
    return ArmMachines(
        space=plan.space_arm,
        robot=plan.robot.geometry(),
        period_s=TICK_S,
        gripper_speed_max_m_s=plan.robot.gripper_speed_max_m_s,
        alignment=np.asarray(prepared.mapping.alignment),
        scale=prepared.mapping.scale,
        X_WG0=prepared.mapping.X_WG0,
        X_RT0=prepared.mapping.X_RT0,
    )


def _simulated(plan: ArmPlan) -> bool:
    devices = plan.scenario.devices
    return devices.arm == SIM_URL or bool(devices.in_place_of)


def robot_line(plan: ArmPlan) -> str:
    """The robot of a run in one line; an emulated one can never be taken for a real one."""
    devices = plan.scenario.devices
    instead = f", in place of {devices.in_place_of}, which was not there"
    place = instead if devices.in_place_of else ""
    return f"{'SIMULATED ' if _simulated(plan) else ''}{plan.robot.name} ({devices.arm}{place})"
