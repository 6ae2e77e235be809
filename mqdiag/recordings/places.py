"""Stacks of a recording, each once, with what they mean."""

from __future__ import annotations

from mqdiag.threads.stack_meaning import StackMeaning, meaning_of_frames

CONSTRUCTOR = ".<init>"
LOST = "?"
"""a frame whose method is not among the constants: JDK 8 does not write those that JFR itself changed"""


class Places:
    """Stacks by place; place 0 is that of an event without a stack."""

    def __init__(self) -> None:
        self._frames: list[tuple[str, ...]] = [()]
        self._places: dict[tuple[str, ...], int] = {(): 0}
        self._meanings: dict[int, StackMeaning] = {}

    def add(self, frames: tuple[str, ...]) -> int:
        """The place of a stack, top first."""
        place = self._places.get(frames)
        if place is None:
            place = self._places[frames] = len(self._frames)
            self._frames.append(frames)
        return place

    def frames(self, place: int) -> tuple[str, ...]:
        """The frames of a stack that are known."""
        return tuple(frame for frame in self._frames[place] if frame != LOST)

    def without_constructors(self, place: int) -> int:
        """The place of the same stack from the first frame on that makes no object: where an exception was made."""
        frames = self._frames[place]
        first = next((at for at, frame in enumerate(frames) if CONSTRUCTOR not in frame), 0)
        return self.add(frames[first:])

    def shows_top(self, place: int) -> bool:
        """Whether what the thread does is known: its top frame is."""
        return self._frames[place][:1] not in ((), (LOST,))

    def meaning(self, place: int) -> StackMeaning:
        """What a stack means."""
        found = self._meanings.get(place)
        if found is None:
            found = self._meanings[place] = meaning_of_frames(self.frames(place), None)
        return found

    def own_frame(self, place: int) -> str | None:
        """The application's own frame nearest to the top."""
        return self.meaning(place).own_frame if place else None

    def shown_frame(self, place: int) -> str:
        """The same, else the top frame."""
        return self.own_frame(place) or next(iter(self.frames(place)), LOST)
