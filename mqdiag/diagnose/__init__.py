"""From evidence to a report: the library's front door, and the only package that knows all steps."""

from __future__ import annotations

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.diagnose.show import show_in_heap
from mqdiag.diagnose.stacks import diagnose_stacks

__all__ = ["Diagnosis", "diagnose_heap", "diagnose_stacks", "show_in_heap"]
