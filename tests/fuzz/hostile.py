#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large files that nobody would write in good faith, and what a command takes to refuse them.

usage: hostile.py make SHAPE MB RESULT OUT   a file of about that size, from a small honest result
       hostile.py bundle RESULT OUT          a bundle of a result, whatever it is
       hostile.py copies COUNT BYTES RESULT OUT
                                             a bundle of so many copies, each filled up to so many bytes
       hostile.py kernels COUNT BYTES RESULT OUT
                                             a bundle whose result has so many executions of two programs
                                             of a kernel text of so many bytes
       hostile.py list                       the shapes
       hostile.py peak SECONDS COMMAND...    runs it; prints its exit code, seconds and peak memory in kB
"""
import gzip
import hashlib
import io
import json
import os
import random
import signal
import sys
import tarfile
import time


def at(record, *path):
    for step in path:
        record = record[step]
    return record


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
    "fields": (("executor", "layers", 0, "fields"), "{", lambda i: '"f%d":{"value":"","source":"queried"}' % i, "}"),
    "digests": (("digests", "cases"), "[", lambda i: '"%064x"' % i, "]"),
    "salts": (("salts",), "{", lambda i: '"executor.layers[%d].path":"%032x"' % (i, i), "}"),
    "unknown": (("more",), "{", lambda i: '"m%d":0' % i, "}"),
    "text": (("protocol", "text"), '"', lambda i: "name = big\\n", '"'),
    "long-text": (("protocol", "text"), '"', lambda i: "#" * 80, '"'),
    "deviations": (("protocol", "deviations"), "[", lambda i: '""', "]"),
    "compilers": (("executor", "layers"), "[", lambda i: '{"layer":"compiler","name":"c%d","source":"queried","version":"1"}' % i, "]"),
    # As often as there is room: what is in the honest result.
    "cases": (("cases",), "[", ("cases", 0), "]"),
    "measured": (("cases", 0, "executions"), "[", EXECUTION, "]"),
}
# Half of the file each: what is large may cost more for each of the others.
PRODUCTS = ("deviations*cases", "compilers*measured", "asked*cases", "order*measured")


def elements(record, element):
    """The text of element i."""
    if callable(element):
        return element
    text = json.dumps(at(record, *element), separators=(",", ":"))
    return lambda i: text


def write_filler(f, size, opening, element, closing):
    f.write(opening)
    i, used, comma = 0, 0, "" if opening == '"' else ","
    while used < size:
        count = min(10000, size // (len(element(i)) + 1) + 1)
        part = comma.join(element(k) for k in range(i, i + count))
        f.write((comma if i > 0 else "") + part)
        used += len(part) + 1
        i += count
    f.write(closing)


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
            shapes = [SHAPES[one] for one in shape.split("*")]
            fillers = []
            for path, opening, element, closing in shapes:
                fillers.append((opening, elements(record, element), closing))
            for i, (path, *_) in enumerate(shapes):
                at(record, *path[:-1])[path[-1]] = "FILLER%d" % i
            rest = json.dumps(record, separators=(",", ":"))
            marks = sorted(range(len(shapes)), key=lambda i: rest.index('"FILLER%d"' % i))
            for i in marks:
                begin, rest = rest.split('"FILLER%d"' % i)
                f.write(begin)
                write_filler(f, size // len(shapes), *fillers[i])
            f.write(rest)


def pack(members, out):
    """A bundle of the members, which are a name and bytes each."""
    manifest = {"format": "evenhand-bundle", "format_version": 1, "members": [
        {"name": name, "size": len(body), "sha256": hashlib.sha256(body).hexdigest()} for name, body in members]}
    with open(out, "wb") as f:
        with gzip.GzipFile("", "wb", fileobj=f) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, data in [("manifest.json", json.dumps(manifest).encode())] + members:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        f.seek(0)
        f.write(b"\x1f\x8b\x08\0\0\0\0\0\0\x03")  # as every bundle begins


def read(path):
    with open(path, "rb") as f:
        return f.read()


def bundle(result, out):
    pack([("results/r.json", read(result))], out)


def copies(count, size, result, out):
    """Filled with what gzip does not make too small, and spaces."""
    body, size, noise = read(result), int(size), random.Random(1)
    filler = [noise.randbytes(1500).hex().encode() if size > len(body) + 3000 else b"" for _ in range(int(count))]
    pack([("results/%05d.json" % i, (body + f).ljust(size)) for i, f in enumerate(filler)], out)


def kernels(count, size, result, out):
    """The digests of the programs are right, so that every one of them has to be computed."""
    text, record, tiny = b"x" * int(size), json.loads(read(result)), json.loads(TINY)
    programs = []
    for value in "12":
        parts = b"A", value.encode(), b"y", text
        digest = hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts))
        programs.append({"kernel": "x", "defines": ["A=" + value], "source_sha256": digest.hexdigest()})
    executions = [dict(tiny, program=programs[i % 2]) for i in range(int(count))]
    record["cases"][0]["executions"] = executions
    pack([("results/r.json", json.dumps(record, separators=(",", ":")).encode()), ("kernels/dialect.h", b"y"),
          ("kernels/x.k", text)], out)


def peak(seconds, command):
    began = time.monotonic()
    child = os.posix_spawn(command[0], command, os.environ)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(int(seconds))
    _, status, usage = os.wait4(child, 0)
    print(os.waitstatus_to_exitcode(status), "%.2f" % (time.monotonic() - began), usage.ru_maxrss)


if sys.argv[1] == "list":
    print(*(["nesting", "string", "open-string"] + list(SHAPES) + list(PRODUCTS)))
elif sys.argv[1] == "make":
    make(*sys.argv[2:6])
elif sys.argv[1] == "bundle":
    bundle(*sys.argv[2:4])
elif sys.argv[1] == "copies":
    copies(*sys.argv[2:6])
elif sys.argv[1] == "kernels":
    kernels(*sys.argv[2:6])
else:
    peak(sys.argv[2], sys.argv[3:])
