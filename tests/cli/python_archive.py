# SPDX-License-Identifier: Apache-2.0
"""The frames of an archive against what `evenhand archive ... --json` prints, and hostile archives.
usage: python_archive.py same ARCHIVE | hostile ARCHIVE"""
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import zlib

import evenhand
from evenhand.errors import clean

what, place = sys.argv[1:]
bad = 0


def differ(*words):
    global bad
    bad += 1
    print(*words)


def answer(*words):
    return json.loads(subprocess.run([os.environ["EVENHAND"], "archive", *words, "--db", place, "--json"], check=True,
                                     stdout=subprocess.PIPE).stdout)


def told(value):
    """As a frame has it; None where it is absent."""
    return " ".join(map(clean, value)) if type(value) is list else clean(value) if type(value) is str else value


def compare(name, frame, want):
    if len(want) != len(frame) or not want:
        differ(name, "has", len(frame), "rows and not", len(want))
    for i, (row, expected) in enumerate(zip(frame.to_dict("records"), want)):
        found = {key: value for key, value in row.items() if value == value}
        if found != {key: told(value) for key, value in expected.items()}:
            differ(name, "row", i, "is", found, "and not", expected)
            break
    if list(frame.columns) != list(evenhand.columns("archive." + name)["column"]):
        differ(name, "has the columns", list(frame.columns))


def same():
    with evenhand.open_archive(place) as archive:
        every = answer("list", "--last", "0")
        compare("results", archive.results(), every)
        some = ["--executor", "cuda:a", "--since", "2026-02-03", "--until", "2026-02-20T08"]
        part = {"executor": "cuda:a", "since": "2026-02-03", "until": "2026-02-20T08"}
        compare("results", archive.results(**part), answer("list", "--last", "0", *some))
        for case in "*", "triad.n1", "*.n[01]":
            compare("cases", archive.cases(case), [{**r["line"], **r["point"]} for r in answer("query", case, "--last", "0")])
            for filters, options in ({}, []), (part, some), ({"protocol": "big", "device": "CPU"}, ["--protocol", "big"]):
                histories = answer("history", case, "--last", "0", *options)
                compare("history", archive.history(case, **filters),
                        [{**h["line"], **point} for h in histories for point in h["points"]])
        notes = answer("history", "triad.n1", "--last", "0", "--executor", "cuda:a")[0]["notes"]
        compare("annotations", archive.annotations(), notes)
        named = sorted((mark, entry["digest"]) for entry in every for mark in entry["marks"])
        if sorted(archive.marks().itertuples(index=False, name=None)) != named or not named:
            differ("marks are", archive.marks())
        for word in "nightly", every[0]["digest"], every[-1]["digest"][:9]:
            records = archive.read(word).records
            want = {entry["digest"] for entry in every if word in entry["marks"] or entry["digest"].startswith(word)}
            if {record["digest"] for record in records} != want or not want:
                differ("read", word, "gives", records)
        for ask, sentence in ((lambda: archive.read("bsae"), "its marks: nightly"), (lambda: archive.read("abcde"), "neither"),
                              (lambda: archive.history("triad.n9"), "there is no case triad.n9; did you mean triad.n")):
            refused(ask, sentence)


def refused(ask, sentence):
    try:
        differ("is given:", ask())
    except evenhand.EvenhandError as error:
        if sentence not in str(error) or not str(error).isprintable() or len(str(error)) > 500:
            differ(repr(sentence), "is not in", repr(str(error)))
    except Exception as error:  # what must not be
        differ(sentence, "raises", type(error).__name__, error)


def everything():
    with evenhand.open_archive("hostile.db") as archive:
        archive.results(), archive.cases(), archive.history("triad.n1"), archive.marks(), archive.annotations()
        return archive.read("nightly")


def damage(sql, sentence, *values):
    shutil.copy(place, "hostile.db")
    db = sqlite3.connect("hostile.db")
    if values:
        db.execute(sql, values)
    else:
        db.executescript(sql)
    db.commit()
    db.close()
    refused(everything, sentence)


def hostile():
    shutil.copy(place, "hostile.db")
    everything()
    with open("/proc/self/statm", encoding="ascii") as file:
        room = int(file.read().split()[0]) * resource.getpagesize() + (512 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    for table in "meta", "stack", "series", "kind", "history", "result", "measurement", "mark", "annotation":
        damage(f"DROP TABLE {table}", f"no table {table}")
        damage(f"ALTER TABLE {table} RENAME TO t; CREATE VIEW {table} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
               "SELECT i FROM n) SELECT t.* FROM t, n", f"no table {table}")
    damage("ALTER TABLE series ADD COLUMN x TEXT AS (hex(zeroblob(400000000)))", "table series is not one that")
    damage(f"ALTER TABLE series ADD COLUMN x TEXT DEFAULT '{'9' * 100}'", "table series is not one that")
    damage("ALTER TABLE result RENAME COLUMN tester TO other", "no such column: tester")
    for value, sentence in ("9999", "newer evenhand (step 9999, this"), ("1", "older evenhand"), ("'x'", "its step"), ("1.5", "its"):
        damage(f"UPDATE meta SET value = {value}", sentence)
    damage("DELETE FROM meta", "is no archive of evenhand")
    for table, column, value, sentence in (
            ("result", "status", "'\u001b[31m'", "entry: status is not one of complete|"), ("result", "cases", "-1", "entry: cases"),
            ("result", "size", "-1", "entry: size is not"), ("result", "name", "x'61'", "entry: name is not"),
            ("result", "tester", "x'00ff'", "entry: tester is not text"), ("result", "tester", "CAST(x'ff' AS TEXT)", "UTF-8"),
            ("series", "device", "x'00'", "entry: device is not text"), ("series", "executor", "x'00'", "executor is not text"),
            ("measurement", "value", "9e999", "value is not a number"), ("measurement", "value", "'much'", "value is not a number"),
            ("measurement", "samples", "1.5", "point: samples"), ("kind", "tier", "'loud'", "line: tier is not one of"),
            ("stack", "digest", "x'61'", "stack is not text"), ("annotation", "words", "x'61'", "note: words is not text"),
            ("mark", "name", "x'61'", "a mark is not text")):
        damage(f"UPDATE OR IGNORE {table} SET {column} = {value}", sentence)
    other = "are not those that were added"
    for change in "packed = substr(packed, 1, 100)", "packed = 'text'", "packed = x''", "size = size - 1", \
            "size = size + 1", "size = 1 << 40", "file_sha256 = 'x'":
        damage(f"UPDATE result SET {change}", other)
    bomb = zlib.compressobj(1)
    packed = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(1024)) + bomb.flush()
    damage("UPDATE result SET packed = ?, size = 100000", other, packed)
    damage("UPDATE result SET packed = ?, size = 2, file_sha256 = "
           "'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'", "no result of evenhand", zlib.compress(b"{}"))
    body = open(place, "rb").read()
    for made, sentence in ((b"", "no table meta"), (b"noise " * 99, "file is not a database"), (body[:8192], "archive hostile.db")):
        with open("hostile.db", "wb") as file:
            file.write(made)
        refused(everything, sentence)
    for at in range(300, len(body), len(body) // 40):  # random damage: a sentence, or nothing
        with open("hostile.db", "wb") as file:
            file.write(body[:at] + bytes(b ^ 0xff for b in body[at:at + 90]) + body[at + 90:])
        try:
            everything()
        except evenhand.EvenhandError:
            pass
    refused(lambda: evenhand.open_archive("/dev/zero"), "is not a file")


{"same": same, "hostile": hostile}[what]()
sys.exit(bad > 0)
