"""One object or one class of a dump, read for a person: fields, holders, merged paths to GC roots."""

from mqdiag.show.classes import show_class
from mqdiag.show.objects import show_object
from mqdiag.show.target import find_class, find_target

__all__ = ["find_class", "find_target", "show_class", "show_object"]
