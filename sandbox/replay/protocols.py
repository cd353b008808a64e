"""Whose prompts ask for the replies of a test case: its benchmark's, or the sandbox's own.

A file of a benchmark is asked with that benchmark's prompts, so that its figures can stand beside
published ones. What was made here, and the shipped collection, is asked as it was found: in the
sandbox's own words, with the date, and with the emotion and the scene of the moment.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from graphs.state import ReplyProtocol
from sandbox.instances import Instance

Prompts = Literal["file", "benchmark", "sandbox"]
"""`file`: what fits the file. `benchmark`: those of the benchmark that has such cases, whoever made
the file. `sandbox`: its own."""
PROMPTS: tuple[Prompts, ...] = get_args(Prompts)
ASKED: Mapping[ReplyProtocol, str] = {
    "free": "the sandbox's own prompts (date, emotion and scene are told)",
    "stratmem": "StratMem-Bench's prompts (the entries' texts alone)",
    "madial_1": "MADial-Bench's prompts for setting 1 (the date is told)",
    "madial_2_3": "MADial-Bench's prompts for settings 2 and 3 (choose one event or none; the date "
    "is told)",
}
"""What each protocol is, to end a sentence that begins with "asked with"."""


def is_madial(instance: Instance) -> bool:
    """Whether it is of MADial-Bench, or in its format."""
    return instance.source.lower().startswith("madial")


def protocol_of(
    instance: Instance, gear: str | None = None, prompts: Prompts = "file"
) -> ReplyProtocol:
    """The protocol under a replay's gear; null: outside of a replay, where own recall serves."""
    if prompts == "sandbox":
        return "free"
    if is_madial(instance):
        return "madial_1" if gear == "gold" else "madial_2_3"
    if instance.source.lower().startswith("stratmem"):
        return "stratmem"
    return "stratmem" if instance.roles and prompts == "benchmark" else "free"


def prompts_of(instance: Instance) -> tuple[Prompts, ...]:
    """What can be chosen from for this case, the usual one first; each asks in another way."""
    usual, seen = protocol_of(instance), ["file"]
    for other in PROMPTS[1:]:
        if protocol_of(instance, None, other) != usual:
            seen.append(other)
    return tuple(one for one in PROMPTS if one in seen)


def prompts_as(instance: Instance, protocol: ReplyProtocol) -> Prompts:
    """Which of `prompts_of` asks by this protocol, outside of a replay."""
    fitting = (one for one in prompts_of(instance) if protocol_of(instance, None, one) == protocol)
    return next(fitting, "file")
