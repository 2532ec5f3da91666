#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large files that nobody would write in good faith, and what a command takes to refuse them.

usage: hostile.py make SHAPE MB RESULT OUT   a file of about that size, from a small honest result
       hostile.py bundle RESULT OUT                 a bundle of a result, whatever it is
       hostile.py list                       the shapes
       hostile.py peak SECONDS COMMAND...    runs it; prints its exit code, seconds and peak memory in kB
"""
import hashlib
import io
import json
import os
import signal
import sys
import tarfile
import time


def at(record, *path):
    for step in path:
        record = record[step]
    return record


def put(record, path, filler):
    """The text of the record with `filler` as the value at the path, as its begin and its end."""
    at(record, *path[:-1])[path[-1]] = "FILLER"
    return json.dumps(record, separators=(",", ":")).split('"FILLER"')


EXECUTION = ("cases", 0, "executions", 0)
TINY = json.dumps({"execution": 1, "status": "failed", "reasons": [], "flags": []}, separators=(",", ":"))
# path, opening, the element for an index, closing
SHAPES = {
    "rows": (("cases",), "[", lambda i: "{}", "]"),
    "numbers-as-rows": (("cases",), "[", lambda i: "7", "]"),
    "samples": (EXECUTION + ("samples_ns",), "[", lambda i: "1", "]"),
    "samples-up": (EXECUTION + ("samples_ns",), "[", lambda i: "%d" % (100000 + i), "]"),
    "reasons": (EXECUTION + ("reasons",), "[", lambda i: '""', "]"),
    "flags": (EXECUTION + ("flags",), "[", lambda i: '"steal"', "]"),
    "executions": (("cases", 0, "executions"), "[", lambda i: TINY, "]"),
    "parameters": (("cases", 0, "parameters"), "{", lambda i: '"%s%d":""' % ("p" * 40, 99999999 - i), "}"),
    "members": (("cases", 0), "{", lambda i: '"m%d":0' % i, "}"),
    "asked": (("run", "asked"), "[", lambda i: '"triad.n%08d"' % (99999999 - i), "]"),
    "order": (("run", "order"), "[", lambda i: '{"position":%d,"execution":%d}' % (i + 1, i + 1), "]"),
    "layers": (("executor", "layers"), "[", lambda i: "{}", "]"),
    "digests": (("digests", "cases"), "[", lambda i: '"%064x"' % i, "]"),
    "salts": (("salts",), "{", lambda i: '"executor.layers[%d].path":"%032x"' % (i, i), "}"),
    "unknown": (("more",), "{", lambda i: '"m%d":0' % i, "}"),
    "text": (("protocol", "text"), '"', lambda i: "name = big\\n", '"'),
}


def make(shape, size, result, out):
    with open(result, encoding="utf-8") as f:
        record = json.load(f)
    size = int(float(size) * 1e6)
    with open(out, "w", encoding="utf-8") as f:
        if shape == "nesting":
            f.write("[" * size)
        elif shape == "string":
            f.write('{"format":"' + "a" * size + '"}')
        elif shape == "open-string":
            f.write(json.dumps(record)[:-1] + ',"' + "a" * size)
        else:
            path, opening, element, closing = SHAPES[shape]
            begin, end = put(record, path, None)
            f.write(begin + opening)
            i, used, comma = 0, 0, "" if opening == '"' else ","
            while used < size:
                part = comma.join(element(k) for k in range(i, i + 10000))
                f.write((comma if i > 0 else "") + part)
                used += len(part) + 1
                i += 10000
            f.write(closing + end)


def bundle(result, out):
    with open(result, "rb") as f:
        body = f.read()
    manifest = {"format": "evenhand-bundle", "format_version": 1, "members": [
        {"name": "results/r.json", "size": len(body), "sha256": hashlib.sha256(body).hexdigest()}]}
    with tarfile.open(out, "w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in ("manifest.json", json.dumps(manifest).encode()), ("results/r.json", body):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def peak(seconds, command):
    began = time.monotonic()
    child = os.posix_spawn(command[0], command, os.environ)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(int(seconds))
    _, status, usage = os.wait4(child, 0)
    print(os.waitstatus_to_exitcode(status), "%.2f" % (time.monotonic() - began), usage.ru_maxrss)


if sys.argv[1] == "list":
    print(*(["nesting", "string", "open-string"] + list(SHAPES)))
elif sys.argv[1] == "make":
    make(*sys.argv[2:6])
elif sys.argv[1] == "bundle":
    bundle(*sys.argv[2:4])
else:
    peak(sys.argv[2], sys.argv[3:])
