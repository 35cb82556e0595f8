"""Random wrong signs, axes, units and bytes of layouts: each is found, or it is asked for.

A vehicle in motion is sent by each emulated game and read by its shipped map with a mistake in it.
What physics cannot find is in a table here; and of the same map on which nobody has said that the
signs were looked at, nothing is followed whose force is made of the velocity.
"""

import numpy as np
import pytest
from campaign import count
from test_emulated_by_codecs import DRIVE, opened
from test_physics_campaign import DRIVES, SECONDS, close, followed, stream

from hil.config.errors import ConfigError
from hil.hosts.kind import Packet
from hil.hosts.watch.states import HostState
from hil.hosts.wires.layout import LayoutCodec
from hil.hosts.wires.layout_fields import GROUPS
from hil.hosts.wires.layout_map import LayoutSettings
from hil.hosts.wires.unverifiable_signs import fields_without_check

pytestmark = pytest.mark.campaign
GAMES = ("codemasters", "f1_23", "outsim", "forza")
MADE = ("codemasters", "f1_23", "outsim")
"""Those whose force is made of the velocity."""
HIDDEN = {
    "codemasters": {"- right_down"},
    "f1_23": {"- right_down"},
    "outsim": {"- roll", "pitch at roll", "roll at pitch"},
}
"""Mistakes that nothing in the packets of a game contradicts: how it leans is told once."""
FACTORS = {
    "m_s": (0.3048, 1.0 / 0.44704, 3.6, 1.0 / 3.6, 1.94384, 100.0, 0.01),
    "m": (0.3048, 1.0 / 0.3048, 100.0, 0.01, 39.37),
    "rad": (57.29578, 1.0 / 57.29578),
    "rad_s": (57.29578, 1.0 / 57.29578),
    "m_s2": (1.0 / 9.80665, 9.80665, 100.0, 0.01),
}
SEED = 31


@pytest.fixture(scope="module")
def streams():
    return {game: [stream(game, seed) for seed in range(DRIVES)] for game in GAMES}


def groups(table):
    """Names of fields that are told together, of those that have an axis."""
    of = [names for group, (names, _) in GROUPS.items()
          if group not in ("time", "sequence", "flags", "directions")]  # fmt: skip
    of += [GROUPS["directions"][0][:3], GROUPS["directions"][0][3:]]
    there = [[name for name in names if name in table["fields"]] for names in of]
    return [names for names in there if names]


def turned_over(table, names):
    for name in names:
        one = table["fields"][name]
        table["fields"][name] = one | {"factor": -one.get("factor", 1.0)}


def mistake(rng, settings):
    """What it is, and the table of the map that makes it."""
    table = settings.model_dump()
    kind = str(rng.choice(["sign", "sign", "group", "swap", "unit", "bytes"]))
    names = groups(table)[int(rng.integers(len(groups(table))))]
    if kind == "sign":
        names = [str(rng.choice(names))]
        turned_over(table, names)
    elif kind == "group":
        turned_over(table, names)
    elif kind == "swap":
        first, other = (str(one) for one in rng.choice(names, 2, replace=False))
        a, b = table["fields"][first], table["fields"][other]
        table["fields"][first], table["fields"][other] = a | {"at": b["at"]}, b | {"at": a["at"]}
        return f"{first} at {other}", table
    elif kind == "unit":
        si = next(iter(GROUPS[group_of(names[0])][1]))
        if si not in FACTORS:
            return mistake(rng, settings)
        factor = float(rng.choice(FACTORS[si]))
        for name in names:
            one = table["fields"][name]
            table["fields"][name] = one | {"factor": factor * one.get("factor", 1.0)}
        return f"{factor:.4g} {', '.join(sorted(names))}", table
    else:
        return other_bytes(rng, table)
    return f"- {', '.join(sorted(names))}", table


def other_bytes(rng, table):
    """The other byte order, or all from some field on some bytes later."""
    if rng.random() < 0.3:
        return "big", table | {"endian": "big", "magic": (), "only": ()}
    start = int(rng.choice([one["at"] for one in table["fields"].values()]))
    more = int(rng.choice([-4, -2, -1, 1, 2, 4, 8]))
    for name, one in table["fields"].items():
        if one["at"] >= start:
            table["fields"][name] = one | {"at": max(one["at"] + more, 0)}
    return f"{more:+d} from {start} on", table


def group_of(name):
    return next(group for group, (names, _) in GROUPS.items() if name in names)


def decoded(settings, one):
    codec = LayoutCodec(settings)
    return [(t_s, codec.decode(data)) for t_s, data in one.sent]


def same(packets, understood):
    """Whether a ride is told the same."""
    told = [one for _, one in packets if isinstance(one, Packet)]
    return len(told) == len(understood) and all(
        close(a, b) for a, (_, b) in zip(told[::20], understood[::20], strict=True)
    )


def test_no_wrong_layout_is_believed(streams):
    """Campaign: 10 000 mistakes."""
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    maps = {game: opened(game, DRIVE)[2] for game in GAMES}
    believed, mistakes = [], 0
    for index in range(count(10_000, least=100)):
        game = GAMES[index % len(GAMES)]
        what, table = mistake(rng, maps[game])
        one = streams[game][int(rng.integers(DRIVES))]
        try:
            wrong = LayoutSettings.build(table, "own.toml")
        except ConfigError:
            continue  # bytes of two fields that meet, or lie beyond the packet
        packets = decoded(wrong, one)
        if game not in MADE and same(packets, one.understood):
            continue  # the velocity is but a witness where the force is told
        mistakes += 1
        state, why, weighed_s = followed(wrong, packets)
        if state in (HostState.LIVE, HostState.FADING_IN) and what not in HIDDEN.get(game, ()):
            believed.append((index, game, what, why, round(weighed_s, 1)))
    assert not believed
    assert mistakes > 80


@pytest.mark.parametrize("game", GAMES)
def test_what_is_right_is_followed_and_only_where_its_signs_were_looked_at(streams, game):
    settings = opened(game, DRIVE)[2]
    for one in streams[game]:
        state, why, weighed_s = followed(settings, decoded(settings, one))
        assert (state, why.endswith(" ")) == (HostState.LIVE, True), why
        assert weighed_s > SECONDS - 3.0
    unseen = settings.model_copy(update={"signs_seen": " "})
    state, why, weighed_s = followed(unseen, decoded(unseen, one))
    assert (state, weighed_s) == (HostState.WAITING, 0.0)
    assert why.startswith("SIGNS nothing in its packets can contradict the sign of fields: ")
    assert 'signs_seen = "' in why


@pytest.mark.parametrize(("game", "mistaken"), [(a, b) for a in HIDDEN for b in sorted(HIDDEN[a])])
def test_what_nothing_contradicts_is_asked_for(streams, game, mistaken):
    settings = opened(game, DRIVE)[2]
    names = [one for one in mistaken.replace(",", " ").split() if one in settings.fields]
    asked = fields_without_check(settings.fields)
    assert names
    assert set(names) <= set(asked)
    table = settings.model_dump() | {"signs_seen": ""}
    turned_over(table, names)
    wrong = LayoutSettings.build(table, "own.toml")
    state, _, weighed_s = followed(wrong, decoded(wrong, streams[game][0]))
    assert (state, weighed_s) == (HostState.WAITING, 0.0)
