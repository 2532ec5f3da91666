# SPDX-License-Identifier: Apache-2.0
"""Checks a record by the tables, member by member, as the program does when it reads one."""
import math
import re

from .tables import TABLES

_STRUCTS, _WORDS = TABLES["structs"], TABLES["words"]
_EXACT = 2**53  # whole numbers above it are texts of digits
_UINT_END = 2**64 - 1
_INT_MOST = 2**31 - 1
_SHA256 = re.compile("[0-9a-f]{64}")
_LARGE = re.compile("[1-9][0-9]{15,19}")

_IS_NOT = {
    "text": "text",
    "sha256": "a SHA-256 of 64 hex digits",
    "sha256-or-empty": "a SHA-256 of 64 hex digits, or empty",
    "bool": "true or false",
    "maybe": "true or false",
    "number": "a number",
    "uint": "a whole number that is not negative",
    "int": "a whole number",
    "scalar": "text, a number, true or false",
    "words": "an array of words",
    "texts": "an array of texts",
    "uints": "an array of whole numbers that are not negative",
    "numbers": "an array of numbers",
    "text-map": "an object of texts",
    "number-map": "an object of numbers",
    "texts-map": "an object of arrays of texts",
    "object": "an object",
    "list": "an array of objects",
    "map": "an object of objects",
}


class Misfit(Exception):
    """What is wrong with a value, and the steps that lead to it, the last one first."""

    def __init__(self, sentence, *steps):
        super().__init__(sentence)
        self.sentence, self.steps = sentence, list(steps)

    def __str__(self):
        place = ""
        for step in reversed(self.steps):
            place += f"[{step}]" if isinstance(step, int) else f".{step:.40}" if place else f"{step:.40}"
        return f"{place or 'the whole'} {self.sentence}"


def _misfit(kind):
    return Misfit("is not " + _IS_NOT[kind])


# ---- values ---------------------------------------------------------------------------------------


def _text(value):
    if type(value) is not str or "\0" in value:
        raise _misfit("text")
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        raise _misfit("text") from None
    return value


def _sha256(value):
    if type(value) is not str or not _SHA256.fullmatch(value):
        raise _misfit("sha256")
    return value


def _sha256_or_empty(value):
    return value if value == "" else _sha256(value)


def _bool(value):
    if type(value) is not bool:
        raise _misfit("bool")
    return value


def _number(value):
    if type(value) not in (int, float) or not math.isfinite(value):
        raise _misfit("number")
    return float(value)


def _whole(value, kind):
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise _misfit(kind)
    return value


def _uint(value):
    if type(value) is str and _LARGE.fullmatch(value) and _EXACT < int(value) < _UINT_END:
        return int(value)
    value = _whole(value, "uint")
    if not 0 <= value <= _EXACT:
        raise _misfit("uint")
    return value


def _int(value):
    value = _whole(value, "int")
    if abs(value) > _INT_MOST:
        raise _misfit("int")
    return value


def _scalar(value):
    return value if type(value) is bool else _text(value) if type(value) is str else _number(value)


_PLAIN = {
    "text": _text, "sha256": _sha256, "sha256-or-empty": _sha256_or_empty, "bool": _bool,
    "maybe": _bool, "number": _number, "uint": _uint, "int": _int, "scalar": _scalar,
}


# ---- arrays and objects ---------------------------------------------------------------------------


def _word(value, member):
    words = _WORDS[member["of"]]
    if type(value) is not str or value not in words:
        raise Misfit("is not one of " + "|".join(words))
    return value


def _array(value, kind, element):
    if type(value) is not list:
        raise _misfit(kind)
    for i, one in enumerate(value):
        try:
            value[i] = element(one)
        except Misfit as misfit:
            misfit.steps.append(i)
            raise
    return value


def _uints(value):
    """The same as _array, quickly for what nearly all arrays are: there are millions of samples."""
    if type(value) is list and set(map(type, value)) == {int} and min(value) >= 0 and max(value) <= _EXACT:
        return value
    return _array(value, "uints", _uint)


def _object(value, kind, inner):
    if type(value) is not dict:
        raise _misfit(kind)
    for key, one in value.items():
        _text(key)
        try:
            value[key] = inner(one)
        except Misfit as misfit:
            misfit.steps.append(key)
            raise
    return value


def _texts(value):
    return _array(value, "texts", _text)


def check(value, name):
    """The struct of that name: whole numbers as int, also those that are there as texts, others as
    float.  Misfit for the first member that is not what the table says."""
    members = _STRUCTS[name]["members"]
    if type(value) is not dict:
        raise _misfit("object")
    for key in value:
        if key not in members:
            raise Misfit(f"is not a member of format {TABLES['format_version']}", key)
    for key, member in members.items():
        if key not in value:
            if member["need"] == "must":
                raise Misfit("is missing", key)
            continue
        try:
            value[key] = _member(value[key], member)
        except Misfit as misfit:
            misfit.steps.append(key)
            raise
    return value


_LISTED = {
    "words": lambda v, m: _array(v, "words", lambda one: _word(one, m)),
    "texts": lambda v, m: _texts(v),
    "uints": lambda v, m: _uints(v),
    "numbers": lambda v, m: _array(v, "numbers", _number),
    "text-map": lambda v, m: _object(v, "text-map", _text),
    "number-map": lambda v, m: _object(v, "number-map", _number),
    "texts-map": lambda v, m: _object(v, "texts-map", _texts),
    "word": _word,
    "object": lambda v, m: check(v, m["of"]),
    "list": lambda v, m: _array(v, "list", lambda one: check(one, m["of"])),
    "map": lambda v, m: _object(v, "map", lambda one: check(one, m["of"])),
}


def _member(value, member):
    plain = _PLAIN.get(member["kind"])
    return plain(value) if plain else _LISTED[member["kind"]](value, member)
