"""What an operator leads a run with: buttons, hold-to-run, controls, handles."""
