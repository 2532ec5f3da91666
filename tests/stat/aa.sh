#!/bin/sh
# A against A with real runs, and slowdowns planted: see aa.py.
exec /usr/bin/python3 "$SRC/tests/stat/aa.py"
