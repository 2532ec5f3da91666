#!/bin/sh
# The vendor tier of the levelzero backend by oneDNN, the test library on the test driver: the rows of a right
# library, and of one that lies or fails.
. "$SRC/tests/drivers/levelzero/setup"
levelzero_driver
cd "$T" || exit 1
executor=levelzero:0
library=$BUILD/tests/drivers/onednn/ze/libdnnl.so.3
. "$SRC/tests/drivers/onednn/rows"
export EVENHAND_TEST_ZE='api=107 tiles=0'
onednn_rows --set "levelzero.onednn=$library"
export EVENHAND_TEST_ZE='api=104 tiles=0'
row order '' f32 --set "levelzero.onednn=$library"
says order 'c["status"] == "unsupported" and "immediate command lists that keep order" in str(c["reasons"])'
ok $? "a driver without lists that keep order has no such product" "$log" "$T/facts"
finish
