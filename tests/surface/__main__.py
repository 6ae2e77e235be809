"""Write down what this version promises, when it is released: `python -m tests.surface`."""

import json

from mqdiag import __version__
from tests.surface.surface import RELEASED, surface

RELEASED.write_text(
    json.dumps({"release": __version__, "surface": surface()}, indent=1, sort_keys=True) + "\n", "utf-8"
)
