"""Runs in which a person drives, and the scores of persons."""
