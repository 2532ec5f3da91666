#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often a comparison of real runs is wrong (make stat STAT=aa).

Every run measures one small case on the test backend's devices plus-0 and same, which do not
differ: FASTER and SLOWER are false there.  In the first runs also on those that add 3 and 10 % of
work to each launch: SLOWER is right.  The pairs of one run are compared round by round.  Two runs, one
after the other and in no other pair, are compared as separate runs: with the noise floor that
`evenhand calibrate` measured before.

Environment: AA_RUNS (100: as many pairs within runs, and as many between), AA_PLANTED (runs with
planted slowdowns, 100), AA_CALIBRATE (20 pairs; 0: none), AA_SECONDS (stop after so long with the
pairs that there are; 0: never).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SRC, BUILD, EVENHAND = os.environ["SRC"], os.environ["BUILD"], os.environ["EVENHAND"]
RUNS = int(os.environ.get("AA_RUNS", "100"))
PLANTED = int(os.environ.get("AA_PLANTED", "100"))
CALIBRATE = int(os.environ.get("AA_CALIBRATE", "20"))
SECONDS = float(os.environ.get("AA_SECONDS", "0"))
PROTOCOL = os.path.join(SRC, "tests", "stat", "aa.ini")
WORK = tempfile.mkdtemp(prefix="evenhand-aa-")
BASE, SAME, PLUS_3, PLUS_10 = ("slowed:" + d for d in ("plus-0", "same", "plus-3", "plus-10"))
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


def compare(a, b, rounds):
    """The only row of a comparison; by rounds exactly when that is expected."""
    done = call("compare", a, b, "--json")
    row = json.loads(done.stdout)["comparisons"][0]["cases"][0]
    if ("rounds" in row) != rounds and row.get("speedup", 0) > 0:
        print("# %s and %s were %scompared by rounds" % (a, b, "" if "rounds" in row else "not "))
    return row


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
    """Verdicts of one kind of pair."""

    def __init__(self, title):
        self.title, self.rows = title, []

    def add(self, row):
        self.rows.append((row["verdict"], row.get("speedup", 0)))

    def of(self, *wanted):
        return sum(verdict in wanted for verdict, _ in self.rows)

    def show(self):
        ratios = sorted(r for _, r in self.rows if r > 0)
        print("  %-24s %s" % (self.title, ", ".join(
            "%s %d" % (v, self.of(v)) for v in ("FASTER", "SLOWER", "EQUIVALENT", "INCONCLUSIVE",
                                                "NOT COMPARABLE") if self.of(v) > 0)))
        if ratios:
            print("  %-24s %s" % ("  speed-up", ", ".join(
                "%s %.4f" % (name, ratios[int(q * (len(ratios) - 1))]) for name, q in
                (("least", 0), ("2.5 %", .025), ("median", .5), ("97.5 %", .975), ("most", 1)))))


def tap(number, holds, text):
    print("%sok %d - %s" % ("" if holds else "not ", number, text))
    return holds


def prepare():
    plugins = os.path.join(WORK, "plugins")
    os.mkdir(plugins)
    shutil.copy(os.path.join(BUILD, "tests", "backends", "slowed.so"), plugins)
    os.environ["EVENHAND_BACKEND_PATH"] = plugins
    os.environ["EVENHAND_SLOWED_HOST"] = os.path.join(BUILD, "lib/evenhand/backends/host.so")
    os.environ["XDG_STATE_HOME"] = os.path.join(WORK, "state")
    # One compiler: each execution asks all of them who they are.
    tools = os.path.join(WORK, "bin")
    os.mkdir(tools)
    for tool in ("as", "ld"):
        os.symlink(shutil.which(tool), os.path.join(tools, tool))
    compiler = shutil.which("gcc") or shutil.which("clang") or sys.exit("aa: no compiler is here")
    os.symlink(compiler, os.path.join(tools, os.path.basename(compiler)))
    os.environ["PATH"] = tools


def calibrate():
    """The noise floor of both executors that do not differ, or None."""
    if CALIBRATE < 3:
        return None
    done = call("calibrate", "--on", BASE + "," + SAME, "--pairs", str(CALIBRATE), "--protocol",
                PROTOCOL, "--json", "--quiet")
    if done.returncode != 0:
        sys.exit("aa: evenhand calibrate failed: %s" % done.stderr.strip())
    return max(r["classes"]["fma"] for r in json.loads(done.stdout))


def main():
    prepare()
    began, load = time.time(), [os.getloadavg()[0]]
    floor = calibrate()
    within, between = Count("A and A of one run"), Count("A and A of two runs")
    plus_3, plus_10 = Count("A and A + 3 %"), Count("A and A + 10 %")
    before = None
    for number in range(RUNS):
        if number % 2 == 0 and number > 0 and 0 < SECONDS < time.time() - began:
            break
        planted = number < PLANTED
        paths = measure(number, ",".join((BASE, SAME, PLUS_3, PLUS_10) if planted else (BASE, SAME)))
        within.add(compare(paths[BASE], paths[SAME], True))
        if number % 2 == 1:
            for device in (BASE, SAME):
                between.add(compare(before[device], paths[device], False))
        if planted:
            plus_3.add(compare(paths[BASE], paths[PLUS_3], True))
            plus_10.add(compare(paths[BASE], paths[PLUS_10], True))
        before = paths
        load.append(os.getloadavg()[0])
        if number >= 2:
            shutil.rmtree(os.path.join(WORK, "run-%d" % (number - 2)))
    print("%d runs in %.0f s, load %.1f on average and %.1f at most; noise floor between runs %s" %
          (len(load) - 1, time.time() - began, sum(load) / len(load), max(load),
           "%.2f %% of %d pairs" % (floor * 100, CALIBRATE) if floor is not None else "none"))
    for count in (within, between, plus_3, plus_10):
        count.show()
    false = within.of("FASTER", "SLOWER") + between.of("FASTER", "SLOWER")
    pairs, planted = len(within.rows) + len(between.rows), len(plus_3.rows)
    print("1..3")
    good = tap(1, false <= FALSE_MOST * pairs, "false verdicts: %d of %d pairs, %.2f %% "
               "(at most %.2f %% with 95 %% confidence; wanted: 1 %%)" %
               (false, pairs, 100 * false / pairs, 100 * upper_bound(false, pairs)))
    good &= tap(2, plus_3.of("SLOWER") >= FOUND_3 * planted,
                "3 %% slower: found in %d of %d (wanted: 90 %%)" % (plus_3.of("SLOWER"), planted))
    good &= tap(3, plus_10.of("SLOWER") >= FOUND_10 * planted,
                "10 %% slower: found in %d of %d (wanted: all)" % (plus_10.of("SLOWER"), planted))
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
