"""One bus cycle on a Modbus gateway: every unit is asked, and each answer is proved its own.

Runs in the worker thread. A garbled answer is asked for once more, as long as time is left; an
answer that did not come is not, because it may still come. A unit that is busy (exception
6) is asked again after the others, as often as the cycle has time for. Whose answer comes too late
on a slow bus is the first of the next cycle: all units lose some of their cycles, none loses all.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from drives.modbus.codec import AxisOrder, CycleCodec, UnitAnswer
from drives.modbus.errors import (
    ModbusBusyError,
    ModbusError,
    ModbusGarbledError,
    ModbusStaleError,
)
from drives.modbus.gateway import ModbusGateway
from drives.modbus.register_map import RegisterMap
from drives.modbus.requests import CycleRequest, cut, cycle_requests

TRIES = 2
"""Most tries of a request in a cycle, the second time after a garbled answer."""


@dataclass(slots=True)
class CycleResult:
    """Result of one cycle so far, by unit; the loop may read it before it is complete."""

    answers: dict[int, UnitAnswer] = field(default_factory=dict)
    """Answers of this cycle."""
    errors: dict[int, ModbusError] = field(default_factory=dict)
    """Reasons why units have no answer."""
    sent: bool = False
    """Whether anything was put on the wire."""
    retries: int = 0
    """Requests that were repeated after a garbled answer."""
    busy: int = 0
    """Requests that were repeated because the unit was busy."""


class UnitExchange:
    """The requests of one unit in one cycle, sent one at a time.

    Args:
        unit: Who is asked.
        requests: How it is shared out among requests; as `cycle_requests` does if left out.
    """

    def __init__(
        self,
        map_: RegisterMap,
        unit: int,
        registers: Sequence[int],
        requests: Sequence[CycleRequest] | None = None,
    ) -> None:
        self._map = map_
        self.unit: int = unit
        self.registers: Sequence[int] = registers
        self._left = deque(cycle_requests(map_) if requests is None else requests)
        self.read: list[int] = []
        """What was read so far; the whole block once it is complete."""

    @property
    def complete(self) -> bool:
        """Whether every request was answered."""
        return not self._left

    def ask(self, gateway: ModbusGateway) -> None:
        """Send the next request; it stays the next one until it is answered.

        Raises:
            ModbusError: The class says the cause.
        """
        self.read += self._send(gateway, self._left[0])
        self._left.popleft()

    def _send(self, gateway: ModbusGateway, request: CycleRequest) -> list[int]:
        read, write = request.read, request.write
        read_from = 0 if read is None else self._map.read.address + read.offset
        if write is None:
            return [] if read is None else gateway.read(self.unit, read_from, read.count)
        write_to, values = self._map.write.address + write.offset, cut(self.registers, write)
        if read is None:
            gateway.write(self.unit, write_to, values)
            return []
        return gateway.read_write(self.unit, read_from, read.count, write_to, values)


class CycleRunner:
    """Runs bus cycles on a gateway."""

    def __init__(self, map_: RegisterMap, now_s: Callable[[], float]) -> None:
        self._map, self._now_s = map_, now_s
        self._codec = CycleCodec(map_)
        self._requests = cycle_requests(map_)
        self._sequence = self._first = 0
        self.written: dict[int, Sequence[int]] = {}
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
            orders: Words for the six drives.
            deadline_s: Monotonic time from which on nothing is sent any more [s].
            result: Takes what comes.
        """
        waiting = self._exchanges(orders)
        garbled, left = 0, None
        while waiting and not self._now_s() > deadline_s:
            exchange, sequence = waiting[0]
            unit, result.sent = exchange.unit, True
            self.written.pop(unit, None)
            try:
                exchange.ask(gateway)
                garbled = 0
                if not exchange.complete:
                    continue
                self.written[unit] = exchange.registers
                result.answers[unit] = self._answer(gateway, exchange, sequence)
                result.errors.pop(unit, None)
            except ModbusBusyError as error:
                result.errors[unit] = error
                result.busy += 1
                waiting.rotate(-1)
                continue
            except ModbusGarbledError as error:
                result.errors[unit] = error
                garbled += 1
                if garbled < TRIES:
                    result.retries += 1
                    continue
            except ModbusError as error:
                result.errors[unit] = error
            waiting.popleft()
            garbled = 0
            if self._now_s() > deadline_s:
                left = unit
        if waiting and left is None:
            left = waiting[0][0].unit
        self._first = 0 if left is None else self._map.units.index(left)

    def _exchanges(self, orders: Sequence[AxisOrder]) -> deque[tuple[UnitExchange, int]]:
        """Return what each unit is asked, with the number of that request, in order."""
        share = self._map.axes_per_unit
        found: deque[tuple[UnitExchange, int]] = deque()
        for index, unit in enumerate(self._map.units):
            self._sequence = self._sequence + 1 & 0xFFFF
            registers = self._codec.encode(
                self._sequence, orders[index * share : (index + 1) * share]
            )
            exchange = UnitExchange(self._map, unit, registers, self._requests)
            found.append((exchange, self._sequence))
        found.rotate(-self._first)
        return found

    def _answer(self, gateway: ModbusGateway, exchange: UnitExchange, sequence: int) -> UnitAnswer:
        answer = self._codec.decode(exchange.read)
        if answer.echo is not None and answer.echo != sequence:
            gateway.distrust()
            text = f"{gateway.url}: unit {exchange.unit} answers request {answer.echo}"
            raise ModbusStaleError(f"{text}, asked was request {sequence}")
        return answer
