# SPDX-License-Identifier: Apache-2.0
"""The errors of this package, and texts of others in one line that no terminal obeys."""
import re

# The same as text_clean in core/base/text.c.
_SPACE = re.compile("[\t\n\r]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_MESSAGE_MOST = 400


class EvenhandError(ValueError):
    """What cannot be read.  The message is a sentence with the place."""

    def __init__(self, sentence):
        clean_one = clean(sentence.encode("utf-8", "replace").decode("utf-8"))
        short = clean_one[:_MESSAGE_MOST]
        super().__init__(short if short == clean_one else short + "...")


class ResultError(EvenhandError):
    """A file that is no result, or one that is malformed."""


class ArchiveError(EvenhandError):
    """An archive that cannot be read, is malformed, or has not what was asked for."""


def clean(words):
    """One line that no terminal obeys: what the program prints of the text."""
    if words.isprintable():
        return words
    return _CONTROL.sub(lambda m: "?" * len(m.group().encode()), _SPACE.sub(" ", words))
