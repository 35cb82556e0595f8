"""Colours, keys, plots and texts that all parts of the window share."""
