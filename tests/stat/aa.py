#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often a comparison of real runs is wrong (make stat STAT=aa).

Runs of one small case on the host, one after the other, paired without overlap: nothing differs, so
FASTER and SLOWER are false.  In the first of them the same case also runs on the test backend's
devices that add 3 and 10 % of work to each launch: SLOWER is right.  Before, the machine is
calibrated, so the records carry its noise floor; the same is counted without it, from the intervals
and the protocol's margin alone.

Environment: AA_PAIRS (200), AA_PLANTED (100), AA_CALIBRATE (20 pairs; 0: none), AA_SECONDS (stop
after so long with the pairs that there are; 0: never).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SRC, BUILD, EVENHAND = os.environ["SRC"], os.environ["BUILD"], os.environ["EVENHAND"]
PAIRS = int(os.environ.get("AA_PAIRS", "200"))
PLANTED = int(os.environ.get("AA_PLANTED", "100"))
CALIBRATE = int(os.environ.get("AA_CALIBRATE", "20"))
SECONDS = float(os.environ.get("AA_SECONDS", "0"))
PROTOCOL = os.path.join(SRC, "tests", "stat", "aa.ini")
WORK = tempfile.mkdtemp(prefix="evenhand-aa-")
BASE, PLUS_3, PLUS_10 = "slowed:plus-0", "slowed:plus-3", "slowed:plus-10"
FALSE_MOST, FOUND_3, FOUND_10 = 0.01, 0.90, 1.0


def call(*arguments):
    return subprocess.run((EVENHAND,) + arguments, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def measure(number, executors):
    """{executor: path of its result} of one run."""
    folder = os.path.join(WORK, "run-%d" % number)
    done = call("run", PROTOCOL, "--on", executors, "-o", folder, "--quiet", "--json")
    if done.returncode not in (0, 7):
        sys.exit("aa: evenhand run failed: %s" % done.stderr.strip())
    return {r["executor"]: r["path"] for r in json.loads(done.stdout)["results"]}


def compare(a, b):
    """The only row of a comparison."""
    done = call("compare", a, b, "--json")
    return json.loads(done.stdout)["comparisons"][0]["cases"][0]


def declared_margin():
    with open(PROTOCOL, encoding="utf-8") as f:
        for line in f:
            if line.startswith("margin"):
                return float(line.split("=")[1].strip(" %\n")) / 100
    sys.exit("aa: the protocol has no margin")


def without_floor(row, margin):
    """The verdict of one case by its interval and the protocol's margin."""
    if "speedup_interval" not in row:
        return row["verdict"]
    low, high = row["speedup_interval"]["low"], row["speedup_interval"]["high"]
    if low > 1 + margin:
        return "FASTER"
    if high < 1 / (1 + margin):
        return "SLOWER"
    return "EQUIVALENT" if low >= 1 / (1 + margin) and high <= 1 + margin else "INCONCLUSIVE"


def upper_bound(count, total):
    """Clopper and Pearson, 95 %, one side."""
    def tail(p):  # P(X <= count)
        term, total_chance = (1 - p) ** total, 0.0
        for k in range(count + 1):
            total_chance += term
            term *= (total - k) / (k + 1) * p / (1 - p)
        return total_chance
    low, high = count / total, 1 - 1e-12
    if tail(high) > 0.05:
        return 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > 0.05 else (low, middle)
    return high


class Count:
    """Verdicts of one kind of pair, with the floor and without."""

    def __init__(self, title):
        self.title, self.rows = title, []

    def add(self, row, margin):
        self.rows.append((row["verdict"], without_floor(row, margin), row.get("speedup", 0)))

    def of(self, wanted, which):
        return sum(r[which] in wanted for r in self.rows)

    def show(self):
        ratios = sorted(r[2] for r in self.rows if r[2] > 0)
        for which, name in ((0, "with floor"), (1, "without")):
            cells = ["%s %d" % (v, self.of((v,), which))
                     for v in ("FASTER", "SLOWER", "EQUIVALENT", "INCONCLUSIVE", "NOT COMPARABLE")
                     if self.of((v,), which) > 0]
            print("  %-16s %-11s %s" % (self.title if which == 0 else "", name, ", ".join(cells)))
        if ratios:
            print("  %-16s %-11s %s" % ("", "speed-up", ", ".join(
                "%s %.4f" % (name, ratios[int(q * (len(ratios) - 1))]) for name, q in
                (("least", 0), ("2.5 %", .025), ("median", .5), ("97.5 %", .975), ("most", 1)))))


def tap(number, holds, text):
    print("%sok %d - %s" % ("" if holds else "not ", number, text))
    return holds


def main():
    plugins = os.path.join(WORK, "plugins")
    os.mkdir(plugins)
    shutil.copy(os.path.join(BUILD, "tests", "backends", "slowed.so"), plugins)
    os.environ["EVENHAND_BACKEND_PATH"] = plugins
    os.environ["EVENHAND_SLOWED_HOST"] = os.path.join(BUILD, "lib/evenhand/backends/host.so")
    os.environ["XDG_STATE_HOME"] = os.path.join(WORK, "state")
    margin, began, load = declared_margin(), time.time(), [os.getloadavg()[0]]
    floor = None
    if CALIBRATE >= 3:
        done = call("calibrate", "--on", BASE, "--pairs", str(CALIBRATE), "--protocol", PROTOCOL,
                    "--json", "--quiet")
        if done.returncode != 0:
            sys.exit("aa: evenhand calibrate failed: %s" % done.stderr.strip())
        floor = json.loads(done.stdout)[0]["classes"]["fma"]
    same, plus_3, plus_10 = Count("A and A"), Count("A and A + 3 %"), Count("A and A + 10 %")
    before = None
    for number in range(2 * PAIRS):
        if number % 2 == 0 and number > 0 and 0 < SECONDS < time.time() - began:
            break
        planted = number < PLANTED
        paths = measure(number, ",".join((BASE, PLUS_3, PLUS_10)) if planted else BASE)
        if number % 2 == 1:
            same.add(compare(before, paths[BASE]), margin)
        if planted:
            plus_3.add(compare(paths[BASE], paths[PLUS_3]), margin)
            plus_10.add(compare(paths[BASE], paths[PLUS_10]), margin)
        before = paths[BASE]
        load.append(os.getloadavg()[0])
        if number >= 2:
            shutil.rmtree(os.path.join(WORK, "run-%d" % (number - 2)))
    print("%d runs in %.0f s, load %.1f on average and %.1f at most; noise floor %s of %d pairs, "
          "declared margin %.1f %%" % (len(load) - 1, time.time() - began, sum(load) / len(load),
                                       max(load), "%.2f %%" % (floor * 100) if floor is not None
                                       else "none", CALIBRATE, margin * 100))
    for count in (same, plus_3, plus_10):
        count.show()
    false = same.of(("FASTER", "SLOWER"), 0)
    found_3, found_10 = plus_3.of(("SLOWER",), 0), plus_10.of(("SLOWER",), 0)
    pairs, planted = len(same.rows), len(plus_3.rows)
    print("1..3")
    good = tap(1, false <= FALSE_MOST * pairs, "false verdicts: %d of %d pairs, %.2f %% "
               "(at most %.2f %% with 95 %% confidence; wanted: 1 %%)" %
               (false, pairs, 100 * false / pairs, 100 * upper_bound(false, pairs)))
    good &= tap(2, found_3 >= FOUND_3 * planted, "3 %% slower: found in %d of %d (wanted: 90 %%)" %
                (found_3, planted))
    good &= tap(3, found_10 >= FOUND_10 * planted, "10 %% slower: found in %d of %d (wanted: all)" %
                (found_10, planted))
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
