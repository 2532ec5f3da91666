#!/bin/sh
# Runs the tests and counts what they print (TAP).  A test program that ends with another status
# than 0, prints no plan, or prints fewer lines than planned, is a failure of its own.
# usage: run.sh [NAME...]   NAME is part of a test's path; without one, those of the set run
# Environment: SRC, BUILD, EVENHAND, CC; EVENHAND_TEST_ROOMS: the folders of tests; EVENHAND_TEST_SET: short, the tests
# that the file long does not name, long, those that it names, or all; EVENHAND_TEST_EXCEPT: parts of
# paths of tests that do not run; EVENHAND_TEST_JOBS tests run side by side (one more than
# there are CPUs, since they often wait), but those that ask how fast something is run alone.  The closing line is
# "N passed, N failed, N skipped".
set -u
export SRC BUILD EVENHAND CC
export LC_ALL=C
: "${EVENHAND_TEST_TIMEOUT:=240}" "${EVENHAND_TEST_JOBS:=$(($(nproc) + 1))}"
: "${EVENHAND_TEST_ROOMS:=drivers cli abi fuzz contract opencl unit}" "${EVENHAND_TEST_SET:=all}"
export EVENHAND_TEST_TIMEOUT
work=$BUILD/tests/work

# run.sh --one "NAME PATH": one test; its summary is in NAME.sum: passed, failed, skipped.
if [ "${1:-}" = --one ]; then
	name=${2%% *}
	path=${2#* }
	T=$work/$(printf %s "$name" | tr '/' '_')
	export T
	mkdir -p "$T"
	log=$T.log
	began=$(date +%s)
	case $path in
	*.sh) timeout -k 5 "$EVENHAND_TEST_TIMEOUT" sh "$path" >"$log" 2>"$log.err" </dev/null ;;
	# A unit test is no installed program: it finds its parts because it is told where.
	*) EVENHAND_WORKLOAD_PATH=$BUILD/lib/evenhand/workloads \
		timeout -k 5 "$EVENHAND_TEST_TIMEOUT" "$path" >"$log" 2>"$log.err" </dev/null ;;
	esac
	rc=$?
	# A skipped test is neither passed nor failed, whatever word stands before it: cmocka writes "not ok".
	skip=$(grep -ciE '^(not )?ok .*# skip' "$log")
	grep -E '^(not )?ok ' "$log" | grep -vi '# skip' >"$T.run"
	ok=$(grep -c '^ok ' "$T.run")
	bad=$(grep -c '^not ok ' "$T.run")
	# Its reason stands behind it, or, for cmocka, on a line of its own.
	sed -n -e 's/^ok [0-9]* -* *\(.*\) # skip *\(.*\)/\1: \2/Ip' -e 's/^# skip *//Ip' "$log" | sort | uniq -c |
		sed -e 's/^ *1 //' -e 's/^ *\([0-9]*\) /\1 times: /' >"$T.skips"
	plan=$(sed -n 's/^1\.\.\([0-9][0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print NR ? n : "" }')
	why=
	if [ "$bad" -eq 0 ]; then
		if [ $rc -eq 124 ] || [ $rc -eq 137 ]; then why="stopped after $EVENHAND_TEST_TIMEOUT s"
		elif [ $rc -ne 0 ]; then why="ended with status $rc"
		elif [ -z "$plan" ]; then why="printed no plan"
		elif [ "$plan" -ne $((ok + bad + skip)) ]; then why="planned $plan tests and ran $((ok + bad + skip))"
		elif [ "$skip" -gt 0 ] && { [ ! -s "$T.skips" ] || grep -q ': *$' "$T.skips"; }; then why="skipped a test without a reason"
		fi
		[ -z "$why" ] || bad=1
	fi
	took=$(($(date +%s) - began))
	if [ "$bad" -eq 0 ]; then
		shown=$(
			printf '  %-44s %3d passed%s%s\n' "$name" "$ok" \
				"$([ "$skip" -eq 0 ] || printf ', %d skipped' "$skip")" "$([ $took -lt 5 ] || printf '  (%d s)' $took)"
			sed 's/^/      skipped: /' "$T.skips"
		)
	else
		shown=$(
			printf '  %-44s FAILED %s\n' "$name" "$why"
			grep '^not ok ' "$T.run" | sed 's/^/      /'
			tail -n 12 "$log.err" | sed 's/^/      | /'
		)
	fi
	printf '%s\n' "$shown"
	[ "$bad" -eq 0 ] || printf '%s\n' "$shown" >"$T.failed"
	echo "$ok $bad $skip $name" >"$T.sum"
	exit 0
fi

rm -rf "$work"
mkdir -p "$work/bin"
# The interpreter itself: a wrapper that chooses one (pyenv's) takes ten times as long to start.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && [ -x "$python" ] && ln -s "$python" "$work/bin/python3"
PATH=$work/bin:$PATH
# Tests see neither the user's plugins nor the user's files.
export XDG_DATA_HOME="$work/xdg-data" XDG_CACHE_HOME="$BUILD/tests/cache" EVENHAND_CACHE_DIR="$BUILD/tests/cache/evenhand"
export XDG_CONFIG_HOME="$work/xdg-config" XDG_STATE_HOME="$work/xdg-state"
for name in $(env | sed -n 's/^\(EVENHAND_[A-Z_]*\)=.*/\1/p'); do # not the program itself
	case $name in EVENHAND_TEST_* | EVENHAND_FUZZ_* | EVENHAND_CACHE_DIR | EVENHAND_VENDOR_HEADERS | EVENHAND_INTEL_OPENCL) ;; *) unset "$name" ;; esac
done
unset SOURCE_DATE_EPOCH
if [ -n "${SANITIZE:-}" ]; then
	# Drivers leak at exit, and Mesa's Clover aborts in its constructor under AddressSanitizer.
	export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
	[ ! -f /etc/OpenCL/vendors/pocl.icd ] || export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
fi

long=$(sed 's/#.*//' "$SRC/tests/long" | tr -s ' \t\n' ' ')
# The longest first, so that no long one is left for the end.
{
	for room in $EVENHAND_TEST_ROOMS; do
		for t in "$SRC/tests/$room"/*.sh; do
			[ -f "$t" ] && printf '%s %s\n' "${t#"$SRC/tests/"}" "$t"
		done
		for t in "$BUILD/tests/$room"/test_*; do
			[ -f "$t" ] && [ -x "$t" ] && printf '%s/%s %s\n' "$room" "$(basename "$t")" "$t"
		done
	done
} | while read -r name path; do
	hit=yes
	if [ $# -gt 0 ]; then
		hit=no
		for want; do case $name in *"$want"*) hit=yes ;; esac; done
	else
		case " $long " in *" $name "*) is=long ;; *) is=short ;; esac
		[ "$EVENHAND_TEST_SET" = all ] || [ "$EVENHAND_TEST_SET" = $is ] || hit=no
	fi
	for not in ${EVENHAND_TEST_EXCEPT:-}; do case $name in *"$not"*) hit=no ;; esac; done
	[ $hit = no ] || printf '%s %s\n' "$name" "$path"
done >"$work/list"

started=$(date +%s)
timed='^(cli/(engine|load|repeated)|unit/test_(scenario|telemetry|opencl_time)|opencl/|stories/)'
together() { grep -v -E "$timed" "$work/list"; }
alone() { grep -E "$timed" "$work/list"; }
together | xargs -r -d '\n' -n 1 -P "$EVENHAND_TEST_JOBS" sh "$0" --one
alone | xargs -r -d '\n' -n 1 sh "$0" --one
echo
# What apt knows of the packages that the reasons name.
packages=$(grep -ho '(package [a-z0-9.+-]*)' "$work"/*.skips 2>/dev/null | sed 's/(package \(.*\))/\1/' | sort -u | while read -r package; do
	! apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' || printf ' %s' "$package"
done)
[ -z "$packages" ] || echo "for more of the skipped tests: apt-get install$packages"
left=$(printf '%s\n' "$long" | wc -w)
[ $# -gt 0 ] || [ "$EVENHAND_TEST_SET" != short ] || echo "$left tests take long and are left out: make check-long runs them"
# Again, where someone who sees the end alone finds them.
cat "$work"/*.failed 2>/dev/null
cat "$work"/*.sum 2>/dev/null | awk -v planned="$(wc -l <"$work/list")" -v seconds="$(($(date +%s) - started))" '
	{ passed += $1; failed += $2; skipped += $3; if ($2) names = names " " $4 }
	END {
		if (NR != planned) { failed += planned - NR; names = names " (" planned - NR " tests left no summary)" }
		if (names != "") print "failed:" names
		printf "in %d s\n%d passed, %d failed, %d skipped\n", seconds, passed, failed, skipped
		exit failed > 0 || passed + skipped == 0
	}'
