"""How any run ended: on the console or as JSON, and as exit status."""

from typing import NoReturn

from hil.run.end import Conclusion, Ran, summarize_conclusion
from hil.terminal.console import Exit, leave, out, print_json, show_recording, styled


def show_end(end: Conclusion) -> None:
    """How a run ended, what was lost, what was warned of, and where its recording is."""
    reason = f": {end.reason}" if end.reason else ""
    out.print(styled("green" if end.ok else "red", end.outcome), reason, sep="", soft_wrap=True)
    for words in end.losses:
        out.print(styled("red", words), soft_wrap=True)
    for words in end.warnings:
        out.print(styled("yellow", f"warning: {words}"), soft_wrap=True)
    show_recording(end.recorder.path, end.recorder.parts)


def show_last(end: Conclusion) -> None:
    """The last line of a run that is not ok: its exit status and why."""
    if not end.ok:
        status = f"exit status {int(Exit.REFUSED)}"
        out.print(styled("red", f"{status}:"), end.cause, soft_wrap=True)


def show(ran: Ran, *, as_json: bool) -> bool:
    """Show a run that is over, or print it as JSON; whether it is ok."""
    with ran.until_shown:
        if as_json:
            summary = {**ran.values, **summarize_conclusion(ran.end)}
            print_json(summary)
        else:
            show_end(ran.end)
            ran.show()
            show_last(ran.end)
    return ran.end.ok


def show_and_leave(ran: Ran, *, as_json: bool) -> NoReturn:
    """Show a run that is over, or print it as JSON, and leave with its status."""
    leave(show(ran, as_json=as_json))
