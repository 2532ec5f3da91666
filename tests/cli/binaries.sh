#!/bin/sh
# A kernel whose binary is another one in each execution of a run: the contract cites it, and `show`
# says which executions.  A compiler that writes random bits into what it makes is found in PATH.
set -u
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text [file to show]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 30 "$3" >&2; fi
}
real=$(command -v gcc || command -v clang)
if [ -z "$real" ] || [ ! -f "$BUILD/lib/evenhand/backends/host.so" ]; then
	echo "ok 1 - binaries that vary # SKIP needs gcc or clang, and the host backend (package gcc)"
	echo "1..1"
	exit 0
fi
cd "$T" || exit 1
mkdir bin cache
for tool in as ld; do ln -s "$(command -v $tool)" bin/$tool; done
compiler() { rm -f bin/gcc; printf '#!/bin/sh\n%s\n' "$1" >bin/gcc; chmod +x bin/gcc; }
steady="exec $real \"\$@\" -Wl,--build-id=0x0123456789abcdef"
moody="read -r bits </proc/sys/kernel/random/uuid; exec $real \"\$@\" -Wl,--build-id=0x\$bits"
cat >two.ini <<'INI'
[protocol]
name = two
version = 1
intent = one kernel in three executions
executions = 3
seed = 1
canary = no
[measure]
warmup-min = 1ms
warmup-max = 2ms
samples-min = 10
samples-max = 20
time-min = 1ms
time-max = 50ms
half-width = 100%
proof = 1ms
repeats = 0
telemetry = 0s
[case copy]
workload = stream
operation = copy
precision = f32
bytes = 256KiB
INI
run() { # folder [cache]
	env PATH="$T/bin" EVENHAND_BACKEND_PATH="$T/none" "$EVENHAND" run two.ini --on host -o "$1" --quiet \
		--set "host.cache-dir=${2:-none}" >"$1.log" 2>&1
	ls "$1"/host-*.json 2>/dev/null
}
binaries() { grep -o '"binary_sha256": *"[0-9a-f]*"' "$1" | sort -u | wc -l; }
cites() { "$EVENHAND" compare -v "$@" >compare.log 2>&1; grep -q binary-varies compare.log; }

compiler "$steady"
a=$(run steady)
[ -n "$a" ] && [ "$(binaries "$a")" -eq 1 ]
check $? "a compiler that is steady makes one binary in three executions" steady.log
b=$(run steady-too)
[ -n "$b" ] && ! cites "$a" "$b"
check $? "and the contract cites nothing about it" compare.log
"$EVENHAND" show -v "$a" >show.log 2>&1 && ! grep -q 'different binaries' show.log
check $? "nor does show" show.log

compiler "$moody"
c=$(run moody)
[ -n "$c" ] && [ "$(binaries "$c")" -eq 3 ]
check $? "one that is not makes three" moody.log
cites "$a" "$c"
check $? "which the contract cites" compare.log
grep -q 'binary-varies: other: 3 binaries' compare.log
check $? "with the side" compare.log
"$EVENHAND" compare -v --certified "$a" "$c" >compare.log 2>&1
[ $? -eq 3 ] && grep -q 'refused binary-varies' compare.log
check $? "in a certified comparison it refuses" compare.log
"$EVENHAND" show -v "$c" >show.log 2>&1 && grep -q '3 different binaries' show.log
check $? "show says so of the result alone" show.log

# From the kernel cache every execution gets what the first one compiled.
d=$(run cached "$T/cache")
[ -n "$d" ] && [ "$(binaries "$d")" -eq 1 ] && ! cites "$a" "$d"
check $? "with the kernel cache it is one binary again" cached.log

echo "1..$n"
exit $bad
