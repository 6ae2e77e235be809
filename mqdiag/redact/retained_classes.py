"""Classes whose instances are asked for: they hold names that may stay, or bodies of messages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.distinct import distinct
from mqdiag.read.hprof.field_layout import Field, FieldLayouts
from mqdiag.read.hprof.outline import Outline
from mqdiag.read.hprof.types import REFERENCE
from mqdiag.rocketmq.names import KNOWN_CLASSES, NAMING, names_of


class RetainedClasses:
    """The classes, and what is asked of their instances.

    `layouts`: of all classes. `naming`, `carrying` int64[n, 4]: fields as `FieldLayouts.chosen` gives them,
    references to names and to bodies of messages. `ids` uint64[class rows]: 0 where instances are not asked for.
    `class_names`: of all classes that were loaded, with or without a CLASS_DUMP.
    """

    def __init__(self, outline: Outline) -> None:
        classes = outline.classes
        names = classes.names
        self.layouts = FieldLayouts(outline)
        loaded = set(outline.loaded.name_ids.tolist())
        self.class_names = {*names, *(outline.names.java(id_) for id_ in loaded if outline.names.get(id_))}
        roots = {
            name.removesuffix(suffix) + "."
            for role in KNOWN_CLASSES
            for suffix in names_of(role)
            for name in self.class_names
            if name.endswith(suffix)
        }
        prefixes = tuple(roots)
        rocketmq = [row for row, name in enumerate(names) if ".rocketmq." in name or name.startswith(prefixes)]
        threads = [row for row, name in enumerate(names) if name == "java.lang.Thread"]
        self.naming = self.layouts.chosen(_names_something, [*threads, *rocketmq])
        messages = [row for row in rocketmq if names[row].endswith(names_of("Message"))]
        self.carrying = self.layouts.chosen(_is_body, messages)
        rows = distinct(np.concatenate((self.naming[:, 0], self.carrying[:, 0])))
        self.ids: NDArray[np.uint64] = np.zeros(classes.count, np.uint64)
        self.ids[rows] = classes.ids[rows]


def _names_something(class_name: str, field: Field) -> int | None:
    if field.kind != REFERENCE:
        return None
    is_name = (
        field.name in names_of("Thread.name") if class_name == "java.lang.Thread" else NAMING.match(field.name)
    )
    return 0 if is_name else None


def _is_body(class_name: str, field: Field) -> int | None:
    return 0 if field.name in names_of("Message.body") and field.kind == REFERENCE else None
