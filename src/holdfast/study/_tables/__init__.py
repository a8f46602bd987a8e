"""Tables that a result computes from the store."""
