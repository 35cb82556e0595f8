"""Scenario of a task, what a task is, and the plan of its run."""
