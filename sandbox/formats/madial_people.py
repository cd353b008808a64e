"""Who talks in MADial-Bench: the assistant, Bart and Lisa, and the date of their talks.

The files name the two children by number and tell nothing else. Profiles and date come from the
release's prompts and its guide for annotators, put into our own words.
"""

from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

from personas.persona import Persona
from sandbox.instances import Human, made_persona

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
ASSISTANT = "Assistant"
USERS: Mapping[int, str] = {1: "Bart", 2: "Lisa"}
"""The children by `user-id`."""
RECORDED = "2024-06-15"
"""The day on which every dialogue is taken to happen. The files have none; the release's prompts
say 2024-06-15, 2024-07-04 or 2024-07-15, this one most often and in both languages."""
TIME = f"{RECORDED}T12:00:00+00:00"
_SUMMARY: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "Sociable, lively, never at a loss for words.",
        "Likes to praise the child and to cheer them on.",
        "Talks the way people talk: short, warm and kind, and never lectures.",
        "Meets the child as an equal and opens up, so that the two grow close.",
        "Keeps to plain words and a playful wit that a child enjoys.",
        "Exists only virtually and cannot do anything with a body.",
    ),
    "zh": (
        "性格开朗，待人热情，很会聊天。",
        "喜欢夸奖孩子，给孩子打气。",
        "说话像平常聊天：简短、亲切、温和，从不说教。",
        "把孩子当作平等的朋友，真心相待，越聊越亲近。",
        "用孩子听得懂的话，简单又有趣。",
        "只存在于虚拟世界，不能做任何需要身体的事。",
    ),
}
_PROFILES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "Bart": "A boy between 10 and 14, sociable and full of energy. Feels strongly, is curious "
        "about whatever is new, has many interests and joins in everywhere.",
        "Lisa": "A girl between 6 and 11, sociable and cheerful, good at many things, kind and "
        "dependable. Family and friends matter to her; she feels deeply and likes to win.",
    },
    "zh": {
        "Bart": "10到14岁的男孩，外向，精力充沛，感情丰富，兴趣很多，"
        "对新鲜事好奇，什么活动都想参加。",
        "Lisa": "6到11岁的女孩，外向乐观，多才多艺，善良，有责任心，"
        "看重家人和朋友，感情细腻，很想赢。",
    },
}


@cache
def assistant(language: Language) -> Persona:
    """The character that answers: the release's profile of the assistant, in six lines."""
    return made_persona(ASSISTANT, summary=_SUMMARY[language], language=language)


def child(user: int, language: Language) -> Human:
    """The child with this `user-id`, as the release's prompts tell a model about them."""
    name = USERS[user]
    return Human(name, _PROFILES[language][name])


def language_of(text: str) -> Language:
    """`zh` where Chinese characters make up a tenth of the text or more, else `en`."""
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    return "zh" if chinese * 10 >= max(1, len(text)) else "en"
