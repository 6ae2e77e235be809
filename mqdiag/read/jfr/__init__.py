"""Recordings of Java Flight Recorder: chunks, metadata that describes itself, constant pools, events as columns."""
