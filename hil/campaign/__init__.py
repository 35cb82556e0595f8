"""Campaigns: one scenario over many seeds, on several processes or computers, judged as a whole."""
