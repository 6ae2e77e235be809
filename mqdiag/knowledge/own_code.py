"""Whose code a class or a frame is: the JDK's, a library's, generated, or the user's own.

The first frame outside libraries is the one that a user can change. The packages of libraries are in `libraries/`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from sys import intern

from mqdiag.knowledge.library import JDK
from mqdiag.knowledge.library_files import from_libraries, index
from mqdiag.lazy_pattern import lazy_pattern

NOT_OWN_PARTS: tuple[str, ...] = (
    "$$EnhancerBy",
    "$$FastClassBy",
    "$$SpringCGLIB$$",
    "$Proxy",
    "$$Lambda",
    # of ByteBuddy, and of SkyWalking's agent, which instruments with it
    "$ByteBuddy$",
    "$auxiliary$",
    "$accessor$",
    "$HibernateProxy$",
    # of AspectJ, Quarkus and Micronaut
    "$AjcClosure",
    "_ClientProxy.",
    "_Subclass.",
    "$Intercepted.",
)
"""generated classes in the user's packages: the frame next to them says more"""


_MOVED = lazy_pattern(r"(?:^|\.)(?:shaded?|relocated|repackaged|thirdparty|internal\.libs?)\.")
"""the last part of a package that build tools move libraries to, as companies choose it"""
_MOVED_MARKS = ("shade", "relocated", "repackaged", "thirdparty", "internal.lib")
"""what each such package has: words are found without a pattern"""


def unshaded(methods: tuple[str, ...]) -> tuple[str, ...]:
    """Methods of libraries that were moved to another package under the names that they have at home.

    Only what is a library behind the mark is taken for one: a package of the user's may be called so too.
    """
    joined = "\n".join(methods)
    if not any(mark in joined for mark in _MOVED_MARKS) or not any(map(_MOVED.search, methods)):
        return methods
    return tuple(_at_home(method) for method in methods)


def _at_home(method: str) -> str:
    marks = list(_MOVED.finditer(method))
    if not marks:
        return method
    inner = method[marks[-1].end() :]
    if inner.startswith("rocketmq."):
        inner = f"org.apache.{inner}"
    return inner if inner.startswith(_packages(in_heap=False)) else method


HIDDEN_PARTS: tuple[str, ...] = (
    "$$Lambda",
    "java.lang.Thread.runWith",
    "java.lang.ScopedValue$Carrier.runWith",
    "java.lang.invoke.LambdaForm$",
    "java.lang.invoke.DirectMethodHandle$Holder.",
    "java.lang.invoke.DelegatingMethodHandle$Holder.",
    "java.lang.invoke.Invokers$Holder.",
    "jdk.MHProxy",
    "jdk.internal.reflect.DirectMethodHandleAccessor.invokeImpl",
    "jdk.internal.reflect.DirectConstructorHandleAccessor.invokeImpl",
    "jdk.internal.vm.Continuation.enter",
)
"""frames that the JDK marks as hidden: jstack prints them, Thread.dump_to_file does not (compared on JDK 21 and 25)"""


@lru_cache(maxsize=65_536)
def is_hidden(method: str) -> bool:
    """Whether only some forms of dumps show a frame of this method."""
    return any(part in method for part in HIDDEN_PARTS)


@cache
def _packages(*, in_heap: bool) -> tuple[str, ...]:
    """Beginnings of names of classes of the JDK and of libraries; none begins with another one."""
    from_libraries(_packages)
    found: list[str] = []
    files = index().values()
    more = (package for file in files for package in file.heap_packages) if in_heap else ()
    for package in sorted((*JDK, *(package for file in files for package in file.packages), *more)):
        if not found or not package.startswith(found[-1]):
            found.append(package)
    return tuple(found)


def is_own(method: str) -> bool:
    """Whether a "package.Class.method" is the user's code, as far as its name shows."""
    return not method.startswith(_packages(in_heap=False)) and not any(part in method for part in NOT_OWN_PARTS)


def is_own_class(name: str) -> bool:
    """Whether a class in a heap is the user's; a few libraries count there that stacks do not know."""
    return not name.startswith(_packages(in_heap=True)) and not any(part in name for part in NOT_OWN_PARTS)


def method_of(frame: str) -> str:
    """Package, class and method of a frame: "a.B.run" for "a.B.run(B.java:41)"."""
    opening = frame.find("(")
    return intern(frame[:opening] if opening > 0 else frame)
