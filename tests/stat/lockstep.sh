#!/bin/sh
# Runs in lockstep, real ones: see lockstep.py.
exec /usr/bin/python3 "$SRC/tests/stat/lockstep.py"
