"""One object or one class of a dump, read for a person: fields, holders, merged paths to GC roots.

Nothing is imported here, so that who looks for a class by its name pays for that only.
"""
