"""The operator panel: one window that watches the bench and asks of it, in a process of its own."""
