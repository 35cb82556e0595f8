"""Scenario of the platform and its plan: settings, motion, fits that were applied."""
