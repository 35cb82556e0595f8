"""The text of elements, beside the standard library's own writer and reader."""

from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from hypothesis import given
from hypothesis import strategies as st

from sim.world.robots.xml_writer import document

NAMES = st.sampled_from(("body", "joint", "geom"))
VALUES = st.text(st.sampled_from("ab1.<>&\"'\r\n\t é"), max_size=6)
ATTRIBUTES = st.dictionaries(st.sampled_from(("name", "pos", "type")), VALUES, max_size=3)
SHAPES = st.recursive(
    st.tuples(NAMES, ATTRIBUTES, st.just([])),
    lambda inner: st.tuples(NAMES, ATTRIBUTES, st.lists(inner, max_size=3)),
    max_leaves=8,
)


def element(shape, parent=None):
    tag, attributes, inner = shape
    made = Element(tag, attributes) if parent is None else SubElement(parent, tag, attributes)
    for each in inner:
        element(each, made)
    return made


@given(SHAPES)
def test_it_is_what_the_standard_library_writes(shape):
    root = element(shape)
    told = document(root)
    again = fromstring(told)
    assert [(one.tag, one.attrib) for one in again.iter()] == [
        (one.tag, one.attrib) for one in root.iter()
    ]
    indent(root)
    assert told == tostring(root, encoding="unicode") + "\n"
