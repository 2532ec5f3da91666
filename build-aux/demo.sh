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
# 7: some rows failed or are invalid; the comparison shows which.
[ $rc -eq 0 ] || [ $rc -eq 7 ] || exit $rc
echo >&2
echo "== evenhand compare $out" >&2
"$evenhand" compare "$out" > "$out/report.txt"
rc=$?
cat "$out/report.txt"
# A slower or incomparable executor is a finding of the demo, not its failure.
[ $rc -le 3 ] || exit $rc
echo
echo "results: $out/*.json   report: $out/report.txt"
