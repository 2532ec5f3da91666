# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile files: ResultError in one line, never another exception, in reading and in frames.
usage: python_hostile.py GOLDEN.json FILE..."""
import contextlib
import random
import re
import sys

import evenhand

golden = open(sys.argv[1], "rb").read()
bad = 0


def tell(*words):
    global bad
    bad += 1
    print(*words)


def attempt(path):
    """The sentence of the refusal, or "" where all frames were made."""
    try:
        results = evenhand.read(path)
        frames = results.cases(), results.samples(), results.layers()
        str(frames)
    except evenhand.ResultError as error:
        if not str(error).isprintable() or len(str(error)) > 500:
            tell(path, "the sentence is no line:", repr(str(error)))
        return str(error)
    except Exception as error:  # what must not be
        tell(path, type(error).__name__, error)
        return repr(error)
    return ""


def of_bytes(body, sentence=None):
    with open("hostile.json", "wb") as file:
        file.write(body)
    said = attempt("hostile.json")
    if sentence is not None and not re.search(sentence, said):
        tell(repr(sentence), "is not in", repr(said))
    return said


def swap(old, new, sentence):
    assert golden.count(old) > 0, old
    of_bytes(golden.replace(old, new, 1), sentence)


of_bytes(golden, "^$")
# ---- JSON -----------------------------------------------------------------------------------------
of_bytes(b"", "^hostile.json:1:1: this is not valid JSON$")
of_bytes(golden[:5000], "not valid JSON")
of_bytes(golden + b" x", "not valid JSON")
of_bytes(b"\xef\xbb\xbf" + golden, "not valid JSON")
of_bytes(b"\0" * 100, "not valid JSON")
of_bytes(b"[" * 100000, "nested deeper")
of_bytes(b'{"a":' * 100000, "nested deeper")
of_bytes(b"[]", "no result of evenhand")
of_bytes(b"\x1f\x8b\x08" + bytes(50), "packed.*evenhand bundle --unpack")
swap(b'"tester":"Test"', b'"tester":"T\xff"', r":6: has bytes that are not UTF-8$")
swap(b'"tester":"Test"', b'"tester":"T\\u0000"', "who.tester is not text")
swap(b'"tester":"Test"', b'"tester":"T\\ud800"', "who.tester is not text")
swap(b'"tester":"Test"', b'"tester":"\x01"', "not valid JSON")
swap(b'"tester":"Test"', b'"tester":"Test","tester":"x"', "tester is a member twice")
swap(b'"seed":42', b'"seed":NaN', "NaN, which is not JSON")
swap(b'"seed":42', b'"seed":-Infinity', "-Infinity, which is not JSON")
swap(b'"seed":42', b'"seed":1e999', "beyond the range of a double")
swap(b'"seed":42', b'"seed":' + b"9" * 50000, "more than 60 characters")
swap(b'"seed":42', b'"seed":0.' + b"9" * 50000, "more than 60 characters")
# ---- structure ------------------------------------------------------------------------------------
swap(b'"format": "evenhand-result"', b'"format": "other"', "no result of evenhand")
swap(b'"format_version": 1', b'"format_version": 2', "is of format 2, and this reader knows format 1")
swap(b'"format_version": 1', b'"format_version": true', "format_version is not a whole number")
swap(b'"format_version": 1,', b"", "format_version is missing")
swap(b'"dirty":false', b'"dirty":0', "harness.dirty is not true or false")
swap(b'"dirty":false', b'"dirty":false,"soiled":1', "harness.soiled is not a member")
swap(b'"dirty":false', b'"dirty":false,"\\u001b[31m":1', r"harness.\?\[31m is not a member")
swap(b'"tester":"Test",', b"", "who.tester is missing")
swap(b'"seed":42', b'"seed":-1', "seed is not a whole number that is not negative")
swap(b'"seed":42', b'"seed":1.5', "seed is not a whole number that is not negative")
swap(b'"seed":42', b'"seed":9007199254740993', "seed is not a whole number that is not negative")
swap(b'"seed":42', b'"seed":"42"', "seed is not a whole number that is not negative")
swap(b'"seed":42', b'"seed":"9007199254740993"', "^$")
swap(b'"seed":42', b'"seed":4.2e1', "^$")
swap(b'"tier":"portable"', b'"tier":"loud"', r"cases\[0\].tier is not one of portable\|tuned\|vendor")
swap(b'"samples_ns":[', b'"samples_ns":["9007199254740993",', "^$")
swap(b'"samples_ns":[', b'"samples_ns":["9300000000000000000",', "time_ns is 93000.*, and a frame")
swap(b'"samples_ns":[', b'"samples_ns":[[', r"cases\[0\].executions\[0\].samples_ns|not valid")
swap(b'"id":"dot.f32.64MiB"', b'"id":"triad.f32.64MiB"', "^$")  # of the plan
of_bytes(golden.replace(b'"id":"dot.f32.64MiB"', b'"id":"triad.f32.64MiB"'), r"cases\[1\].id is that of")
for terminal in (b"\\u001b[2J", b"\\u009b", b"\\u202e", b"\\n"):
    swap(b'"name":"host:gcc-12"', b'"name":"' + terminal + b'"', "^$")
    name = evenhand.read("hostile.json").cases()["executor"][0]
    if not name.isprintable():
        tell("a terminal obeys", repr(name))
# ---- any file, and damage at random ---------------------------------------------------------------
for path in sys.argv[2:]:
    if attempt(path) == "":
        tell(path, "is taken for a result")
chance = random.Random(7)
PIECES = (b"9", b"-", b'"', b"}", b"[", b"1e308", b"null", b"{}")
refused = 0
for _ in range(150):
    body = bytearray(golden)
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(len(body))
        body[at:at + chance.choice((0, 1, 1, 40))] = chance.choice(PIECES)
    refused += of_bytes(bytes(body)) != ""
if not 50 < refused < 150:
    tell(refused, "of 150 damaged files are refused")
with contextlib.suppress(OSError):
    tell("there is", evenhand.read("no-such-file.json"))
for path, sentence in ((".", "holds no result"), ("/dev/zero", "is not a file")):
    if sentence not in attempt(path) and path != ".":
        tell(path, "is read")
for what in (b"a,b\r\n1,2\r\n", b"\xff\xfe", b""):
    with open("hostile.csv", "wb") as file:
        file.write(what)
    try:
        tell(what, "is an export:", evenhand.read_csv("hostile.csv"))
    except evenhand.ResultError:
        pass
sys.exit(bad > 0)
