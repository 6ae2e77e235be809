"""From evidence to a report: the library's front door, and the only package that knows all steps.

`heap.diagnose_heap`, `stacks.diagnose_stacks` and `show.show_in_heap`. Nothing is imported here, so that a command
pays for its own evidence only.
"""
