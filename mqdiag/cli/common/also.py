"""`--also FORMAT=FILE`: one diagnosis, written in several formats."""

from __future__ import annotations

from mqdiag.cli.common.options import CommonOptions
from mqdiag.cli.common.output import Target
from mqdiag.errors import UsageError
from mqdiag.render import formats
from mqdiag.text import say


def also_targets(options: CommonOptions) -> list[tuple[str, Target]]:
    """The formats with their places, checked before the work begins.

    Raises:
        UsageError: a format that is none, standard output, or the same file twice.
    """
    from mqdiag.config import nearest

    found = []
    taken = {options.output, options.write_baseline}
    for given in options.also:
        name, equals, file = given.partition("=")
        if not equals:
            raise UsageError(
                say("--also {given} is not FORMAT=FILE, such as junit=build/mqdiag.xml", given=repr(given))
            )
        if name not in formats():
            hint = nearest(name, formats()) or f"; there are {', '.join(formats())}"
            raise UsageError(
                say(
                    "--also {given}: there is no format {name}{hint}",
                    given=repr(given),
                    name=repr(name),
                    hint=hint,
                )
            )
        if file == "-" or file in taken:
            raise UsageError(
                say("--also {given}: name a file that nothing else is written to", given=repr(given))
            )
        taken.add(file)
        found.append((name, Target(file, "--also")))
    return found
