"""Capture: what one session holds that is worth remembering (DyadMem)."""

from dataclasses import dataclass, field

from graphs.chat_model import Answer, ChatModel, Sampling, T
from graphs.forms import CapturedItem, CaptureForm, ForgetItem
from graphs.spoken import Part, Spoken, days, lines, parts, tokens
from graphs.templates import fence, prompt_hash, render

ANSWER_TOKENS = 1500
SAMPLING = Sampling(temperature=0.0, max_tokens=ANSWER_TOKENS, seed=0)


@dataclass(frozen=True, slots=True)
class Call:
    """One question to the model and its answer, kept for the record."""

    stage: str
    prompt: str
    """sha256 of the prompt file."""
    model: str
    raw: str
    seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    how: str
    repaired: bool


@dataclass(frozen=True, slots=True)
class Captured:
    """What the model found in a session, with the numbers of the utterances each part covered."""

    items: list[tuple[CapturedItem, range]]
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    forget: list[tuple[ForgetItem, range]] = field(default_factory=list)
    """What the user asks to forget."""


def capture_session(spoken: Spoken, model: ChatModel, prompt: str = "capture") -> Captured:
    """Ask the model what is worth remembering; a session that is too long is read in parts.

    `prompt` names the prompt file.

    Raises:
        ModelError: if an answer could not be had or read.
    """
    frame = _prompt(prompt, spoken, "")
    room = max(256, model.context_tokens * 9 // 10 - tokens(frame) - ANSWER_TOKENS)
    cut = parts(spoken, room)
    found = Captured([], notes=_notes(cut, room))
    for part in cut:
        asked = _prompt(prompt, spoken, lines(spoken, part))
        answer = model.answer([{"role": "user", "content": asked}], CaptureForm, SAMPLING)
        found.items.extend((item, _asked(part)) for item in answer.value.entries)
        found.forget.extend((item, _asked(part)) for item in answer.value.forget)
        found.calls.append(call_record("capture", prompt, model, answer))
    return found


def call_record(stage: str, prompt: str, model: ChatModel, answer: Answer[T]) -> Call:
    """The call that gave `answer`, as it is kept."""
    return Call(
        stage=stage,
        prompt=prompt_hash("graphs", prompt),
        model=model.name,
        raw=answer.raw,
        seconds=round(answer.usage.seconds, 3),
        prompt_tokens=answer.usage.prompt_tokens,
        completion_tokens=answer.usage.completion_tokens,
        how=answer.how,
        repaired=answer.repaired,
    )


def _prompt(prompt: str, spoken: Spoken, session: str) -> str:
    return render(
        "graphs",
        prompt,
        user=spoken.user,
        agent=spoken.agent,
        persona=" ".join(spoken.persona.split()),
        days=days(spoken),
        session=fence(session, "session"),
    )


def _asked(part: Part) -> range:
    return range(part.start + 1, part.end + 1)


def _notes(cut: list[Part], room: int) -> list[str]:
    if len(cut) < 2:
        return []
    return [
        f"The session was read in {len(cut)} parts of at most about {room} tokens, because it is "
        "larger than the model's window."
    ]
