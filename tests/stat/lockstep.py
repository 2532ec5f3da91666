#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `quick` decides on this machine, in real runs (make stat STAT=lockstep).

Four kinds of runs, each of the whole protocol within its budget:
  again    one executor named again: FASTER and SLOWER are false, EQUIVALENT is right
  planted  the test backend's devices plus-0, same, plus-3 and plus-5, which add that many percent to
           each launch: SLOWER is right for the last two
  pairs    the same with two executors, plus-0 and one of the others in turn
  all      every executor of the machine: how many rows are decided

Environment: LOCKSTEP_KINDS (again,planted,pairs,all), LOCKSTEP_RUNS (4 of each kind), LOCKSTEP_ON (the
executors that are named, one for each run in turn: host:0,opencl:0), LOCKSTEP_NAMED (how often in a run:
2), LOCKSTEP_NEIGHBOUR (1: a process takes half of a processor in bursts of 10 to 200 ms), LOCKSTEP_KEEP
(a folder where the results stay).
"""
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SRC, BUILD, EVENHAND = os.environ["SRC"], os.environ["BUILD"], os.environ["EVENHAND"]
KINDS = os.environ.get("LOCKSTEP_KINDS", "again,planted,pairs,all").split(",")
RUNS = int(os.environ.get("LOCKSTEP_RUNS", "4"))
ON = os.environ.get("LOCKSTEP_ON", "host:0,opencl:0").split(",")
NAMED = int(os.environ.get("LOCKSTEP_NAMED", "2"))
NEIGHBOUR = os.environ.get("LOCKSTEP_NEIGHBOUR", "") == "1"
KEEP = os.environ.get("LOCKSTEP_KEEP", "")
WORK = KEEP or tempfile.mkdtemp(prefix="evenhand-lockstep-")
# Cases that are launches of at least some microseconds: the others are not slowed by percents.
SLOWED = ("copy", "triad", "dot", "fma", "gemm")
SECONDS = 60
bad = 0


def bursts():
    """Half of a processor, in bursts."""
    while True:
        length = random.uniform(0.01, 0.2)
        until = time.monotonic() + length
        while time.monotonic() < until:
            pass
        time.sleep(length)


def call(*arguments):
    return subprocess.run((EVENHAND,) + arguments, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def measure(name, executors):
    """The comparison's rows {(label, case): row}, the seconds it took, and the share of samples."""
    folder = os.path.join(WORK, name)
    shutil.rmtree(folder, ignore_errors=True)
    begin = time.monotonic()
    on = ("--on", executors) if executors else ()
    done = call("run", "quick", *on, "-o", folder, "--quiet", "--json")
    took = time.monotonic() - begin
    if done.returncode not in (0, 7):
        sys.exit("lockstep: evenhand run failed: %s" % done.stderr.strip())
    results = [r["path"] for r in json.loads(done.stdout)["results"]]
    compared = call("compare", *results, "--json")
    rows = {}
    for c in json.loads(compared.stdout)["comparisons"]:
        for row in c["cases"]:
            rows[c["other"]["path"].split("/")[-1], row["id"]] = row
    return rows, took, samples(results) / took


def samples(results):
    """Seconds in samples."""
    total = 0
    for path in results:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        for case in record["cases"]:
            for e in case["executions"]:
                total += sum(e.get("host_ns", e.get("samples_ns", [])))
    return total * 1e-9


class Count:
    """Verdicts of one kind of row."""

    def __init__(self, title):
        self.title, self.rows = title, []

    def of(self, *wanted):
        return sum(v in wanted for v in self.rows)

    def share(self, *wanted):
        return self.of(*wanted) / len(self.rows) if self.rows else 0

    def show(self):
        print("  %-28s %4d rows: %s" % (self.title, len(self.rows), ", ".join(
            "%s %d" % (v, self.of(v)) for v in sorted(set(self.rows)))))


def tap(holds, text):
    global bad
    bad += not holds
    tap.number = getattr(tap, "number", 0) + 1
    print("%sok %d - %s" % ("" if holds else "not ", tap.number, text))


def told(name, took, share):
    print("  %s: %.1f s, %.0f %% of it samples, load %.1f" %
          (name, took, 100 * share, os.getloadavg()[0]), flush=True)


def again():
    same = Count("named %d times" % NAMED)
    longest = 0
    for i in range(RUNS):
        on = ON[i % len(ON)]
        rows, took, share = measure("again-%d" % i, ",".join([on] * NAMED))
        longest = max(longest, took)
        told("%s, %d times" % (on, NAMED), took, share)
        same.rows += [r["verdict"] for r in rows.values()]
    same.show()
    tap(same.share("FASTER", "SLOWER") <= 0.01, "false verdicts: %d of %d (wanted: 1 %%)" %
        (same.of("FASTER", "SLOWER"), len(same.rows)))
    tap(same.share("EQUIVALENT") >= 0.8, "equal within the margin: %d of %d (wanted: 80 %%)" %
        (same.of("EQUIVALENT"), len(same.rows)))
    tap(longest <= SECONDS, "the longest run took %.1f s (wanted: %d)" % (longest, SECONDS))


def planted(kind, groups):
    """Beside plus-0 the devices of one group in each run, the groups in turn."""
    counts = {d: Count("%s of %s" % (d, kind)) for d in ("same", "plus-3", "plus-5")}
    plugins = os.path.join(WORK, "plugins")
    os.makedirs(plugins, exist_ok=True)
    shutil.copy(os.path.join(BUILD, "tests", "backends", "slowed.so"), plugins)
    os.environ["EVENHAND_BACKEND_PATH"] = plugins
    os.environ["EVENHAND_SLOWED_HOST"] = os.path.join(BUILD, "lib/evenhand/backends/host.so")
    for i in range(RUNS):
        group = groups[i % len(groups)]
        rows, took, share = measure("%s-%d" % (kind, i), ",".join("slowed:" + d for d in ("plus-0",) + group))
        told("plus-0, " + ", ".join(group), took, share)
        for (file, case), row in rows.items():
            for device, count in counts.items():
                if device in file and case.startswith(SLOWED):
                    count.rows.append(row["verdict"])
    del os.environ["EVENHAND_BACKEND_PATH"]
    for count in counts.values():
        count.show()
    tap(counts["plus-3"].share("SLOWER") >= 0.9, "3 % slower: found (wanted: 90 %)")
    tap(counts["plus-5"].share("SLOWER") >= 0.98, "5 % slower: found (wanted: 98 %)")
    tap(counts["same"].share("FASTER", "SLOWER") <= 0.01, "the same again: no false verdict")


def every():
    rows_of = Count("all executors")
    longest, least = 0, 1
    for i in range(RUNS):
        rows, took, share = measure("all-%d" % i, None)
        longest, least = max(longest, took), min(least, share)
        told("all", took, share)
        rows_of.rows += [r["verdict"] for r in rows.values()
                         if r["verdict"] not in ("NOT COMPARABLE", "ABSENT")]
    rows_of.show()
    decided = rows_of.share("FASTER", "SLOWER", "EQUIVALENT")
    tap(decided >= 0.8, "decided: %.0f %% (wanted: 80 %%)" % (100 * decided))
    tap(longest <= SECONDS, "the longest run took %.1f s (wanted: %d)" % (longest, SECONDS))
    tap(least >= 0.5, "samples are at least %.0f %% of the time (wanted: half)" % (100 * least))


def main():
    neighbour = multiprocessing.Process(target=bursts, daemon=True)
    if NEIGHBOUR:
        neighbour.start()
    for kind in KINDS:
        {"again": again, "all": every,
         "planted": lambda: planted("planted", [("same", "plus-3", "plus-5")]),
         "pairs": lambda: planted("pairs", [("plus-3",), ("plus-5",), ("same",)])}[kind]()
    print("1..%d" % tap.number)
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        if not KEEP:
            shutil.rmtree(WORK, ignore_errors=True)
