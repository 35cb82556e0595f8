"""What can be wrong with an arm."""


class ArmError(ValueError):
    """What the arm cannot do, or numbers that do not describe an arm; the message says which."""
