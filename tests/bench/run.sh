#!/bin/sh
# The performance comparisons: each prints figures side by side, measured in one run, as ratios.
# usage (through make): make bench [BENCH="triad-host dot ..."] [ON=EXECUTOR,...]     names: see bench.py
set -u
exec /usr/bin/python3 "$SRC/tests/bench/bench.py" "$@"
