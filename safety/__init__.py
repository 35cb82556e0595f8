"""The last gate before the drives: standard library only, readable in one sitting."""
