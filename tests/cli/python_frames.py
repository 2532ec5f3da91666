# SPDX-License-Identifier: Apache-2.0
"""The frames of results against what `evenhand export` writes of the same files, column by column.
usage: python_frames.py FILE[,FILE...]..."""
import csv
import os
import subprocess
import sys

import evenhand
import pandas

JUDGED = {"evidence", "baseline", "speedup", "speedup_low", "speedup_high", "margin", "verdict"}
bad = 0


def differ(*words):
    global bad
    bad += 1
    print(*words)


def exported(files, form):
    subprocess.run([os.environ["EVENHAND"], "export", *files, "--as", form, "-o", "export.csv"], check=True)
    with open("export.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def same(value, words):
    """Whether the frame's value is that of the export, to the last digit."""
    if value is pandas.NA or value != value:
        return words == ""
    if isinstance(value, str):
        return value == words or (value[:1] in ("=", "+", "-", "@") and words == "'" + value)
    return words != "" and value == type(value)(words)


def compare(files, form, frame):
    rows = exported(files, form)
    want = [name for name in rows[0] if form == "samples" or name not in JUDGED]
    if list(frame.columns) != want:
        differ(files, form, "has the columns", want, "and the frame", list(frame.columns))
    if len(rows) != len(frame):
        differ(files, form, "has", len(rows), "rows and the frame", len(frame))
    for name in frame.columns:
        # Of several results the program tells names apart, where they are the same, by their files.
        if name == "executor" and frame[name].nunique() < len(files):
            continue
        wrong = [i for i, (value, row) in enumerate(zip(frame[name], rows)) if not same(value, row[name])]
        if wrong:
            i = wrong[0]
            differ(files, form, name, "of row", i, "is", repr(frame[name][i]), "and not", repr(rows[i][name]))
    return rows


def read_back(files, rows, frame):
    """read_csv of an export has the same types, and the columns that the program decides."""
    table = evenhand.read_csv("export.csv")
    if list(table.columns) != list(rows[0]) or len(table) != len(rows):
        differ(files, "read_csv has other columns or rows")
    for name in frame.columns:
        if table[name].dtype != frame[name].dtype:
            differ(files, "read_csv:", name, "is", table[name].dtype, "and not", frame[name].dtype)
    for name in table.columns:
        wrong = [i for i, row in enumerate(rows) if not same(table[name][i], row[name])]
        if wrong:
            differ(files, "read_csv:", name, "of row", wrong[0], "is", repr(table[name][wrong[0]]))


for group in sys.argv[1:]:
    names = group.split(",")
    results = evenhand.read(names)
    for as_what, made in (("csv", results.cases()), ("samples", results.samples())):
        read_back(names, compare(names, as_what, made), made)
    layers, count = results.layers(), sum(len(r["executor"]["layers"]) for r in results.records)
    if len(layers) != count or layers["layer"].isna().any():
        differ(names, "layers: not those of the records")
sys.exit(bad > 0 or len(sys.argv) < 2)
