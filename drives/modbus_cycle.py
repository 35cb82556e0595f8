"""One bus cycle on a Modbus gateway: every unit is asked once, and each answer is proved its own.

Runs in the worker thread. A garbled answer is asked for once more, as long as time is left; an
answer that did not come is not, because it may still be on its way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from drives.modbus_codec import AxisOrder, CycleCodec, UnitAnswer
from drives.modbus_errors import ModbusError, ModbusGarbledError, ModbusStaleError
from drives.modbus_gateway import ModbusGateway
from drives.register_map import RegisterMap

TRIES = 2
"""How often a unit is asked in a cycle at most, the second time after a garbled answer."""


@dataclass(slots=True)
class CycleResult:
    """What one cycle has brought so far, by unit; the loop may look before it is complete.

    Attributes:
        answers: Answers of this cycle.
        errors: Why a unit has no answer.
        sent: Whether anything was put on the wire.
        retries: Requests that were repeated after a garbled answer.
    """

    answers: dict[int, UnitAnswer] = field(default_factory=dict)
    errors: dict[int, ModbusError] = field(default_factory=dict)
    sent: bool = False
    retries: int = 0


class CycleRunner:
    """Runs bus cycles on a gateway.

    Args:
        map_: What is written and read.
        now_s: Monotonic time [s].
    """

    def __init__(self, map_: RegisterMap, now_s: Callable[[], float]) -> None:
        self._map, self._now_s = map_, now_s
        self._codec = CycleCodec(map_)
        self._sequence = 0
        self.written: dict[int, list[int]] = {}
        """Registers that each unit was given last; of one that did not answer, none is known."""

    def run(
        self,
        gateway: ModbusGateway,
        orders: Sequence[AxisOrder],
        deadline_s: float,
        result: CycleResult,
    ) -> None:
        """Ask every unit, and stop when the loop has given up: no setpoint goes out late.

        Args:
            gateway: Who is asked.
            orders: Words for the six drives.
            deadline_s: Monotonic time from which on nothing is sent any more [s].
            result: Takes what comes.
        """
        share = self._map.axes_per_unit
        for index, unit in enumerate(self._map.units):
            words = orders[index * share : (index + 1) * share]
            for attempt in range(TRIES):
                if self._now_s() > deadline_s:
                    return
                result.retries += attempt
                result.sent = True
                try:
                    result.answers[unit] = self._ask(gateway, unit, words)
                    result.errors.pop(unit, None)
                    break
                except ModbusGarbledError as error:
                    result.errors[unit] = error
                except ModbusError as error:
                    result.errors[unit] = error
                    break

    def _ask(self, gateway: ModbusGateway, unit: int, orders: Sequence[AxisOrder]) -> UnitAnswer:
        self._sequence = self._sequence + 1 & 0xFFFF
        read, write = self._map.read, self._map.write
        self.written.pop(unit, None)
        block = self._codec.encode(self._sequence, orders)
        registers = gateway.read_write(unit, read.address, read.count, write.address, block)
        self.written[unit] = block
        answer = self._codec.decode(registers)
        if answer.echo is not None and answer.echo != self._sequence:
            gateway.distrust()
            text = f"{gateway.url}: unit {unit} answers request {answer.echo}"
            raise ModbusStaleError(f"{text}, asked was request {self._sequence}")
        return answer
