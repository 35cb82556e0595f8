"""Trying every promise of a bank of drives, and saying what became of each."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from drives.bank import DriveBank
from drives.contract.kit import NO_FAULT, BankKit, BrokenPromiseError, GuidedBank, require
from drives.contract.promises import HOMED, NEW, HomedCheck, NewCheck


@dataclass(frozen=True, slots=True)
class Promise:
    """What became of one promise."""

    name: str
    """Which one."""
    broken: str
    """What was seen instead; empty if it is kept."""


def try_bank(kit: BankKit, report: Callable[[Promise], None]) -> tuple[Promise, ...]:
    """Try all promises of a bank, each told as soon as it is judged.

    Each of `NEW` makes and closes a bank; the others share one, closed at the end.
    """
    made: list[Promise] = []

    def judge(name: str, attempt: Callable[[], None]) -> bool:
        broken = ""
        try:
            attempt()
        except BrokenPromiseError as error:
            broken = str(error)
        except (Exception, SystemExit) as error:  # whatever the bank does
            broken = f"raised {type(error).__name__}: {error}"
        made.append(Promise(name, broken))
        report(made[-1])
        return not broken

    for new in NEW:
        judge(new.__name__, lambda new=new: _with_new(kit, new))
    shared: list[GuidedBank] = []
    if judge("homes", lambda: shared.append(_homed(kit))):
        for check in HOMED:
            judge(check.__name__, lambda check=check: _with_homed(shared[0], check))
        judge("closes", lambda: _closed(shared[0].bank))
    return tuple(made)


def _with_new(kit: BankKit, check: NewCheck) -> None:
    bank = kit.build()
    try:
        check(kit, bank)
    finally:
        with suppress(Exception):  # that it closes well is a promise of its own
            bank.close()


def _homed(kit: BankKit) -> GuidedBank:
    bank = kit.build()
    try:
        bank.configure()
        led = GuidedBank(kit, bank)
        led.disable()
        led.home()
    except BaseException:
        with suppress(Exception):
            bank.close()
        raise
    return led


def _with_homed(led: GuidedBank, check: HomedCheck) -> None:
    led.disable()  # acknowledges what a pause may have done to real drives
    try:
        check(led)
        codes = led.bank.exchange(None).fault_code
        require(codes == NO_FAULT, f"it leaves the fault codes {codes}")
    finally:
        led.lead_back()


def _closed(bank: DriveBank) -> None:
    bank.close()
    bank.close()
