"""Slow moves of the drives from the command line: homing and the test move."""

from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from hil.bench import Course
from hil.clock import utc_stamp
from hil.commissioning import LegTest, judge_test_move, write_certificate
from hil.console import RefusedError, out, print_json
from hil.recording.reader import Recording
from hil.runner import play, show_end
from hil.scenario import Plan

QUESTION = "Did the legs move one after the other, 1 to 6, each growing and going back?"


def home_and_show(plan: Plan, leg: int | None, folder: Path, *, as_json: bool) -> bool:
    """Home all legs or one, show how it went, and say whether all went well."""
    legs = () if leg is None else (leg,)
    result = play(plan, folder, quiet=as_json, course=Course(engage=False, homing_legs=legs))
    recording = Recording.open(result.recorder.path)
    if as_json:
        print_json(
            {
                "ok": result.ok,
                "outcome": result.outcome.value,
                "reason": result.reason,
                "homed": [number for number, homed in enumerate(result.homed, start=1) if homed],
                "recording": str(result.recorder.path),
            }
        )
    else:
        show_end(result, recording)
    return result.ok


def leg_test_and_show(plan: Plan, folder: Path, *, witnessed: bool, as_json: bool) -> bool:
    """Make the slow test move, judge it, keep the proof, and say whether it was passed."""
    result = play(plan, folder, quiet=as_json)
    recording = Recording.open(result.recorder.path)
    tests = judge_test_move(recording)
    passed = result.ok and len(tests) == 6 and not any(test.faults for test in tests)
    if not as_json:
        show_end(result, recording)
        _show_tests(tests)
        witnessed = witnessed or (passed and not result.drives.simulated and _asked())
    vouched = witnessed or result.drives.simulated
    certificate = None
    if passed and vouched and any(result.drives.identities):
        try:
            certificate = write_certificate(
                plan.rig, result.drives, tests, witnessed=witnessed, stamp=utc_stamp()
            )
        except OSError as error:
            raise RefusedError(f"passed, but the proof cannot be kept: {error}") from None
    if as_json:
        print_json(
            {
                "ok": passed and vouched,
                "reason": result.reason or ("" if vouched else "nobody vouches: --witnessed"),
                "legs": [asdict(test) for test in tests],
                "certificate": None if certificate is None else str(certificate),
                "recording": str(result.recorder.path),
            }
        )
    elif certificate is not None:
        out.print(f"[green]passed[/], kept in {certificate}", soft_wrap=True)
    elif passed and vouched:
        out.print("[green]passed[/]")
    elif passed:
        out.print("passed on the wire, but nobody vouches for what the legs did: not kept")
    else:
        out.print("[red]not passed[/]: find the cause before anything moves fast")
    return passed and vouched


def _show_tests(tests: tuple[LegTest, ...]) -> None:
    table = Table(
        "leg", "asked mm", "moved mm", "others mm", "home switch", "", box=None, pad_edge=False
    )
    words = {None: "not read", True: "left", False: "still on"}
    for test in tests:
        told = "; ".join(test.faults)
        table.add_row(
            str(test.leg),
            f"{test.asked_m * 1e3:.2f}",
            f"{test.measured_m * 1e3:.2f}",
            f"{test.others_m * 1e3:.2f}",
            words[test.switch_left],
            f"[red]{told}[/]" if told else "[green]ok[/]",
        )
    out.print(table)


def _asked() -> bool:
    """The person's word; whoever gives none has not vouched."""
    try:
        return input(f"{QUESTION} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
