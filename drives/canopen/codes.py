"""The error code of each drive in a cycle, and who says so: the drive, or the bench."""

from drives.axes.sequence import SixAxes
from drives.bank import DriveState, SixStates
from drives.canopen.exchange import CycleBus
from drives.canopen.settings import CanopenSettings
from drives.canopen.watch import ERROR_PASSIVE, GENERIC_ERROR, Watch
from hil_common.legs import LEG_COUNT, SixBools, SixInts


class DriveCodes:
    """Error codes of six drives.

    Args:
        watch: Knows what the nodes send beside their PDOs.
        axes: Knows whose homing failed.
        bus: Knows which adapter is error passive.
    """

    def __init__(
        self, watch: Watch, axes: SixAxes, bus: CycleBus, settings: CanopenSettings
    ) -> None:
        self._watch, self._axes, self._bus, self._settings = watch, axes, bus, settings
        self._faulted = [False] * LEG_COUNT

    @property
    def faulted(self) -> bool:
        """Whether a drive was in fault when the codes were last asked for."""
        return any(self._faulted)

    def of_cycle(self, now_s: float, states: SixStates) -> tuple[SixInts, SixBools]:
        """Return the error code of each drive, and whether it is the bench that judges so.

        Those that were acknowledged are forgotten.
        """
        faulted = [state is DriveState.FAULT for state in states]
        if faulted != self._faulted:
            for leg in range(LEG_COUNT):
                if self._faulted[leg] and not faulted[leg]:
                    self._watch.forgive(leg)
            self._faulted = faulted
        codes, judged = [0] * LEG_COUNT, [False] * LEG_COUNT
        judgements, homing = self._watch.judgements(now_s), self._axes.homing_codes
        for leg, notes in enumerate(self._watch.nodes):
            codes[leg] = judgements[leg] or notes.fault_code
            judged[leg] = judgements[leg] != 0
            if codes[leg]:
                continue
            if self._bus.passive(self._settings.bus_of_leg[leg]):
                codes[leg], judged[leg] = ERROR_PASSIVE, True
            elif homing[leg]:
                codes[leg], judged[leg] = homing[leg], True
            elif faulted[leg]:
                codes[leg] = GENERIC_ERROR
        a, b, c, d, e, f = codes
        h, i, j, k, m, n = judged
        return (a, b, c, d, e, f), (h, i, j, k, m, n)
