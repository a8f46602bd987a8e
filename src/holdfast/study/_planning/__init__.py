"""What a study will do: its plan, checks before it starts, and when it may stop."""
