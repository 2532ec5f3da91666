#!/bin/sh
# The judge alone, linked without the harness, verifies and compares as the program does.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
golden=$SRC/tests/golden
judge=$BUILD/tests/judge/judge

# Entries of each room of the harness; what is hidden may count as local in a linked program.
harness='plugin_find_workload|session_source|measure_case|manifest_read|ledger_read|protocol_parse|plan_make|executor_describe|discover'
nm "$judge" | grep -E " [Tt] ($harness)$" >"$T/foreign"
[ ! -s "$T/foreign" ] && nm "$judge" | grep -q ' [Tt] contract_compare_with$' &&
	[ "$(nm "$BUILD/bin/evenhand" | grep -cE " [Tt] ($harness)$")" -eq 9 ]
check $? "no function of the harness is linked" "$T/foreign"

cd "$golden" || exit 1
"$judge" host-gcc-12.json host-clang-14.json >"$T/judge" 2>"$T/err"
code=$?
"$EVENHAND" compare --fail-on slower host-gcc-12.json host-clang-14.json >"$T/evenhand" 2>>"$T/err"
[ $? -eq $code ] && [ -s "$T/judge" ]
check $? "two results that hold are compared, with the program's exit code" "$T/err"
# The program adds who vouches for them, below.
head -n "$(wc -l <"$T/judge")" "$T/evenhand" | diff - "$T/judge" >"$T/diff"
check $? "the comparison is the program's" "$T/diff"

sed 's/"samples_ns":\[\([0-9]\)/"samples_ns":[9\1/' host-gcc-12.json >"$T/altered.json"
"$judge" host-clang-14.json "$T/altered.json" >"$T/out" 2>"$T/err"
[ $? -eq 4 ] && grep -q 'altered' "$T/err"
check $? "an altered result is refused, with the place" "$T/err"

"$judge" "$SRC/protocols/quick.ini" >"$T/out" 2>"$T/err"
[ $? -eq 4 ] && [ -s "$T/err" ]
check $? "what is no result is refused" "$T/err"

echo "1..$n"
exit $bad
