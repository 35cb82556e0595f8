"""The desk between bench and panels: who may ask, what is asked, and what the bench reports.

A process of its own. It owns the socket and the clock of the dead-man; control reads one slot per
cycle and pushes into one ring, and neither can make it wait.
"""
