#!/bin/sh
# The script for device machines: it never ends half-way in silence, keeps to its time, and says why
# what did not run.  What it runs is tested elsewhere.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
log=$T/log

# No time at all: every step is there as skipped, and the end is reached.
BUILD=$BUILD sh "$SRC/tests/device/run.sh" "$T/none" 0 > "$log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^skip  devices: no time is left of 0 minutes' "$log" && grep -q ' 0 failed, .*everything is in ' "$log"
ok $? "without time it skips, says so, and ends" "$log"
[ -f "$T/none/summary.txt" ] && [ -f "$T/none/replay/proc/cpuinfo" ]
ok $? "and keeps what the machine says of itself" "$log"

# A program that does not start.
mkdir -p "$T/broken/bin"
printf '#!/bin/sh\necho "version GLIBC_9.99 not found"\nexit 1\n' > "$T/broken/bin/evenhand"
chmod +x "$T/broken/bin/evenhand"
BUILD=$T/broken sh "$SRC/tests/device/run.sh" "$T/cannot" 1 > "$log" 2>&1
[ $? -eq 2 ] && grep -q 'does not start: version GLIBC_9.99' "$log" && grep -q 'build on a system as old' "$log"
ok $? "a program that does not start is told from one that fails" "$log"

# A program whose every command hangs or fails: every step is a failure of its own, and the last is reached.
mkdir -p "$T/hangs/bin" "$T/hangs/lib/evenhand/backends"
cat > "$T/hangs/bin/evenhand" <<'HANGS'
#!/bin/sh
case $1 in
version) echo "evenhand of a test" ;;
devices) [ $# -gt 1 ] || echo "cuda:0 TEST"; [ "${2:-}" != -v ] || exit 3 ;;
run) exit 7 ;;
*) exit 1 ;;
esac
HANGS
chmod +x "$T/hangs/bin/evenhand"
: > "$T/hangs/lib/evenhand/backends/cuda.so"
BUILD=$T/hangs sh "$SRC/tests/device/run.sh" "$T/failing" 2 > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL  conformance-cuda: exit code 1' "$log" && grep -q '^FAIL  workloads-cuda: exit code 7' "$log" &&
	grep -q '^FAIL  probes: exit code 3' "$log" && grep -q ' passed, [1-9][0-9]* failed' "$log"
ok $? "steps that fail are named, and the others still run" "$log"

# What is packed is checked before it is packed.
! sh "$SRC/tests/device/pack.sh" "$T/hangs/nothing" "$T/pack" > "$log" 2>&1 && [ ! -e "$T/pack" ]
ok $? "a folder without a build is not packed" "$log"
echo "1..$n"
exit $bad
