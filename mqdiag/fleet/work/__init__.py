"""One incident from its files to its rows, in a process that may die without harm."""
