"""What `mqdiag show` tells of one object or one class.

Contents of byte arrays are never in it; strings are cut, since an application's may be personal data.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Label, Public

PlainValue = int | float | bool | Label | None


class ShownValue(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """A field, a static, an array element, or a key or value of a collection."""

    name: Public = ""
    """name of the field; empty for elements"""
    type: Public
    """Java's primitive type, or reference"""
    value: PlainValue = None
    """a primitive, or the text of a string, an enum constant, a boxed value or a class object"""
    class_name: Public | None = None
    """class of the object that it refers to; None for primitives and null"""
    object_id: Public | None = None
    """hexadecimal id of that object; None for null"""
    length: int | None = None
    """elements of that array, characters of that string, or entries of that collection by its own count"""
    declared_by: Public | None = None
    """superclass that declares the field; None for the object's own class"""


class ShownEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a Java collection."""

    key: ShownValue | None = None
    """None in lists and sets"""
    value: ShownValue


class PathStep(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """A step of the merged shortest paths: objects of one class, held through one field."""

    root: Public | None = None
    """kind of GC root; None below it"""
    field: Public = ""
    """how the step above holds it: "Class.field", "[]" for array elements, "local variable"; empty at a root"""
    class_name: Public
    label: Label | None = None
    """a name when the step is one object that has one: a thread, a class"""
    object_id: Public | None = None
    """when the step is one object"""
    objects: int
    """objects on paths through this step"""
    ends: int = 0
    """those asked for that are here"""
    instances: int
    """instances of those asked for that are here or below"""
    shallow_bytes: int
    retained_bytes: int
    """retained bytes of those asked for, without those that another one of them dominates"""
    below: tuple[PathStep, ...] = ()
    """largest first"""
    more_steps: int = 0
    """further steps that are too small to be told"""
    more_instances: int = 0
    """behind them"""


class ShownHolder(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """An object that dominates another one or refers to it."""

    class_name: Public
    object_id: Public
    label: Label | None = None
    """a name where it has one: a thread, a class"""
    field: Public | None = None
    """how it refers to the object; None when it does not do so itself"""
    retained_bytes: int


class ShownObject(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """One object."""

    object_id: Public
    class_name: Public
    label: Label | None = None
    """a name where it has one: a thread, a class, an enum constant; the text of a string or boxed value"""
    shallow_bytes: int
    retained_bytes: int
    """retained bytes; 0 when it is unreachable"""
    reachable: bool
    root: Public | None = None
    """kind of GC root that it is itself"""
    fields: tuple[ShownValue, ...] = ()
    statics: tuple[ShownValue, ...] = ()
    """static fields of a class object"""
    length: int | None = None
    """elements of an array"""
    elements: tuple[ShownValue, ...] = ()
    """the first of an array; never those of a byte array"""
    entry_count: int | None = None
    """entries of a collection, counted; None for what is none"""
    entries: tuple[ShownEntry, ...] = ()
    """the first ones, in the order of iteration where that is known"""
    dominators: tuple[ShownHolder, ...] = ()
    """what keeps it alive alone, the nearest first"""
    dominator_count: int = 0
    """number of all dominators; the middle of a long chain is left out"""
    paths: tuple[PathStep, ...] = ()
    """shortest paths from GC roots to its referrers, merged by class and field"""
    referrers: tuple[ShownHolder, ...] = ()
    """the first ones, largest retained size first"""
    referrer_count: int = 0


class ShownInstance(msgspec.Struct, frozen=True, kw_only=True):
    """One of a class's instances."""

    object_id: Public
    label: Label | None = None
    length: int | None = None
    """elements of an array"""
    shallow_bytes: int
    retained_bytes: int
    reachable: bool


class CountedClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class and its objects."""

    name: Public
    instances: int


class ShownClass(msgspec.Struct, frozen=True, kw_only=True):
    """One class name with its instances, those of subclasses left out unless asked for."""

    name: Public
    loaders: int
    """number of classes of this name, each from another loader"""
    class_ids: tuple[Public, ...] = ()
    """ids of the class objects"""
    superclasses: tuple[Public, ...] = ()
    """upwards"""
    subclasses: tuple[CountedClass, ...] = ()
    """those that have instances, most first"""
    with_subclasses: bool = False
    """whether the numbers below count instances of subclasses too"""
    instances: int
    """all of the file, as the JVM's own histogram counts them"""
    shallow_bytes: int
    retained_bytes: int
    """sum over the instances that no other instance dominates"""
    reachable_instances: int
    statics: tuple[ShownValue, ...] = ()
    largest: tuple[ShownInstance, ...] = ()
    """by retained size"""
    paths: tuple[PathStep, ...] = ()
    """shortest paths from GC roots to all reachable instances, merged by class and field"""


class Shown(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """What `mqdiag show` was asked for: one of the two."""

    object: ShownObject | None = None
    class_: ShownClass | None = None
