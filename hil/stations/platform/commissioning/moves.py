"""Slow moves of the drives from the command line: homing and the test move."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rich.table import Table

from drives.bank import BankEnd
from hil.config.errors import RefusedError
from hil.recording.reader import Recording
from hil.run.end import Ran, summarize_conclusion
from hil.stations.platform.bench.run_sequence import RunResult, RunSequence
from hil.stations.platform.commissioning.drive_summaries import HomeSummary, LegTestSummary
from hil.stations.platform.commissioning.runs import play_moves
from hil.stations.platform.drives.certificate import (
    QUESTION,
    Proofs,
    all_passed,
    lacking,
    write_certificate,
)
from hil.stations.platform.drives.leg_test import LegTest, judge_test_move, switch_of
from hil.stations.platform.drives.setup import is_wired, watchdog_s
from hil.stations.platform.drives.watchdog_proof import CUT_LEG_M_S, WatchdogProof, limit_us
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.run.run_summary import drives_of, show_drives, show_powered
from hil.terminal.console import err, out, print_json, styled
from hil.terminal.run_end import show, show_end
from hil.terminal.run_products import Afterwards
from hil.timing.clock import utc_stamp
from hil.timing.stop import StopSignals

NAMELESS = (
    "a certificate: it belongs to certain drives, and these do not tell who they are "
    "(1018h; on Modbus function 43/14 or a register for serial_number)"
)


def home_and_show(plan: Plan, leg: int | None, folder: Path, *, as_json: bool) -> bool:
    """Home all legs or one, and show the result; returns whether all went well."""
    legs = () if leg is None else (leg,)
    course = RunSequence(engage=False, homing_legs=legs)
    with ExitStack() as until_shown:
        result = play_moves(plan, folder, quiet=as_json, course=course, until_shown=until_shown)
        after = Afterwards(result.end)
        path = result.recorder.path
        drives = after.make("figures", lambda: drives_of(Recording.open(path))) or "not known"
        homed = [number for number, homed in enumerate(result.homed, start=1) if homed]
        summary = HomeSummary(
            **summarize_conclusion(after.end),
            outcome=result.outcome.value,
            reason=result.reason,
            homed=homed,
            powered=list(result.link.powered),
        )
        ran = Ran(end=after.end, values=summary, show=partial(show_drives, drives))
        return show(ran, as_json=as_json)


def leg_test_and_show(
    plan: Plan, cuts: tuple[Plan, Plan], folder: Path, *, observer: str, as_json: bool
) -> bool:
    """Make the slow test move, cut the bench's frames twice, and keep the proofs.

    Args:
        cuts: plans played while the bench falls silent, at rest and in a slow move.
        folder: parent of a new folder for each recording.
        observer: person who watches and vouches; asked for at the end if empty.
        as_json: print one JSON object instead of tables.

    Returns:
        Whether all was passed.
    """
    with StopSignals() as stop_request:
        result = play_moves(plan, folder, quiet=as_json)
        after = Afterwards(result.end)
        tests, drives = after.make("test move", partial(_judged, plan, result)) or ((), "not known")
        moved = result.ok and not after.failed and all_passed(tests)
        if not as_json:
            show_end(after.end)
            show_drives(drives)
            _show_tests(tests)
        why = after.end.cause if after.failed else result.reason
        watchdog, left = None, [result.link]
        if moved and is_wired(plan.drives_url):
            watchdog, why = _cut(plan, cuts, folder, stop_request, left, quiet=as_json)
    powered = left[-1].powered
    stopped = (watchdog is None or watchdog.passed) and not powered
    if not as_json:
        _show_watchdog(watchdog, why)
        if moved and stopped and not (observer or result.drives.simulated):
            observer = _asked()
    proofs = Proofs(tests, watchdog, observer)
    passed = moved and stopped
    vouched = bool(observer) or result.drives.simulated
    with StopSignals():
        certificate, missing = None, list[str]()
        if passed and vouched:
            certificate, missing = _certify(plan, result, proofs)
        if as_json:
            print_json(
                LegTestSummary(
                    ok=passed and vouched,
                    reason=why or ("" if vouched else "nobody vouches: --witness NAME"),
                    legs=list(tests),
                    watchdog=watchdog,
                    powered=list(powered),
                    witness=observer,
                    lacking=missing,
                    certificate=None if certificate is None else str(certificate),
                    recording=str(result.recorder.path),
                )
            )
        else:
            _show_verdict(certificate, missing, passed=passed, vouched=vouched)
            show_powered(left[-1])
    return passed and vouched


def _certify(plan: Plan, result: RunResult, proofs: Proofs) -> tuple[Path | None, list[str]]:
    """Write the proofs of drives that have names; returns file and missing proofs of full speed."""
    if not any(result.drives.identities):
        return None, [] if result.drives.simulated else [NAMELESS]
    try:
        certificate = write_certificate(plan.rig, result.drives, proofs, stamp=utc_stamp())
    except OSError as error:
        raise RefusedError(f"passed, but the proof cannot be kept: {error}") from None
    return certificate, lacking(plan.rig, result.drives)


def _judged(plan: Plan, result: RunResult) -> tuple[tuple[LegTest, ...], str]:
    """Result of each leg in a test move, and the drives on which it was made."""
    recording = Recording.open(result.recorder.path)
    return judge_test_move(recording, switch_of(plan.rig)), drives_of(recording)


def _cut(
    plan: Plan,
    cuts: tuple[Plan, Plan],
    folder: Path,
    stop_request: StopSignals,
    left: list[BankEnd],
    *,
    quiet: bool,
) -> tuple[WatchdogProof, str]:
    """Play two short runs in which the bench falls silent; both end with the drives' own stop.

    Args:
        left: takes how the drives were left, run by run.

    Returns:
        The proof, and its faults in words. Nothing is played after a signal or a run in which the
        bench did not come to fall silent.
    """
    times: list[tuple[int, ...]] = []
    why = ""
    for cut, speed_m_s in zip(cuts, (0.0, CUT_LEG_M_S), strict=True):
        if stop_request.asked is not None:
            why = f"{stop_request.asked.name} asked for the end"
        if why:
            times.append(())
            continue
        if not quiet:
            where = f"at {speed_m_s * 1e3:g} mm/s" if speed_m_s else "at rest"
            err.print(f"now the bench falls silent {where}: each drive has to stop")
        try:
            result = play_moves(cut, folder, quiet=quiet, course=RunSequence(cut_m_s=speed_m_s))
        except RefusedError as error:
            raise RefusedError(
                f"the test move was passed; of the silence after it: {error}"
            ) from error
        left.append(result.link)
        times.append(result.link.cut_us)
        why = result.reason if result.link.powered or not times[-1] else ""
    at_rest, moving = times
    proof = WatchdogProof(limit_us(watchdog_s(plan), plan.scenario.period_s), at_rest, moving)
    return proof, "; ".join((*((why,) if why else ()), *proof.failures))


def _show_watchdog(proof: WatchdogProof | None, why: str) -> None:
    if proof is None:
        return
    if proof.passed:
        latest = max(*proof.rest_us, *proof.moving_us) * 1e-3
        out.print(
            f"silence: each drive stopped by itself, at most {latest:.0f} ms after the last frame "
            f"(limit {proof.limit_us * 1e-3:.0f} ms)"
        )
    if why:
        out.print(f"silence: {why}", style="red", soft_wrap=True)


def _show_verdict(
    certificate: Path | None, missing: list[str], *, passed: bool, vouched: bool
) -> None:
    if certificate is not None:
        out.print(styled("green", "passed"), f", kept in {certificate}", sep="", soft_wrap=True)
    elif passed and vouched:
        out.print(styled("green", "passed"))
    elif passed:
        out.print("passed on the wire, but nobody vouches for what the legs did: not kept")
    else:
        what = ": find the cause before anything moves fast"
        out.print(styled("red", "not passed"), what, sep="")
    for each in missing:
        out.print(f"no full speed yet, missing is {each}", soft_wrap=True)


def _show_tests(tests: tuple[LegTest, ...]) -> None:
    table = Table(
        "leg", "asked mm", "moved mm", "others mm", "home switch", "", box=None, pad_edge=False
    )
    for test in tests:
        text = "; ".join(test.faults)
        table.add_row(
            str(test.leg),
            f"{test.asked_m * 1e3:.2f}",
            f"{test.measured_m * 1e3:.2f}",
            f"{test.others_m * 1e3:.2f}",
            test.switch,
            styled("red", text) if text else styled("green", "ok"),
        )
    out.print(table)


def _asked() -> str:
    """Name of a person who answers the question with yes; empty from whoever does not."""
    try:
        if input(f"{QUESTION} [y/N] ").strip().lower() not in ("y", "yes"):
            return ""
        return input("Your name: ").strip()
    except (EOFError, KeyboardInterrupt):
        return ""
