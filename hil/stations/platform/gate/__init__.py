"""The gate as a process of its own: in real time it alone owns the link to the drives.

Everything that the process imports is the standard library, `safety`, `drives` and the few modules
of `hil` that are standard library themselves.
"""
