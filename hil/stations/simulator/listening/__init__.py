"""What ``hil host`` does: lists, listens, checks, records and emulates hosts."""
