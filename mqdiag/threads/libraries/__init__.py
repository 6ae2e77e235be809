"""The table of libraries that stand in stacks between a wait and the user's code."""
