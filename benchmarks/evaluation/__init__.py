"""What honest scores and stopping rules are worth: coverage, widths, regret."""
