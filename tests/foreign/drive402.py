"""A CiA 402 drive with a rod: states, modes, stops, following error (IEC 61800-7-201)."""

from dataclasses import dataclass, field

from demand import Demand
from electro_cylinder import NEGATIVE_LIMIT, POSITIVE_LIMIT, ElectroCylinder
from habits import Habits
from homing import INDEX_PULSES, ON_THE_SPOT, SEARCHES, Homing
from object_dictionary import INVALID_VALUE, AbortError, ObjectDictionary, Row
from power_states import TRANSITIONS, Command, State, command_of
from units import Mechanics

PP, HM, IP, CSP = 1, 6, 7, 8
FOLLOWING_ERROR, HOMING_FAILED = 0x8611, 0x8612
STANDING_M_S = 1e-4
FASTEST_STOP_M_S2 = 20.0


@dataclass(slots=True)
class Drive402:
    """One drive.

    Args:
        objects: its dictionary.
        rod: what it moves.
        mechanics: encoder, gear and screw.
        habits: its ways.
        sign: 1 if its counts grow outwards.
        zero_m: place of the rod where its encoder says 0.
    """

    objects: ObjectDictionary
    rod: ElectroCylinder
    mechanics: Mechanics
    habits: Habits
    sign: int = 1
    zero_m: float = 0.0
    state: State = State.SWITCH_ON_DISABLED
    mode: int = 0
    error_code: int = 0
    news: list[int] = field(default_factory=list)
    """EMCY codes to send; 0: a fault has been reset."""
    moves: list[str] = field(default_factory=list)
    """What was begun: "enabled", "homing", for the judge."""
    _demand: Demand = field(default_factory=Demand)
    _controlword: int = 0
    _edges: int = 0
    _leaving: State | None = None
    enabled_s: float = 0.0
    _enabling_s: float = -1.0
    _off_track_s: float = 0.0
    _homing: Homing | None = None
    _speed_given: bool = False
    """A master sends a velocity offset, which takes the place of the drive's own feed-forward."""
    _homed: bool = False
    _homing_error: bool = False
    _position_m: float = 0.0
    _speed_m: float = 0.0
    _acceleration_m: float = 0.0

    def __post_init__(self) -> None:
        self.objects.guards.append(self._guard)
        self.objects.written.append(self._written)
        self._homed = self.habits.absolute
        self._read_units()
        rows = self.objects.rows
        for key, live in {
            (0x6041, 0): self.statusword,
            (0x6061, 0): self._mode_shown,
            (0x603F, 0): lambda: self.error_code,
            (0x6062, 0): lambda: self._count(self._demand.place_m),
            (0x6064, 0): lambda: self._count(self.rod.place_m),
            (0x606C, 0): lambda: round(self.sign * self.rod.speed_m_s / self._speed_m),
            (0x6077, 0): lambda: self.sign * self.rod.torque_per_mille if self._powered else 0,
            (0x60F4, 0): lambda: wrapped(
                self._count(self._demand.place_m) - self._count(self.rod.place_m)
            ),
            (0x60FD, 0): self._inputs,
        }.items():
            if key in rows:
                rows[key].live = live
        if self.habits.found_enabled:
            self.state, self.mode = State.ENABLED, CSP
            self._demand.hold(self.rod.place_m)
            rows[0x607A, 0].value = self._count(self.rod.place_m)
        if self.habits.found_faulty:
            self.state, self.error_code = State.FAULT, FOLLOWING_ERROR

    def hold_here(self) -> None:
        """The rod was moved by hand."""
        self._demand.hold(self.rod.place_m)

    def reset(self) -> None:
        """NMT reset node: nothing is enabled, the reference is lost."""
        faulty = self.state in (State.FAULT, State.FAULT_REACTION) or self.habits.found_faulty
        self.state = State.FAULT if faulty else State.SWITCH_ON_DISABLED
        self.mode, self.error_code = 0, FOLLOWING_ERROR if faulty else 0
        self._controlword, self._edges, self._leaving, self._enabling_s = 0, 0, None, -1.0
        self._homing, self._homed, self._homing_error = None, self.habits.absolute, False
        self._read_units()

    # --- units ----------------------------------------------------------------------------------

    def _read_units(self) -> None:
        known = zip((0x60A8, 0x60A9, 0x60AA), self.habits.unit_words, strict=True)
        position, speed, acceleration = (self.objects.number(i, 0, word) for i, word in known)
        self._position_m = self.mechanics.metres(position) * self.habits.position_factor
        self._speed_m = self.mechanics.rate(speed) * self.habits.speed_factor
        rate = self.mechanics.rate(acceleration)
        self._acceleration_m = rate * self.habits.acceleration_factor

    def _count(self, place_m: float) -> int:
        """What a counter of 32 bits shows at a place: it goes round."""
        return wrapped(round(self.sign * (place_m - self.zero_m) / self._position_m))

    def _place(self, count: int) -> float:
        """The place of a count, of those that it stands for the one nearest to the rod."""
        way = wrapped(count - self._count(self.rod.place_m))
        return self.rod.place_m + self.sign * way * self._position_m

    def _inputs(self) -> int:
        bits = self.rod.inputs
        if self.sign < 0:  # the negative limit is that of the negative direction of counting
            ends = bits & (NEGATIVE_LIMIT | POSITIVE_LIMIT)
            bits = bits & ~3 | (ends << 1 | ends >> 1) & 3
        return bits

    def _acceleration(self, index: int) -> float:
        return self.objects.number(index, 0) * self._acceleration_m or FASTEST_STOP_M_S2

    # --- what is written ------------------------------------------------------------------------

    def _guard(self, index: int, sub: int, value: int) -> None:
        if index == 0x6098 and value not in (0, *self.habits.homing_methods):
            raise AbortError(INVALID_VALUE)
        if index in (0x60A8, 0x60A9, 0x60AA):
            try:
                self.mechanics.metres(value)
            except KeyError:
                raise AbortError(INVALID_VALUE) from None

    def _written(self, index: int, sub: int, value: int) -> None:
        if index == 0x6040:
            self._command(value)
        elif index in (0x60A8, 0x60A9, 0x60AA):
            self._read_units()
        elif (index, self.mode) in ((0x607A, CSP), (0x60C1, IP)):
            self._follow()
        elif index == 0x60B1:
            self._speed_given = self._speed_given or value != 0

    def _command(self, controlword: int) -> None:
        rising = controlword & ~self._controlword
        self._controlword = controlword
        if self.state is State.FAULT:
            self._edges += bool(rising & 0x80)
            if self._edges >= self.habits.reset_edges:
                self._edges, self.error_code, self.state = 0, 0, State.SWITCH_ON_DISABLED
                self.news.append(0)
            return
        command = command_of(controlword)
        if self.state is State.FAULT_REACTION:
            return
        if self._leaving is not None:
            if command is not Command.DISABLE_VOLTAGE:
                return
            self._leaving = None
        following = TRANSITIONS.get((self.state, command))
        if following is not None:
            self._go(following, command)
        if self.state is State.ENABLED:
            self._start_or_stop(rising)

    def _go(self, following: State, command: Command) -> None:
        if following is State.ENABLED and self.state is State.QUICK_STOP:
            if self.objects.number(0x605A, 0, 2) in (5, 6, 7, 8):
                self.state = State.ENABLED
            return
        if following is State.ENABLED:
            self._enabling_s = 0.0 if self._enabling_s < 0.0 else self._enabling_s
            return
        self._enabling_s = -1.0
        if self.state is not State.ENABLED or command is Command.DISABLE_VOLTAGE:
            self.state, self._homing = following, None
            return
        if command is Command.QUICK_STOP:
            self._quick_stop()
            return
        option = self.objects.number(0x605B if command is Command.SHUTDOWN else 0x605C, 0, 1)
        if option == 1:
            self._demand.ramp_down(self._acceleration(0x6084))
            self._homing, self._leaving = None, following
        else:
            self.state = following

    def _quick_stop(self) -> None:
        option = self.objects.number(0x605A, 0, 2)
        self._homing = None
        if option == 0:
            self.state = State.SWITCH_ON_DISABLED
            return
        self.state = State.QUICK_STOP
        self._demand.ramp_down(self._acceleration(0x6084 if option in (1, 5) else 0x6085))
        self._leaving = None if option >= 5 else State.SWITCH_ON_DISABLED

    def _start_or_stop(self, rising: int) -> None:
        if self._controlword & 0x100 and self.mode in (HM, PP):
            self._demand.ramp_down(self._acceleration(0x6084))
            self._homing = None
        elif self.mode == HM and rising & 0x10:
            self._begin_homing()
        elif self.mode == HM and not self._controlword & 0x10 and self._homing is not None:
            self._demand.ramp_down(self._acceleration(0x609A))
            self._homing = None
        elif self.mode == PP and rising & 0x10:
            place = self._place(self.objects.number(0x607A))
            if self._controlword & 0x40:
                place += self._demand.place_m - self.zero_m
            self._demand.profile(
                place,
                abs(self.objects.number(0x6081)) * self._speed_m,
                self._acceleration(0x6083),
            )

    def _begin_homing(self) -> None:
        method = self.objects.number(0x6098)
        self._homed, self._homing_error = False, False
        if method not in SEARCHES and method not in ON_THE_SPOT and method not in INDEX_PULSES:
            self._homing_error = True
            return
        self.moves.append("homing")
        speeds = [self.objects.number(0x6099, sub) * self._speed_m for sub in (1, 2)]
        fastest = self.objects.number(0x607F, 0, 0) * self._speed_m or self.rod.speed_max_m_s
        self._homing = Homing(
            method,
            (min(speeds[0], fastest), min(speeds[1], fastest)),
            self._acceleration(0x609A),
            self.sign,
            self.mechanics.lead_m / self.mechanics.gear,
        )

    # --- motion ---------------------------------------------------------------------------------

    @property
    def _powered(self) -> bool:
        return self.state in (State.ENABLED, State.QUICK_STOP, State.FAULT_REACTION)

    @property
    def _following(self) -> bool:
        """Whether cyclic setpoints are followed now."""
        if self.state is not State.ENABLED or self._leaving is not None:
            return False
        if self.mode == IP:
            return bool(self._controlword & 0x10)
        return self.mode == CSP and self.enabled_s >= self.habits.follows_s

    def _follow(self) -> None:
        if not self._following:
            return
        key = (0x60C1, 1) if self.mode == IP else (0x607A, 0)
        count = self.objects.number(*key)
        exponent = self.objects.number(0x60C2, 2, -3)
        period_s = self.objects.number(0x60C2, 1, 1) * 10.0**exponent
        self._demand.line(self._within_limits(self._place(count)), period_s)

    def _within_limits(self, place_m: float) -> float:
        low, high = self.objects.number(0x607D, 1), self.objects.number(0x607D, 2)
        count = self._count(place_m)
        if self._homed and low < high and not low <= count <= high:
            place_m = self._place(min(max(count, low), high))
        return place_m

    def step(self, dt_s: float) -> None:
        """One step of drive and rod."""
        self._take_mode()
        if self._enabling_s >= 0.0:
            self._enable(dt_s)
        if self._powered:
            self.enabled_s += dt_s
            self._lead(dt_s)
        self.rod.step(dt_s, self._demand.place_m, self._demanded_m_s(), powered=self._powered)
        if not self._powered:
            self._demand.hold(self.rod.place_m)

    def _demanded_m_s(self) -> float:
        if self.mode != CSP or not self._speed_given or not self._following:
            return self._demand.speed_m_s
        return self.sign * self.objects.number(0x60B1) * self._speed_m

    def _enable(self, dt_s: float) -> None:
        if self.state is State.READY:
            self.state = State.SWITCHED_ON
        self._enabling_s += dt_s
        if self._enabling_s >= self.habits.enable_s:
            self.state, self._enabling_s, self.enabled_s = State.ENABLED, -1.0, 0.0
            self._off_track_s = 0.0
            self._demand.hold(self.rod.place_m)
            self.moves.append("enabled")

    def _lead(self, dt_s: float) -> None:
        if self._homing is not None:
            self._home()
        if self.mode == CSP and self._following and self.enabled_s - dt_s < self.habits.follows_s:
            self._follow()
        blocked = NEGATIVE_LIMIT if self._demand.speed_m_s < 0.0 else POSITIVE_LIMIT
        if self.rod.inputs & blocked and self._demand.speed_m_s and self._homing is None:
            self._demand.hold(self.rod.place_m)
        self._demand.advance(dt_s)
        self._watch_error(dt_s)
        standing = self._demand.at_rest and abs(self.rod.speed_m_s) < STANDING_M_S
        if self._leaving is not None and standing:
            self.state, self._leaving = self._leaving, None

    def _home(self) -> None:
        assert self._homing is not None
        try:
            home_m = self._homing.step(self._demand, self._inputs(), self.rod.place_m)
        except LookupError:
            self._homing, self._homing_error = None, True
            self._demand.ramp_down(self._acceleration(0x609A))
            return
        if home_m is not None:
            self._homing, self._homed = None, True
            offset = self.objects.number(0x607C, 0, 0)
            self.zero_m = home_m - self.sign * offset * self._position_m

    def _watch_error(self, dt_s: float) -> None:
        window = self.objects.number(0x6065, 0, 0)
        if not window or window == 0xFFFF_FFFF or self.state is not State.ENABLED:
            return
        error = abs(self._demand.place_m - self.rod.place_m) / self._position_m
        self._off_track_s = self._off_track_s + dt_s if error > window else 0.0
        if self._off_track_s > self.objects.number(0x6066, 0, 0) * 1e-3:
            self.fault(FOLLOWING_ERROR)

    def _take_mode(self) -> None:
        wanted = self.objects.number(0x6060)
        if wanted == self.mode or self._homing is not None:
            return
        if self.habits.mode_shown_when_enabled and self.state is not State.ENABLED:
            return
        self.mode = wanted
        if self._powered:
            self._demand.hold(self._demand.place_m)
            self.enabled_s = 0.0

    # --- faults and stops that nobody commanded -------------------------------------------------

    def fault(self, code: int) -> None:
        """Trip: react as 605Eh says, then be in fault."""
        self.news.append(code)
        if self.state in (State.FAULT, State.FAULT_REACTION):
            return
        self.error_code, self._edges, self._homing = code, 0, None
        self._enabling_s = -1.0
        option = self.objects.number(0x605E, 0, 2)
        if not self._powered or option == 0:
            self.state, self._leaving = State.FAULT, None
            return
        self.state, self._leaving = State.FAULT_REACTION, State.FAULT
        self._demand.ramp_down(self._acceleration(0x6084 if option == 1 else 0x6085))

    def connection_lost(self, code: int) -> None:
        """React as the abort connection option code says (6007h)."""
        if not self.habits.watchdog_acts:
            self.news.append(code)
            return
        match self.objects.number(0x6007, 0, 1):
            case 1:
                self.fault(code)
            case 2:
                self.news.append(code)
                if self._powered:
                    self.state, self._homing, self._leaving = State.SWITCH_ON_DISABLED, None, None
            case 3:
                self.news.append(code)
                if self.state is State.ENABLED:
                    self._quick_stop()
            case _:
                self.news.append(code)

    # --- what is read ---------------------------------------------------------------------------

    def _mode_shown(self) -> int:
        return self.mode

    def statusword(self) -> int:
        """6041h now."""
        word = self.state.value
        word |= 0x10  # voltage enabled
        word |= 0x200 if self.habits.remote_bit else 0
        if self.mode == HM:
            resting = self._demand.at_rest and self._homing is None
            word |= 0x400 if resting and not self._homing_error else 0
            word |= 0x1000 if self._homed and resting else 0
            word |= 0x2000 if self._homing_error else 0
        elif self.mode == CSP:
            word |= 0x1000 if self._following and self.habits.follows_bit else 0
        elif self.mode == IP:
            word |= 0x1000 if self._following else 0
        elif self.mode == PP:
            word |= 0x400 if self._demand.at_rest else 0
            word |= 0x1000 if self._controlword & 0x10 else 0
        return word


def wrapped(count: int) -> int:
    """A count as a signed number of 32 bits, which follows its largest with its least."""
    return (count + 0x8000_0000) % 0x1_0000_0000 - 0x8000_0000


def identity_rows(vendor: int, product: int, serial: int, name: str) -> dict[tuple[int, int], Row]:
    """1008h and 1018h."""
    return {
        (0x1008, 0): Row("s", name, "const"),
        (0x1018, 0): Row("B", 4, "const"),
        (0x1018, 1): Row("I", vendor, "ro"),
        (0x1018, 2): Row("I", product, "ro"),
        (0x1018, 3): Row("I", 0x0001_0002, "ro"),
        (0x1018, 4): Row("I", serial, "ro"),
    }
