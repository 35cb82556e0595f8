"""Values of parameters at the ends of what is taken."""

import math

import pytest

from hil.diagram.check.parameters import fault_of
from hil.diagram.library.kind import ParameterKind

SAYS = "a text of at most {} printable characters is needed"


@pytest.mark.parametrize(("high", "most"), [(math.inf, 200), (4000.0, 4000), (3.0, 3)])
def test_a_text_is_as_long_as_it_may_be_and_no_longer(high, most):
    kind = ParameterKind("note", "text", high=high)
    assert fault_of(kind, "x" * most) == ""
    assert fault_of(kind, "x" * (most + 1)) == SAYS.format(most)


@pytest.mark.parametrize("value", ["a\nb", "\x7f", 3, 3.0, True, ("a",), None])
def test_what_is_no_printable_text_is_refused(value):
    assert fault_of(ParameterKind("note", "text"), value) == SAYS.format(200)
