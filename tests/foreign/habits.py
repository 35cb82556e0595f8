"""How slaves behave that a dictionary does not show."""

from dataclasses import dataclass

from units import ACCELERATION_INCREMENTS, POSITION_INCREMENTS, SPEED_INCREMENTS


@dataclass(frozen=True, slots=True)
class Habits:
    """One slave's ways.

    Args:
        sdo_delay_s: before each SDO response.
        sdo_size_told: expedited uploads tell their size.
        boot_s: from power-up or reset to the boot-up message.
        enable_s: from the command to operation enabled: brakes open, phases are found.
        follows_bit: bit 12 of the statusword is set in csp when setpoints are followed.
        follows_s: setpoints are followed, and told so, this long after enabling.
        remote_bit: bit 9 of the statusword.
        mode_shown_when_enabled: 6061h follows 6060h only in operation enabled.
        reset_edges: rising edges of bit 7 that a fault wants.
        mapping_before_operational: PDOs can be mapped in PRE-OPERATIONAL only.
        stamp: index of a time stamp of microseconds, 0: none.
        feedback_delay_syncs: TPDOs are sent so many SYNCs late.
        speed_factor: its unit of speed is so many of what its dictionary says.
        acceleration_factor: its unit of acceleration.
        position_factor: its unit of position.
        sync_timeout_cycles: cycles of 1006h or 60C2h without SYNC that are a fault; 0: none.
        found_enabled: power-up finds it in operation enabled, as another master left it.
        found_faulty: power-up finds it in fault, with the cause gone.
        watchdog_acts: a lost connection is followed by a stop; else it is told and nothing is done.
        busy: abort code that each object gives to its first transfers, and to how many.
        guards_at_once: life guarding begins in OPERATIONAL, and not with the first request.
        falls_s: it leaves OPERATIONAL by itself, under power, this long after it was enabled; 0:
            never.
        absolute: the encoder keeps its count without power.
        homing_methods: of 6098h.
        unit_words: of position, speed, acceleration, where 60A8h to 60AAh are not there.
    """

    sdo_delay_s: float = 0.0
    sdo_size_told: bool = True
    boot_s: float = 0.1
    enable_s: float = 0.05
    follows_bit: bool = True
    follows_s: float = 0.0
    remote_bit: bool = True
    mode_shown_when_enabled: bool = False
    reset_edges: int = 1
    mapping_before_operational: bool = False
    stamp: int = 0
    feedback_delay_syncs: int = 0
    speed_factor: float = 1.0
    acceleration_factor: float = 1.0
    position_factor: float = 1.0
    sync_timeout_cycles: int = 0
    found_enabled: bool = False
    found_faulty: bool = False
    watchdog_acts: bool = True
    busy: tuple[int, int] = (0, 0)
    guards_at_once: bool = False
    falls_s: float = 0.0
    absolute: bool = False
    homing_methods: tuple[int, ...] = (17, 18, 19, 21, 23, 27, 33, 34, 35, 37)
    unit_words: tuple[int, int, int] = (
        POSITION_INCREMENTS,
        SPEED_INCREMENTS,
        ACCELERATION_INCREMENTS,
    )
