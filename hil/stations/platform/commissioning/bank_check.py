"""Trial of the promises of a bank of drives from the command line, at the cycles of a clock."""

from collections.abc import Callable
from contextlib import closing
from functools import partial

from drives.bank import DriveBank
from drives.contract.kit import BankKit, PacedBank
from drives.contract.trial import Promise, try_bank
from hil.config.errors import ConfigError, RefusedError
from hil.machines.rig.offered_banks import bank_offered
from hil.stations.platform.commissioning.drive_summaries import CheckBankSummary
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.spec import BankSpec, build_bank
from hil.stations.platform.plan.scenario import Plan
from hil.terminal.console import out, print_json, styled
from hil.timing.realtime import RealClock

ACCURACY_M = 5e-4
"""Accuracy with which a leg that is given time must reach and keep a place [m]."""
AT_REST_M_S = 1e-3
"""Highest speed that a leg at rest may report [m/s]."""


def check_and_show(plan: Plan, *, paced: bool, real: bool, as_json: bool) -> bool:
    """Try the promises of a plan's bank, a line each; returns whether all are kept.

    Args:
        paced: whether the cycles are those of the real clock.
        real: whether drives that are not simulated may be moved.

    Raises:
        ConfigError: if there is no such bank, or the rig does not describe its drives.
        RefusedError: if the drives are not simulated, and may not be moved.
    """
    kit = bank_kit(plan, paced=paced)
    if not real:
        _refuse_real(kit)
    promises = try_bank(kit, (lambda promise: None) if as_json else _show)
    ok = not any(promise.broken for promise in promises)
    if as_json:
        print_json(CheckBankSummary(ok=ok, url=plan.drives_url, promises=list(promises)))
    else:
        kept = sum(not promise.broken for promise in promises)
        out.print(f"{kept} of {len(promises)} promises are kept")
    return ok


def bank_kit(plan: Plan, *, paced: bool) -> BankKit:
    """Kit that makes and tries the bank of a plan; a foreign one without its watcher.

    Raises:
        ConfigError: as `check_and_show`.
    """
    spec, clock, period_s = bank_spec(plan), RealClock(), plan.scenario.period_s
    make = _maker(spec, clock.now_s)

    def build() -> DriveBank:
        bank = make()
        return PacedBank(bank, partial(next, clock.ticks(period_s))) if paced else bank

    return BankKit(spec.url, build, period_s, ACCURACY_M, AT_REST_M_S)


def _refuse_real(kit: BankKit) -> None:
    try:
        with closing(kit.build()) as bank:
            simulated = bank.configure().simulated
    except (Exception, SystemExit):  # for the promises to tell: each begins with these calls
        return
    if not simulated:
        raise RefusedError(
            f"nothing has moved: the drives at {kit.name} are not simulated, and would be led "
            "without the gate; with free room around them and a hand on the emergency stop: --real"
        )


def _maker(spec: BankSpec, now_s: Callable[[], float]) -> Callable[[], DriveBank]:
    from drives.plugin_bank import BankOrder

    if not spec.of_others:
        return lambda: build_bank(spec, now_s)
    offer = bank_offered(spec.scheme)
    if offer is None or offer.broken:
        why = "it is not installed" if offer is None else f"{offer.words}: {offer.broken}"
        raise ConfigError("URL", [f"{spec.url}: the bank cannot be used: {why}"])
    order = BankOrder.from_json(spec.settings["order"])
    return lambda: offer.value(order, now_s)


def _show(promise: Promise) -> None:
    name = promise.name.replace("_", " ")
    if promise.broken:
        out.print(styled("red", "broken"), f"{name}: {promise.broken}", soft_wrap=True)
    else:
        out.print(styled("green", "kept  "), name)
