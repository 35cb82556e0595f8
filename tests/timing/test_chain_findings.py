"""The whole chain as `hil doctor --chain` measures it: judged by figures, and once really run."""

from dataclasses import replace

import pytest

from hil.stations.platform.commissioning import chain_findings
from hil.stations.platform.commissioning.chain_findings import ChainFigures, measure_chain

GOOD = ChainFigures(250.0, 5000, 0, 0.0002, 0.004, 0.012, 0.6, "")


@pytest.mark.parametrize(
    ("changes", "verdict", "words"),
    [
        ({}, "ok", "0 missed by control; the gate late by 0.20 ms (99 %), 4.00 ms at most, of 12"),
        ({"missed": 1}, "warn", "5000 cycles, 1 missed by control"),
        ({"late_max_s": 0.0121}, "warn", "12.10 ms at most, of 12.0 ms"),
        ({"reason": "cycle time 0.013 s"}, "bad", "ended: cycle time 0.013 s"),
    ],
)
def test_the_verdict_is_that_of_the_figures(changes, verdict, words):
    found = replace(GOOD, **changes).finding()
    assert found.item == "whole chain at 250 Hz"
    assert found.verdict == verdict
    assert words in found.detail
    assert bool(found.remedy) == (verdict != "ok")


@pytest.mark.real_time
def test_the_whole_chain_is_run(tmp_path, monkeypatch):
    """Homing, rise and parking besides: more cycles than the motion has, and processors' time."""
    monkeypatch.setattr(chain_findings, "SECONDS", 4.0)
    figures = measure_chain(62.5, tmp_path)
    assert not figures.reason
    assert figures.cycles > 4.0 * 62.5
    assert 0.01 < figures.cores < 4.0
    assert figures.late_limit_s == pytest.approx(3.0 / 62.5)
    assert figures.finding().verdict in ("ok", "warn")
