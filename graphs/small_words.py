"""Short lists of words by what they do to a text, in the languages most often met."""

EMPTY = (
    "a an the this that these those of in on at for with by as and it its is are was were am be "
    "been being has have had do does did there here now still also too very her his their s "
    "der die das ein eine und ist war hat im am le la les un une et est el los las es y il lo e "
    "het een en van"
)
"""Words that say nothing alone."""
TURNING = (
    "not no never none neither nor without cannot longer anymore stopped quit until unless except "
    "only if former formerly used plans planned intends wants will would may might maybe perhaps "
    "nicht kein keine keinen nie niemals ohne mehr wenn falls niet geen nooit zonder meer tenzij "
    "ne pas jamais sans plus si ni sin nunca jamás ya não nem sem non mai senza più "
    "не нет никогда без nie bez لا لم ليس بدون לא אין नहीं 不 没 沒 未 非 无 無 别 ない ไม่"
)
"""Words that turn what is said: both texts must have the same ones."""
WAYS = (
    "from to into until till since before after von nach aus bis zu naar uit de à desde hasta a da "
    "из в до с"
)
"""Words that say which way round something is."""
DATES = (
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday"
)
"""What dates are worked out to."""
