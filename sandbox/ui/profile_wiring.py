"""Connects who the person is, and whether the character is told."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sandbox.ui.acts import Acts
from sandbox.ui.parts import Parts

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_profile(wiring: "Wiring", parts: Parts, acts: Acts, settings: Sequence[Any]) -> None:
    """Connect the profile's form and its switch; `settings` is what `Acts.adjust` takes."""
    side, about = parts.side, [parts.side.about]
    told = wiring.on(side.knows.input, acts.know, [*wiring.who, side.knows], [side.knows])
    wiring.refresh(wiring.then(told.then, acts.adjust, settings, []))
    wiring.on(side.profile.edit, acts.describing, wiring.who, [*about, side.self_text])
    triggers = [side.describe.click, side.self_text.submit]
    described = wiring.on(triggers, acts.describe, [*wiring.who, side.self_text], about)
    wiring.refresh(wiring.then(described.then, acts.adjust, settings, []))
    wiring.on(side.leave.click, acts.described, [], about)
