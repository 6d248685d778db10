// Node itself.
