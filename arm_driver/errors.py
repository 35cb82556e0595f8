"""Errors of an arm."""

from numpy.typing import ArrayLike

from hil_common.arrays.pose import Array, PoseError, frozen_array


class ArmError(ValueError):
    """An arm cannot do this, or numbers do not describe an arm; the message says which."""


class NumbersError(ArmError, PoseError):
    """Numbers of an arm that are of a wrong shape, or not finite."""


def arm_array(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Copy ``value`` into a read-only array, as `frozen_array` does.

    Raises:
        NumbersError: wrong shape, not numbers, or not finite.
    """
    try:
        return frozen_array(value, shape, name)
    except PoseError as error:
        raise NumbersError(str(error)) from error
