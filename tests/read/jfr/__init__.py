"""Recordings of Java Flight Recorder."""
