"""Capture: what one session holds that is worth remembering (DyadMem)."""

from dataclasses import dataclass, field

from graphs.chat_model import Answer, ChatModel, Sampling, T, UnreadableAnswer
from graphs.forms import CapturedItem, CaptureForm, ForgetItem
from graphs.spoken import OVERLAP, Part, Spoken, days, lines, parts, tokens
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
    seconds: float | None
    """Null, as are the tokens, for an answer that was cut off."""
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

    A part whose answer is cut off at the token limit is read again in halves, so that no entry is
    lost to the limit; a single utterance is not halved. `prompt` names the prompt file.

    Raises:
        ModelError: if an answer could not be had or read.
    """
    frame = _prompt(prompt, spoken, "")
    room = max(256, model.context_tokens * 9 // 10 - tokens(frame) - ANSWER_TOKENS)
    waiting = parts(spoken, room)
    found = Captured([], notes=_notes(waiting, room))
    halved = 0
    while waiting:
        part = waiting.pop(0)
        read = _read(prompt, spoken, part, model)
        found.calls.append(read.call)
        if read.form is None:
            waiting[:0] = _halves(part)
            halved += 1
            continue
        found.items.extend((item, _asked(part)) for item in read.form.entries)
        found.forget.extend((item, _asked(part)) for item in read.form.forget)
    found.notes.extend(_halved(halved))
    return found


@dataclass(frozen=True, slots=True)
class _Read:
    """What one part gave."""

    call: Call
    form: CaptureForm | None
    """Null where the answer was cut off and the part can be halved."""


def _read(prompt: str, spoken: Spoken, part: Part, model: ChatModel) -> _Read:
    """Ask about one part. A briefer answer counts only where there is nothing to halve."""
    asked = _prompt(prompt, spoken, lines(spoken, part))
    single = part.end - part.start < 2
    try:
        answer = model.answer([{"role": "user", "content": asked}], CaptureForm, SAMPLING)
    except UnreadableAnswer as error:
        if single or not error.cut:
            raise
        return _Read(_cut_call(prompt, model, error), None)
    call = call_record("capture", prompt, model, answer)
    return _Read(call, None if answer.cut and not single else answer.value)


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


def _cut_call(prompt: str, model: ChatModel, error: UnreadableAnswer) -> Call:
    """The call whose answer was cut off, as it is kept."""
    return Call(
        stage="capture",
        prompt=prompt_hash("graphs", prompt),
        model=model.name,
        raw=error.raw,
        seconds=None,
        prompt_tokens=None,
        completion_tokens=None,
        how="cut off",
        repaired=True,
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


def _halves(part: Part) -> list[Part]:
    """A part of two utterances or more as two, the second with what is said before it."""
    middle = (part.start + part.end) // 2
    shown = max(part.shown, middle - OVERLAP)
    return [Part(part.shown, part.start, middle), Part(shown, middle, part.end)]


def _halved(count: int) -> list[str]:
    if not count:
        return []
    times = "once" if count == 1 else f"{count} times"
    return [
        f"An answer was cut off at {ANSWER_TOKENS} tokens {times}: that part of the session was "
        "read again in two halves."
    ]


def _notes(cut: list[Part], room: int) -> list[str]:
    if len(cut) < 2:
        return []
    return [
        f"The session was read in {len(cut)} parts of at most about {room} tokens, because it is "
        "larger than the model's window."
    ]
