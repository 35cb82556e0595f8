"""Judgement of a run by the true state of its world; it sees nothing of the law."""
