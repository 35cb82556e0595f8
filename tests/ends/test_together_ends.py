"""One of several stations is frozen, in real time: all that tells of the ends of both names it."""

from pathlib import Path
from signal import SIGSTOP

import pytest
from campaign import long_only
from rack_bench import needs_wires
from real_runs import Program, pause
from seen_ends import Seen, parsed
from short_runs import arguments

pytestmark = [pytest.mark.real_time, needs_wires]
BESIDE = {"platform": "arm", "arm": "world", "world": "platform", "simulator": "arm"}
"""Which other station runs at the same time."""
LONG = {
    "platform": ["motion.duration_s=90"],
    "simulator": ["duration_s=90"],
    "arm": ["source.segment=[{duration_s=90.0, velocity_m_s=[0, 0, 0.002]}]"],
    "world": ["motion.duration_s=40"],
}
"""Motions that are under way until both are, and for as long as something is done."""
FROZEN = "it was frozen: stopped by a signal for 2 s, and was ended"


def part(name: str, station: str) -> str:
    """A part of the scenario, in real time."""
    scenario, *changes = arguments(station, *LONG[station], 'clock="real"')
    table = {"name": name, "scenario": scenario, "changes": [one for one in changes if "=" in one]}
    return "[[part]]\n" + "".join(f"{key} = {value!r}\n" for key, value in table.items())


class Together(Program):
    """Two stations in real time; the first is the one that something is done to."""

    def __init__(self, folder, station, *options):
        folder.mkdir()
        parts = part("first", station) + part("second", BESIDE[station])
        (folder / "both.toml").write_text(f"station = 'together'\nname = 'both'\n{parts}")
        super().__init__(folder / "run", [str(folder / "both.toml"), *options])

    def recording_of(self, name):
        return next(self.runs.glob(f"*/{name}/*/recording.mcap"), None)

    def under_way(self):
        """Wait until both have turned for 3 s."""
        for name in ("first", "second"):
            self.until(lambda name=name: self.recording_of(name))
            size = self.recording_of(name).stat().st_size
            self.until(lambda name=name, size=size: self.recording_of(name).stat().st_size > size)
        pause(3.0)

    def control(self, name):
        """The process of a part."""
        [pid] = [
            pid for pid in self.family()
            if (words := Path(f"/proc/{pid}/cmdline").read_text().split("\0"))
            and "hil.cli.part" in words and any(word.endswith(f"/{name}") for word in words)
        ]  # fmt: skip
        return pid


@pytest.mark.campaign
@pytest.mark.timeout(600)
@long_only
@pytest.mark.parametrize("station", BESIDE)
def test_a_frozen_station_is_named_by_the_ends_of_both(station, tmp_path):
    run = Together(tmp_path / "json", station, "--json")
    try:
        run.under_way()
        run.send(SIGSTOP, run.control("first"))
        assert run.wait() == 1
        told = parsed((run.folder / "out.txt").read_text())
        first, second = Seen(1), Seen(1)
        run.look(first, run.recording_of("first"))
        run.look(second, run.recording_of("second"))
    finally:
        run.close()
    assert told["ok"] is False
    assert (told["parts"]["first"]["ok"], told["parts"]["first"]["error"]) == (False, FROZEN)
    why = f"first came to a bad end: {FROZEN}"
    assert told["parts"]["second"]["asked_to_stop"] == why
    assert first.file.outcome["ok"] != "true"
    assert "control ended without saying how" in first.file.outcome["reason"]
    assert (first.verdict, second.verdict) == ("FAILED", "STOPPED BECAUSE ANOTHER STATION FAILED")
    assert FROZEN in first.page
    assert why in second.page
    assert second.file.outcome["ok"] == "true", "it stopped as it was asked to"
