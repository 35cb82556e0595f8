"""Numbers that would overflow on the way are refused where they are read."""

import pytest

from hil.config.errors import ConfigError
from hil.stations.platform.plan.motion_settings import MultiSineSettings, TranslationTerm

TERM = {"axis": "z", "amplitude_m": 0.001, "frequency_hz": 1.0}


@pytest.mark.parametrize("frequency_hz", [0.0, -1.0, 1000.1, 1e150, 1e300, float("inf")])
def test_a_frequency_is_one_that_a_machine_could_follow(frequency_hz):
    with pytest.raises(ConfigError, match="frequency_hz"):
        TranslationTerm.build({**TERM, "frequency_hz": frequency_hz}, "file")
    assert TranslationTerm.build({**TERM, "frequency_hz": 1000.0}, "file").frequency_hz == 1000.0


def test_a_motion_of_such_terms_names_the_value():
    table = {"kind": "multi_sine", "duration_s": 1.0, "terms": [{**TERM, "frequency_hz": 1e300}]}
    with pytest.raises(ConfigError, match=r"frequency_hz = 1e\+300.*1000"):
        MultiSineSettings.build(table, "file")
