"""Tests speak English, whatever the locale of whoever runs them; those of other languages say so."""

from __future__ import annotations

import os

os.environ["LC_ALL"] = "C.UTF-8"
