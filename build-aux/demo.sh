#!/bin/sh
# The main job on what this machine has: protocol quick on every executor, the results, the
# comparison.  usage: demo.sh BUILD-FOLDER
set -u
evenhand=$1/bin/evenhand
out=results/demo-$(date -u +%Y%m%dT%H%M%SZ)
echo "== the executors of this machine" >&2
"$evenhand" devices || exit
echo >&2
echo "== evenhand run quick -o $out" >&2
"$evenhand" run quick -o "$out"
rc=$?
# 7: some rows failed or are invalid; the comparison above shows which.
[ $rc -eq 0 ] || [ $rc -eq 7 ] || exit $rc
"$evenhand" compare -v "$out" > "$out/report.txt"
rc=$?
# That nothing could be compared is a finding of the demo, not its failure.
[ $rc -eq 0 ] || [ $rc -eq 3 ] || exit $rc
echo
echo "results: $out/*.json   every value and rule: $out/report.txt"
"$evenhand" report "$out"
