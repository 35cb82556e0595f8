"""Between SI and the words of six drives: commands become orders, answers become measurements."""

from collections.abc import Sequence

from drives.axes.scaling import LegScale
from drives.axes.sequence import AxesWords
from drives.modbus.codec import AxisAnswer, AxisOrder
from drives.modbus.register_map import RegisterMap
from hil_common.legs import LEG_COUNT, LegTarget, SixFloats, SixInts, as_six

PER_MILLE = 1e-3
"""6077h counts thousandths of the rated force."""


class LegWords:
    """Conversion for six legs.

    Args:
        scales: Scale of each leg, 6.
        rated_force_n: Force that 1000 per mille mean, of each leg [N], 6.
    """

    def __init__(
        self, map_: RegisterMap, scales: Sequence[LegScale], rated_force_n: SixFloats
    ) -> None:
        self._scales, self._rated_n = tuple(scales), rated_force_n
        self._writes_speed = map_.write.has("target_speed")
        self._reads_inputs = map_.read.has("inputs")

    def counts(self, command: LegTarget) -> tuple[list[int], list[int]]:
        """Return targets [counts] and speeds [counts/s] of a command.

        Raises:
            DriveCommandError: If no 32-bit count represents a value.
        """
        lengths = zip(self._scales, command.length_m, strict=True)
        speeds = zip(self._scales, command.speed_m_s, strict=True)
        return [scale.counts(x) for scale, x in lengths], [
            scale.speed_counts(v) for scale, v in speeds
        ]

    def orders(self, words: AxesWords, speeds: Sequence[int] | None) -> list[AxisOrder]:
        """Return what goes to the drives; a leg that does not follow the command gets no speed."""
        return [
            AxisOrder(
                words.controlword[leg],
                words.mode[leg],
                words.target[leg],
                speeds[leg] if speeds is not None and words.commanded[leg] else 0,
            )
            for leg in range(LEG_COUNT)
        ]

    def accepted(self, words: AxesWords, orders: Sequence[AxisOrder]) -> LegTarget | None:
        """Return what was put on the wire, in SI; None if none of it was the caller's."""
        if not any(words.commanded):
            return None
        pairs = tuple(zip(self._scales, orders, strict=True))
        carried = self._writes_speed
        return LegTarget(
            as_six(scale.length_m(order.target_position) for scale, order in pairs),
            as_six(
                scale.speed_m_s(order.target_speed) if carried else 0.0 for scale, order in pairs
            ),
        )

    def measured(
        self, answers: Sequence[AxisAnswer]
    ) -> tuple[SixFloats, SixFloats, SixFloats, SixInts | None]:
        """Return lengths [m], speeds [m/s], forces [N] and inputs that the drives report."""
        pairs = tuple(zip(self._scales, answers, strict=True))
        forces = zip(pairs, self._rated_n, strict=True)
        return (
            as_six(scale.length_m(answer.position) for scale, answer in pairs),
            as_six(scale.speed_m_s(answer.speed) for scale, answer in pairs),
            as_six(
                scale.sign * answer.force * PER_MILLE * rated_n
                for (scale, answer), rated_n in forces
            ),
            as_six(answer.inputs for answer in answers) if self._reads_inputs else None,
        )
