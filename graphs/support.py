"""Does an entry rest on its own utterance, or was it filled in from later ones?"""

from graphs.spoken import Spoken
from graphs.wording import People, dated, gist, loose, names, words

_MANY = 2


def only_later(text: str, number: int, spoken: Spoken) -> bool:
    """Whether `text`, which rests on utterance `number`, was filled in from later ones.

    It was where it has a name that was said only later, or shares more words with what was said
    only later than with its utterance. Dates that were worked out do not count, nor do words that
    nobody said.
    """
    people = People(spoken.user, spoken.agent)
    told = [one.text for one in spoken.utterances]
    own = _loose(told[number - 1])
    before = own | _loose(" ".join([*told[: number - 1], spoken.persona]))
    after = _loose(" ".join(told[number:])) - before
    said = {word for word in gist(text, people).words if not dated(word)}
    late = {word for word in said if loose(word) in after}
    if late & set(names(text)):
        return True
    return len(late) >= _MANY and len(late) > sum(loose(word) in own for word in said)


def _loose(text: str) -> set[str]:
    return {loose(word) for word in words(text)}
