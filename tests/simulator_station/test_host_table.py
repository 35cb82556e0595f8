"""The table of faults and wires in the documents says what the codecs' fields say."""

from fault_table import FAULTS, KINDS, shown, table
from test_docs import ROOT

from hil.hosts.maps import installed_hosts
from hil.hosts.watch.states import Cause
from sim.hosts.faults import KINDS as EMULATED


def tells():
    """Of kinds each of whose maps tells the same."""
    kinds = [one.value for one in installed_hosts() if not one.broken]
    return {one.name: one.fields for one in kinds if one.fields_by_map is None}


def test_the_table_of_the_documents_is_that_of_the_codecs():
    assert table(tells()) in (ROOT / "docs" / "hosts.md").read_text()


def test_it_has_every_fault_and_every_kind_of_ours():
    assert set(FAULTS) == set(EMULATED)
    assert set(KINDS) == tells().keys()


def test_a_wire_that_tells_less_shows_less():
    """A field that a codec gives up is one that the table must give up."""
    hcu1 = tells()["hcu1"]
    assert shown("pause", hcu1).causes == (Cause.PAUSED,)
    assert shown("pause", hcu1 - {"flags.PAUSED"}).causes == (Cause.STAMP_FROZEN,)
    assert shown("pause", hcu1 - {"flags.PAUSED", "t_s"}).causes[0] is Cause.VALUES_FROZEN
    assert not shown("pause", frozenset({"f_m_s2"})).causes
    assert not shown("teleport", hcu1 - {"position_m"}).causes
