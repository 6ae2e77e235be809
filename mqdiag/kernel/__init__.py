"""Functions over arrays, compiled by numba once for a machine and called without numba ever after.

Importing numba and letting it load its own cache takes longer than most dumps take to read. So numba is the
compiler only: what it makes is kept as plain object code (`folder`), laid out (`link`), mapped and called through
ctypes (`native`). See docs/adr/0004-kernels-as-object-code.md.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mqdiag.kernel.call import Kernel, kernel

__all__ = ["Kernel", "kernel"]


def __getattr__(name: str) -> Any:
    """Load what needs numpy when a kernel asks for it: whether kernels are kept is asked without them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mqdiag.kernel import call

    return getattr(call, name)
