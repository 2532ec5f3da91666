#!/bin/sh
# `evenhand calibrate`: what it stores, what run and compare do with it, what it refuses.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	"$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
lacks() { # words file: it is there, without them
	[ -s "$2" ] && ! grep -q -e "$1" "$2"
}
ended() { # processes: none of them runs
	for p; do
		case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$p/status" 2>/dev/null) in '' | Z) ;; *) return 1 ;; esac
	done
}
cd "$T" || exit 1
export XDG_STATE_HOME="$T/state" TMPDIR="$T/tmp"
mkdir tmp
sed 's/^executions = .*/executions = 2/; s/^margin = .*/margin = 0.001%/' "$SRC/tests/protocols/attribute-tiny.ini" >tiny.ini
protocol=tiny.ini

run calibrate --list
[ $rc -eq 0 ] && grep -q 'no noise floor is stored' out
check $? "at first nothing is stored"
run run "$protocol" --on host:0 -o before -v
grep -q 'no noise floor is known; evenhand calibrate --on host:' err && lacks noise_floor before/host-*.json
check $? "a run without one says how to get one, on -v"

run calibrate --on host:0 --pairs 3 --protocol "$protocol" -v
[ $rc -eq 0 ] && grep -q 'run 6 of 6' err
check $? "three pairs are six runs, with progress on -v"
file=$(find state/evenhand/noise -name '*.json')
[ "$(echo "$file" | wc -l)" -eq 1 ] && basename "$file" .json | grep -qx '[0-9a-f]\{64\}'
check $? "stored under the executor's digest"
[ -z "$(ls -A tmp)" ]
check $? "and nothing is left of the runs"
grep -q "$(basename "$file" .json)" before/host-*.json
check $? "the digest is that of the results"
run calibrate --list
[ $rc -eq 0 ] && grep -q 'host:.* 3  *attribute-tiny' out
check $? "--list shows it"
executor=$(sed -n 's/.*"executor":[^"]*"\([^"]*\)".*/\1/p' "$file")
run calibrate --show "$executor"
[ $rc -eq 0 ] && grep -q '^stream .*triad.* 3 .* %' out
check $? "--show shows class and case"
run calibrate --show "$executor" --json
[ $rc -eq 0 ] && grep -q '"format":.*"evenhand-noise"' out
check $? "--show --json prints the record"

run run "$protocol" --on host:0 -o one -v
grep -q 'its noise floor of .* goes into the result' err && grep -q '"noise_floor":{"measured_at":"[^"]*","pairs":3,"classes":{"stream":' one/host-*.json
check $? "a run puts it into its result"
run run "$protocol" --on host:0 -o two -q
run compare one/*.json two/*.json --json
floor=$(sed -n 's/.*"stream":\([0-9.e-]*\).*/\1/p' one/host-*.json | head -n 1)
[ -n "$floor" ] && /usr/bin/python3 - "$floor" out <<'P'
import json, sys
row = json.load(open(sys.argv[2]))["comparisons"][0]["cases"][0]
sys.exit(0 if abs(row["noise_floor"] - float(sys.argv[1])) < 1e-12 else 1)
P
check $? "a comparison asks FASTER and SLOWER to exceed it"
/usr/bin/python3 - "$file" <<'P'
import hashlib, json, sys
path = sys.argv[1]
r = json.load(open(path))
r["cases"][0]["ratios"] = [10.0] * len(r["cases"][0]["ratios"])
json.dump(r, open(path, "w"))
P
run run "$protocol" --on host:0 -o three -q
grep -q 'does not follow from its own ratios' err && lacks noise_floor three/host-*.json
check $? "a floor that was edited is not used, and it is said"
run calibrate --list
[ $rc -eq 0 ] && grep -q 'does not follow from its own ratios' err && grep -q 'no noise floor is stored' out
check $? "nor listed"
printf '{"format": "something"}' >"$file"
run run "$protocol" --on host:0 -o four -q
grep -q 'is not a noise floor' err && lacks noise_floor four/host-*.json
check $? "a file that is none is not used either"
run verify before/*.json one/*.json three/*.json
[ $rc -eq 0 ]
check $? "results with and without hold"

for arguments in '--pairs 2' '--pairs x' '--pairs' '--frobnicate' 'host:0' '--list --on host:0' '--list --show x'; do
	# shellcheck disable=SC2086
	run calibrate $arguments
	[ $rc -eq 4 ] && [ "$(wc -l <err)" -le 2 ]
	check $? "calibrate $arguments is a usage error"
done
run calibrate --show nobody
[ $rc -eq 4 ] && grep -q nobody err
check $? "an executor that has none is named"
run calibrate --on host:no-such-compiler --pairs 3
[ $rc -eq 4 ] && [ -z "$(ls -A tmp)" ]
check $? "an unknown executor is a usage error, and nothing is left"
XDG_STATE_HOME='' HOME='' "$EVENHAND" calibrate --on host:0 --pairs 3 --protocol "$protocol" >out 2>err
[ $? -eq 5 ] && grep -q XDG_STATE_HOME err
check $? "without a place to store it that is said"
: >state-file
XDG_STATE_HOME="$T/state-file" "$EVENHAND" calibrate --on host:0 --pairs 3 --protocol "$protocol" >out 2>err
[ $? -eq 5 ] && [ "$(grep -vc warning err)" -eq 1 ]
check $? "nor where it cannot be made"

# Stopped: nothing stored, nothing left.
rm -rf state
"$EVENHAND" calibrate --on host:0 --pairs 50 --protocol "$protocol" -v >out 2>err </dev/null &
pid=$!
i=0
while ! grep -q 'run 2 of' err && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
kill -TERM $pid
wait $pid
[ $? -eq 6 ] && [ -z "$(find state -type f)" ] && [ -z "$(ls -A tmp)" ]
check $? "a signal ends it: exit code 6, nothing stored and nothing left"
# Killed: its folder stays while it lives, and the next one removes it.
"$EVENHAND" calibrate --on host:0 --pairs 50 --protocol "$protocol" -q >out 2>err </dev/null &
pid=$!
until [ -n "$(find tmp -name run.journal)" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -STOP $pid
workers=$(cat /proc/$pid/task/$pid/children)
run plugin check "$BUILD/lib/evenhand/backends/host.so" --only plugin/
[ $rc -eq 0 ] && [ "$(find tmp -name run.journal | wc -l)" -eq 1 ]
check $? "what a living calibrate has is left alone"
kill -KILL $pid
wait $pid 2>/dev/null
# shellcheck disable=SC2086
until ended $workers; do sleep 0.02; done
[ "$(find tmp -name run.journal | wc -l)" -eq 1 ]
check $? "a killed one leaves its folder"
run calibrate --on host:0 --pairs 3 --protocol "$protocol" -q
[ $rc -eq 0 ] && [ -z "$(ls -A tmp)" ]
check $? "and the next one removes it"
run calibrate --help
[ $rc -eq 0 ] && grep -q 'usage: evenhand calibrate' out
check $? "help is printed"

echo "1..$n"
exit $bad
