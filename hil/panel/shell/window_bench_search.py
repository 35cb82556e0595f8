"""A window that shows no bench finds the next one that begins."""

from collections.abc import Sequence
from typing import Final

from hil.panel.live.session import LiveSession
from hil.panel.shell.host import Host
from hil.panel.shell.models.bench_watch import BenchList, BenchWatch

_NONE: Final = "No bench runs. One that begins (Run, or hil run … --operator) is shown by itself."
_ONE: Final = "{name} runs, and is not shown."
_NOT_HERE: Final = "no panel can show or stop {it}; Ctrl-C in the terminal of the run does."
_SEVERAL: Final = "{count} benches run, and none is shown."


class BenchSearch:
    """Looks for benches while none is shown.

    The only bench that begins while the window is empty is shown at once: who only watches moves
    and stops nobody. One that people left, or one of several, is offered; beside a run that is
    over, or a recording, it is told of.
    """

    def __init__(self, window: Host) -> None:
        self._window = window
        self.watch = BenchWatch(window.now_s)
        """What finds them."""

    def poll(self) -> None:
        """Look, if it is time to; called in every turn."""
        session = self._window.session
        if isinstance(session, LiveSession) and not session.ended:
            self.watch.forget()
            return
        benches = self.watch.poll()
        if benches is None:
            return
        if session is not None:
            for one in benches.begun:
                self._window.show_message(
                    f"{one.name} has begun: Bench, Benches that run (Ctrl+B)."
                )
        elif len(benches.running) == len(benches.begun) == 1 and not self._window.reading.busy:
            self._window.connect_to(benches.begun[0].path)
        else:
            self._offer(benches)

    def _offer(self, benches: BenchList) -> None:
        names = [one.name for one in benches.running]
        if not names:
            words = benches.problem or unattended_words(benches.unled) or _NONE
        elif len(names) == 1:
            words = _ONE.format(name=names[0])
        else:
            words = _SEVERAL.format(count=len(names))
        self._window.strip.offer(words, bench=bool(names))


def unattended_words(names: Sequence[str]) -> str:
    """Words for runs that no panel leads; empty if there are none."""
    if not names:
        return ""
    if len(names) == 1:
        return f"{names[0]} runs without operator: {_NOT_HERE.format(it='it')}"
    return f"{' and '.join(names)} run without operator: {_NOT_HERE.format(it='them')}"
