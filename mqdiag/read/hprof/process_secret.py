"""Random numbers of this process: whoever writes an input cannot know them, and so makes nothing in it collide."""

from __future__ import annotations

import os

import numpy as np

FACTOR = np.uint64(int.from_bytes(os.urandom(8)) | 1)
"""odd, as a factor of multiplicative hashing has to be"""
START = np.uint64(int.from_bytes(os.urandom(8)))
"""what a hash begins with"""
