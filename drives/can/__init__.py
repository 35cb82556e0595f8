"""CAN buses as the cycle needs them: adapters of python-can, SLCAN and socketcand."""
