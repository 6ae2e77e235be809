"""Logs as blocks of bytes: the few lines that matter found among gigabytes, with their times.

Nothing here knows what a line means; the literals to look for come from the caller.
"""
