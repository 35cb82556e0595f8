"""Clocks, real-time rights, and how late this machine is: nothing else reads a clock."""
