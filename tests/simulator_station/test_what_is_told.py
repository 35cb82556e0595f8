"""A ride whose algorithm follows what its source does not tell is refused, and does not rest."""

import pytest
from ride_bench import plan_of

from hil.config.errors import ConfigError
from hil.stations.simulator.run.bench import ride_of

EMULATED = {"feed": "drive"}


@pytest.mark.parametrize(
    ("map_", "cueing", "says"),
    [
        ("hcu1", {"preset": "direct"}, "follows poses, and this source tells none"),
        ("flightgear", {"algorithm": "direct"}, "follows poses, and this source tells none"),
        ("simtools", {"preset": "tight"}, "this source tells poses alone; preset 'direct'"),
        ("simtools", {"preset": "mpc_live"}, "this source tells poses alone; preset 'direct'"),
    ],
)
def test_an_algorithm_that_the_host_tells_nothing_for_is_refused(map_, cueing, says):
    source = {"kind": "host", "map": map_, "emulated": EMULATED}
    with pytest.raises(ConfigError, match=says):
        ride_of(plan_of(source, cueing))


@pytest.mark.parametrize(("map_", "preset"), [("hcu1", "tight"), ("simtools", "direct")])
def test_one_that_it_tells_something_for_is_taken(map_, preset):
    source = {"kind": "host", "map": map_, "emulated": EMULATED}
    assert ride_of(plan_of(source, {"preset": preset})).parts.names == (preset,)
