"""A verb for a group of verbs of the bench, and one whose option nobody can type."""


def speak(times: int = 1) -> None:
    """Say a word."""
    print(*["word"] * times)


def mute(word: int | str) -> None:
    """Say nothing."""
