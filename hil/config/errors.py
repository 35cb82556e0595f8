"""What a user is told is wrong, below every folder that may find it so."""


class RefusedError(Exception):
    """The machine, the motion or a recording was refused; the text says why."""


class MotionError(ValueError):
    """A motion that cannot be made as described; the text says what would have been right."""
