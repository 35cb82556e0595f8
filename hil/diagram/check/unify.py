"""Types implied by wires: units by linear equations, shapes and frames by equality."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

Variable = tuple[str, str]
"""Path of a block and its variable, such as ``("ft/pid", "?a")``."""
Value = TypeVar("Value", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)
Exponent = int | Fraction
"""Whole in nearly all diagrams, and then an integer, which is ten times faster."""


@dataclass(frozen=True, slots=True)
class LinearUnit:
    """Logarithm of a unit: known exponents plus multiples of variables, none of them 0."""

    known: Mapping[str, Exponent] = field(default_factory=dict)
    variables: Mapping[Variable, Exponent] = field(default_factory=dict)

    def plus(self, other: LinearUnit, factor: Exponent = 1) -> LinearUnit:
        """Return the sum with a multiple of another."""
        return LinearUnit(
            _sum(self.known, other.known, factor), _sum(self.variables, other.variables, factor)
        )


def _sum(
    one: Mapping[Key, Exponent], other: Mapping[Key, Exponent], factor: Exponent
) -> dict[Key, Exponent]:
    found = dict(one)
    for key, value in other.items():
        total = found.get(key, 0) + factor * value
        if total:
            found[key] = total
        else:
            found.pop(key, None)
    return found


class UnitEquations:
    """Linear equations over exponents, solved one by one as they come."""

    def __init__(self) -> None:
        self._solved: dict[Variable, LinearUnit] = {}

    def equate(self, one: LinearUnit, other: LinearUnit) -> bool:
        """Add an equation; whether it agrees with all before it. If not, it is left out."""
        rest = self.reduced(one).plus(self.reduced(other), -1)
        if not rest.variables:
            return not rest.known
        pivot = min(rest.variables)
        factor = rest.variables[pivot]
        without = LinearUnit(rest.known, _without(rest.variables, pivot))
        self._solved[pivot] = LinearUnit().plus(without, _opposite_reciprocal(factor))
        return True

    def reduced(self, expression: LinearUnit) -> LinearUnit:
        """Return the same unit with every solved variable replaced."""
        for variable in list(expression.variables):
            if variable in self._solved:
                factor = expression.variables[variable]
                rest = LinearUnit(expression.known, _without(expression.variables, variable))
                expression = rest.plus(self._final(variable), factor)
        return expression

    def _final(self, variable: Variable) -> LinearUnit:
        """Express a solved variable in unsolved ones; intermediate results are kept."""
        stack = [variable]
        while stack:
            top = stack[-1]
            inner = [one for one in self._solved[top].variables if one in self._solved]
            open_ones = [one for one in inner if not self._is_final(one)]
            if open_ones:
                stack.extend(open_ones)
                continue
            expression = self._solved[top]
            for one in inner:
                factor = expression.variables[one]
                rest = LinearUnit(expression.known, _without(expression.variables, one))
                expression = rest.plus(self._solved[one], factor)
            self._solved[top] = expression
            stack.pop()
        return self._solved[variable]

    def _is_final(self, variable: Variable) -> bool:
        return not any(one in self._solved for one in self._solved[variable].variables)


def _opposite_reciprocal(factor: Exponent) -> Exponent:
    return -factor if factor in (1, -1) else Fraction(-1) / factor


def _without(terms: Mapping[Variable, Exponent], key: Variable) -> dict[Variable, Exponent]:
    return {one: factor for one, factor in terms.items() if one != key}


class Equalities(Generic[Value]):
    """Variables that are equal to each other, or to a value (union of sets)."""

    def __init__(self) -> None:
        self._parent: dict[Variable, Variable] = {}
        self._value: dict[Variable, Value] = {}

    def equate(self, one: Variable | Value, other: Variable | Value) -> bool:
        """Equate two of them; return whether that agrees with all before it."""
        first, second = self._root(one), self._root(other)
        known, wanted = self.value(one), self.value(other)
        if known is not None and wanted is not None:
            if known != wanted:
                return False
            if first is not None and second is not None and first != second:
                self._parent[second] = first
            return True
        if first is not None and second is not None:
            if first != second:
                self._parent[second] = first
                if wanted is not None:
                    self._value[first] = wanted
        elif first is not None:
            self._value[first] = wanted  # pyright: ignore[reportArgumentType]
        elif second is not None:
            self._value[second] = known  # pyright: ignore[reportArgumentType]
        return True

    def value(self, one: Variable | Value) -> Value | None:
        """Return the value of a variable; None if it is not determined."""
        root = self._root(one)
        return one if root is None else self._value.get(root)  # pyright: ignore[reportReturnType]

    def _root(self, one: Variable | Value) -> Variable | None:
        if not is_variable(one):
            return None
        root: Any = one
        while root in self._parent:
            root = self._parent[root]
        while one != root:
            following = self._parent[one]  # pyright: ignore[reportArgumentType]
            self._parent[one] = root  # pyright: ignore[reportArgumentType]
            one = following
        return root


def is_variable(one: object) -> bool:
    """Return whether it is a block's path with a name that begins with ``?``."""
    return (
        isinstance(one, tuple)
        and len(one) == 2
        and isinstance(one[1], str)
        and one[1].startswith("?")
    )
