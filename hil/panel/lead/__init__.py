"""The means by which an operator leads a run: buttons, hold-to-run, controls, handles."""
