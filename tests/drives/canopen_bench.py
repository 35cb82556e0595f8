"""CANopen banks on the emulated rack, in one thread and on a virtual clock."""

from dataclasses import dataclass, replace

from bench_copies import copied
from memory_bus import MemoryBus, PacedBank, VirtualTime

from drives.axes.scaling import LegScale
from drives.bank import DriveGoal, DriveState
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import CanopenSettings
from drives.waits import Wait
from sim.devices.can.object_entry import DictionaryEntry, Group
from sim.devices.can.rack import CanRack
from sim.devices.drive.parameters import RackSettings

PERIOD_S = 0.004
REFERENCE_M = 0.7


def six(value):
    return (value,) * 6


SETTINGS = CanopenSettings(
    length_min_m=six(0.675),
    length_max_m=six(1.405),
    speed_max_m_s=six(0.6),
    acceleration_max_m_s2=six(8.0),
    quick_stop_deceleration_m_s2=six(6.0),
    rated_force_n=six(4000.0),
    homing_speed_m_s=0.05,
    homing_zero_speed_m_s=0.02,
    homing_acceleration_m_s2=2.0,
)
SCALES = tuple(LegScale(1e6, 1, REFERENCE_M + 0.01 * leg) for leg in range(6))


@dataclass
class Bench:
    bank: PacedBank
    rack: CanRack
    buses: list
    time: VirtualTime


def bench(
    settings=SETTINGS, *, scales=SCALES, period_s=PERIOD_S, seed=5, cut_m_s=None, place=None, **rack
):
    time = VirtualTime(100.0)
    emulated = CanRack(
        RackSettings(buses=settings.bus_of_leg, **{"start_spread_m": 0.002} | rack), seed=seed
    )
    buses = [MemoryBus(emulated, time, number) for number in range(settings.buses)]
    proofs = {"cut_m_s": cut_m_s, "place": place}
    bank = CanopenBank(buses, settings, scales, period_s, now_s=time.now_s, url="memory:", **proofs)
    return Bench(PacedBank(bank, time, period_s), emulated, buses, time)


def until(bank, condition, limit=1500):
    """Exchange without a command; the first feedback of which the condition holds."""
    for _ in range(limit):
        feedback = bank.exchange(None)
        if condition(feedback):
            return feedback
    raise AssertionError(f"not reached: {feedback}; {bank.waiting}")


ENABLED = (DriveState.ENABLED,) * 6


@copied(Wait, DictionaryEntry, Group)
def enabled(*arguments, **changes):
    """A bench whose drives are homed and enabled, what it told when set up, and its feedback.

    It is brought there once; arguments as of `bench`.
    """
    made = bench(*arguments, **changes)
    report = made.bank.configure()
    made.bank.request(DriveGoal.HOMED)
    until(made.bank, lambda f: all(f.homed))
    made.bank.request(DriveGoal.ENABLED)
    return made, report, until(made.bank, lambda f: f.state == ENABLED)


# The contract commands steps that no real gate would let through.
PATIENT = replace(SETTINGS, following_window_m=1.0)


def canopen_one_bus():
    return bench(PATIENT).bank


def canopen_two_buses():
    return bench(replace(PATIENT, bus_of_leg=(0, 0, 0, 1, 1, 1))).bank
