"""What the lines of logs mean: events by kind, time and subject, told by their message text and not their prefix.

`build.LogsReader` is the way in.
"""
