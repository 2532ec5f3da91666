# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a result: bytes, JSON, structure."""
import json
import math
import os
import stat

from .errors import ResultError
from .structure import Misfit, check
from .tables import TABLES

_NUMBER_MOST = 60  # characters, as in core/base/json_scan.c
_KNOWN = TABLES["format_version"]


def _refused(place, sentence):
    return ResultError(f"{place}: {sentence}")


# ---- bytes ----------------------------------------------------------------------------------------


def _bytes(name):
    most = TABLES["file_most"]
    mode = os.stat(name).st_mode
    if not stat.S_ISREG(mode):
        raise _refused(name, "is not a file")
    with open(name, "rb") as file:
        body = file.read(most + 1)
    if len(body) > most:
        raise _refused(name, f"has more than {most >> 20} MiB, the most that a result may have")
    if body[:2] == b"\x1f\x8b":
        raise _refused(name, "is packed; if it is a bundle, unpack it: evenhand bundle --unpack DIR FILE")
    return body


def _utf8(name, body):
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
    raise _refused(f"{name}:{line}", "has bytes that are not UTF-8")


# ---- JSON -----------------------------------------------------------------------------------------


def _members(pairs):
    members = dict(pairs)
    if len(members) < len(pairs):
        seen = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise Misfit("is a member twice", twice)
    return members


def _whole(digits):
    if len(digits) > _NUMBER_MOST:
        raise Misfit(f"has a number of more than {_NUMBER_MOST} characters")
    return int(digits)


def _double(digits):
    if len(digits) > _NUMBER_MOST:
        raise Misfit(f"has a number of more than {_NUMBER_MOST} characters")
    value = float(digits)
    if math.isinf(value):
        raise Misfit("has a number beyond the range of a double")
    return value


def _constant(word):
    raise Misfit(f"has {word}, which is not JSON")


def _json(name, text):
    try:
        return json.loads(text, object_pairs_hook=_members, parse_int=_whole, parse_float=_double,
                          parse_constant=_constant)
    except Misfit as misfit:
        sentence = str(misfit)
    except json.JSONDecodeError as error:
        name, sentence = f"{name}:{error.lineno}:{error.colno}", "this is not valid JSON"
    except RecursionError:
        sentence = "is nested deeper than any result"
    raise _refused(name, sentence)


# ---- the record -----------------------------------------------------------------------------------


def _check_version(name, value):
    if type(value) is not dict or value.get("format") != "evenhand-result":
        raise _refused(name, 'is no result of evenhand: its "format" is not "evenhand-result"')
    version = value.get("format_version")
    if type(version) is int and version != _KNOWN:
        raise _refused(name, f"is of format {version}, and this reader knows format {_KNOWN}; install the "
                       "reader of the evenhand that wrote it")


def _check_ids(name, record):
    seen = set()
    for i, case in enumerate(record["cases"]):
        if case["id"] in seen:
            raise _refused(name, f"cases[{i}].id is that of another case")
        seen.add(case["id"])


def record_of(name, body):
    """The record of a file's bytes as a dict.  ResultError for what is no result."""
    value = _json(name, _utf8(name, body))
    _check_version(name, value)
    try:
        record = check(value, "result")
    except Misfit as misfit:
        sentence = str(misfit)
    else:
        _check_ids(name, record)
        return record
    raise _refused(name, sentence)


def read_record(path):
    """The same of a file; OSError where it cannot be opened."""
    name = os.fsdecode(path)
    return record_of(name, _bytes(name))
