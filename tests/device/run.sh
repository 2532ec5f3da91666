#!/bin/sh
# Runs what evenhand has to say about the accelerators of a machine with a driver but without
# packages or network: conformance suite, every workload, the released protocols; and keeps results,
# logs and what the devices say of themselves in one folder.  Works in what pack.sh made, and in a
# source tree with a build folder (BUILD).
# usage: run.sh [OUT] [MINUTES]      OUT: device-results; MINUTES: all of it takes at most so long (25)
# Every step has a time limit, is written down with its outcome, and never ends the others.
# Exit code: 0 all steps passed or were skipped with a reason; 1 some failed; 2 nothing could start.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-device-results}
minutes=${2:-25}
if [ -d "$here/tree" ]; then
	tree=$here/tree
	LD_LIBRARY_PATH=$here/libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
else
	tree=${BUILD:-$here/../../build}
fi
evenhand=$tree/bin/evenhand
mkdir -p "$out/replay" "$out/logs" || exit 2
out=$(cd "$out" && pwd)
EVENHAND_CACHE_DIR=$out/cache
export EVENHAND_CACHE_DIR LC_ALL=C
began=$(date +%s)
end=$((began + minutes * 60))
failed=0 passed=0 skipped=0
: >"$out/summary.txt"

say() {
	echo "$*" | tee -a "$out/summary.txt"
}
left() { echo $((end - $(date +%s))); }
# step NAME SECONDS COMMAND...: stdout and stderr go to logs/NAME.txt
step() {
	name=$1 limit=$2
	shift 2
	[ "$limit" -le "$(left)" ] || limit=$(left)
	if [ "$limit" -lt 5 ]; then
		say "skip  $name: no time is left of $minutes minutes"
		skipped=$((skipped + 1))
		return 1
	fi
	start=$(date +%s)
	timeout -k 10 "$limit" "$@" >"$out/logs/$name.txt" 2>&1 </dev/null
	rc=$?
	took=$(($(date +%s) - start))
	case $rc in
	0) say "pass  $name ($took s)" && passed=$((passed + 1)) ;;
	124 | 137) say "FAIL  $name: stopped after $limit s; logs/$name.txt" && failed=$((failed + 1)) ;;
	*) say "FAIL  $name: exit code $rc after $took s; logs/$name.txt" && failed=$((failed + 1)) ;;
	esac
	return $rc
}
skip() {
	say "skip  $1: $2"
	skipped=$((skipped + 1))
}
finish() {
	rm -rf "$out/cache"
	say "$passed passed, $failed failed, $skipped skipped in $(($(date +%s) - began)) s; everything is in $out"
	[ "$failed" -eq 0 ]
	exit $?
}
# An interrupted run still says how far it came.
trap 'say "FAIL  interrupted"; failed=$((failed + 1)); finish' INT TERM

if ! "$evenhand" version >"$out/logs/version.txt" 2>&1; then
	say "FAIL  $evenhand does not start: $(head -n 1 "$out/logs/version.txt")"
	say "      A message about GLIBC means: build on a system as old as this one."
	exit 2
fi
say "$(head -n 1 "$out/logs/version.txt")"

# What the machine says of itself, in the form that tests/replay keeps.
for file in /proc/cpuinfo /proc/meminfo /proc/version /proc/driver/nvidia/version /proc/driver/nvidia/params \
	/proc/driver/nvidia/gpus/*/information /etc/os-release; do
	[ -r "$file" ] || continue
	mkdir -p "$out/replay$(dirname "$file")"
	cat "$file" >"$out/replay$file" 2>/dev/null
done
if command -v nvidia-smi >/dev/null 2>&1; then
	step nvidia-smi 60 nvidia-smi -q
	step nvidia-smi-topology 30 nvidia-smi topo -m
else
	skip nvidia-smi "it is not installed"
fi

step devices 120 "$evenhand" devices
step devices-fields 120 "$evenhand" devices --fields
step probes 120 "$evenhand" devices -v
if timeout -k 10 120 "$evenhand" devices -v --json >"$out/replay/devices.json" 2>"$out/logs/devices-json.txt"; then
	say "pass  devices-json" && passed=$((passed + 1))
else
	say "FAIL  devices-json: logs/devices-json.txt" && failed=$((failed + 1))
fi

usable=
for backend in cuda opencl hip levelzero; do
	so=$tree/lib/evenhand/backends/$backend.so
	if [ ! -f "$so" ]; then
		skip "$backend" "the tree was built without it"
	elif ! grep -q "^$backend:" "$out/logs/devices.txt" 2>/dev/null; then
		skip "$backend" "no device; $(grep "^$backend " "$out/logs/devices.txt" 2>/dev/null | head -n 1 | cut -c1-300)"
	else
		usable="$usable $backend"
	fi
done
for backend in $usable; do
	so=$tree/lib/evenhand/backends/$backend.so
	step "conformance-$backend" 420 "$evenhand" plugin check "$so" --deadline 60s
done
case " $usable " in *" cuda "*) step conformance-cuda-ptx 300 "$evenhand" --set cuda.code=ptx plugin check "$tree/lib/evenhand/backends/cuda.so" --only kernel/ --device 0 ;; esac
for backend in $usable; do
	step "workloads-$backend" 420 "$evenhand" run "$here/device.ini" --on "$backend" -o "$out/device-$backend"
done
for protocol in quick stream-1 gemm-1 system-1; do
	[ -f "$tree/share/evenhand/protocols/$protocol.ini" ] || continue
	for backend in $usable; do
		step "$protocol-$backend" 420 "$evenhand" run "$protocol" --on "$backend" -o "$out/$protocol-$backend"
	done
done
for result in "$out"/*/*.json; do
	case $result in */replay/*) continue ;; esac
	[ -f "$result" ] || continue
	name=$(basename "$(dirname "$result")")-$(basename "$result" .json)
	step "show-$name" 30 "$evenhand" show "$result"
done
[ -n "$usable" ] || say "note  no accelerator was usable: logs/devices.txt says why"
finish
