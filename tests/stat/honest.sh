#!/bin/sh
# 5,000 honest rows on machines that others disturb: see tests/unit/test_honest.c.  Lies beside
# neighbours of many kinds: see tests/unit/test_measure.c.
HONEST_ROWS=${HONEST_ROWS:-5000} "$BUILD/tests/unit/test_honest" || exit
LIES_SEEDS=${LIES_SEEDS:-20} "$BUILD/tests/unit/test_measure"
