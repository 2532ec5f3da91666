#!/bin/sh
# show, compare, help contract and the program itself, against what they printed when somebody read it
# last (tests/golden/*.txt; UPDATE=1 renews them), and their exit codes.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
cd "$SRC/tests/golden" || exit 1
gcc=host-gcc-12.json clang=host-clang-14.json opencl=opencl-pocl-0.json

golden() { # name, wanted exit code, arguments...
	name=$1 want=$2
	shift 2
	"$EVENHAND" "$@" >"$T/$name" 2>"$T/$name.err"
	rc=$?
	[ $rc -eq "$want" ]
	check $? "evenhand $*: exit code $want" "$T/$name.err"
	[ -z "${UPDATE:-}" ] || cp "$T/$name" "$name"
	diff -u "$name" "$T/$name" >"$T/diff" 2>&1
	check $? "evenhand $*: prints $name" "$T/diff"
}
code() { # wanted exit code, words on stderr, arguments...
	want=$1 words=$2
	shift 2
	"$EVENHAND" "$@" >"$T/out" 2>"$T/err"
	rc=$?
	[ $rc -eq "$want" ] && { [ -z "$words" ] || grep -q -e "$words" "$T/err"; }
	check $? "evenhand $*: exit code $want${words:+, says \"$words\"}" "$T/err"
}

golden show-opencl.txt 0 show $opencl
golden show-gcc-verbose.txt 0 show -v $gcc
golden compare-clang.txt 0 compare $gcc $clang
golden compare-opencl.txt 0 compare $gcc $opencl
golden compare-three.txt 0 compare $gcc $clang $opencl
golden compare-verbose.txt 0 compare -v $gcc $opencl --case 'gemm*'
golden compare-markdown.txt 0 compare --markdown $gcc $clang $opencl
golden explain-opencl.txt 0 explain gemm.f32.256 pocl $gcc $clang $opencl
golden explain-three.txt 0 explain 'dot f32' $gcc $clang $opencl
golden contract.txt 0 help contract

# Widths, and no colour in a file.
[ "$(cat "$T"/show-*.txt "$T"/compare-*.txt "$T"/explain-*.txt | wc -l)" -gt 100 ] && ! grep -l "$(printf '\033')" "$T"/*.txt
check $? "no colour where stdout is not a terminal"
long=$(cat "$T"/show-*.txt "$T"/compare-[cotv]*.txt "$T"/explain-*.txt | sed 's/±/+/g' | awk 'length($0) > 80')
[ -z "$long" ]
check $? "grids, screens and explanations fit 80 columns: $long"
[ "$(wc -l <"$T/compare-three.txt")" -le 25 ] && [ "$(wc -l <"$T/show-opencl.txt")" -le 25 ]
check $? "compare and show fit 25 lines" "$T/compare-three.txt"

# The record as JSON: one as it is, several as an array.
members() { tr -d ' \n\t' <"$1" | tr -s ',{}[]' '\n' | sort; }
members $gcc >"$T/want"
"$EVENHAND" show --json $gcc >"$T/json" && members "$T/json" | diff "$T/want" - >"$T/diff"
check $? "show --json prints the whole record" "$T/diff"
"$EVENHAND" show --json $gcc $opencl | tr -d ' \n\t' >"$T/out" &&
	[ "$(grep -o '"format":"evenhand-result"' "$T/out" | wc -l)" -eq 2 ] && grep -q '^\[{.*}\]$' "$T/out"
check $? "show --json prints several records as an array"
"$EVENHAND" show --json --samples 'gemm.*' $gcc | tr -d ' \n\t' >"$T/out" && grep -q '^\[{.*}\]$' "$T/out" &&
	[ "$(grep -o '"id":"gemm[^"]*","unit":"ns"' "$T/out" | wc -l)" -eq 2 ]
check $? "show --json --samples prints several cases as an array"

# A ratio never stands without both values beside it.
"$EVENHAND" compare --json $gcc $opencl >"$T/json" 2>"$T/err"
if [ -x /usr/bin/python3 ]; then
	/usr/bin/python3 - "$T/json" >"$T/err" 2>&1 <<'PYTHON'
import json, sys
root = json.load(open(sys.argv[1]))
assert root["exit_code"] == 0
rows = root["comparisons"][0]["cases"]
assert len(rows) == 8
for row in rows:
    if "speedup" in row:
        for side in ("baseline", "other"):
            assert row[side]["median_ns"] > 0 and row[side]["value"] > 0
            assert row[side]["interval_ns"]["low"] <= row[side]["median_ns"] <= row[side]["interval_ns"]["high"]
        assert row["speedup_interval"]["low"] <= row["speedup"] <= row["speedup_interval"]["high"]
    else:
        assert row["verdict"] in ("NOT COMPARABLE", "ABSENT"), row
    for reason in row["reasons"]:
        assert reason["rule"] and reason["level"]
PYTHON
	check $? "compare --json: a ratio stands beside both values" "$T/err"
else
	n=$((n + 1))
	echo "ok $n - compare --json: a ratio stands beside both values # SKIP python3 is missing (package python3)"
fi

# Folders: one is a comparison of its executors, two are two runs.
mkdir "$T/one" "$T/two" "$T/none"
cp $gcc $clang $opencl "$T/one"
cp $gcc $opencl "$T/two"
"$EVENHAND" compare "$T/one" >"$T/out" 2>"$T/err"
sed -n 2p "$T/out" | grep -q '^  *host:clang-14  *gcc-12  *pocl$'
check $? "compare FOLDER: the first of the run is the reference of all others" "$T/out"
"$EVENHAND" compare "$T/one" "$T/two" >"$T/out" 2>"$T/err"
sed -n 3p "$T/out" | grep -q '^  *gcc-12  *pocl$' && grep -q 'host:clang-14 is only in the baseline' "$T/err"
check $? "compare FOLDER FOLDER: each executor against itself, the rest is named" "$T/out"
echo '{}' >"$T/empty.json"

code 4 "holds no result" compare "$T/none" $gcc
# Exit codes: 0 whatever the verdicts, others where --fail-on asks for them.
code 0 "" compare $gcc $gcc
code 0 "" compare $gcc $opencl
code 1 "" compare --fail-on slower $gcc $opencl
code 0 "" compare --fail-on faster,open $gcc $opencl
code 1 "" compare --fail-on faster $gcc $clang
code 0 "" compare --fail-on slower,open $gcc $clang
code 3 "" compare --fail-on not-measured $gcc $clang
code 1 "" compare --fail-on not-measured --fail-on faster $gcc $clang
code 0 "" compare --fail-on not-measured $gcc $clang --case 'fma*'
code 2 "" compare --fail-on open,slower --certified $gcc $clang
code 3 "" compare $gcc $clang --case xfer
code 4 "takes slower\[,open,faster,not-measured\], not 'slow'" compare --fail-on slow $gcc $clang
code 4 "takes slower" compare --fail-on slower, $gcc $clang
code 4 "unknown option '--strict'" compare --strict $gcc $gcc
code 4 "not both" compare --json --markdown $gcc $clang
code 4 "no result of that executor.*there is host:gcc-12, host:clang-14" compare --baseline host:nothing $gcc $clang
code 4 "--baseline needs a value, EXECUTOR|FILE" compare $gcc $clang --baseline

# The reference: named by executor, by a part of its name, or by file, also one that is not listed.
for name in host:clang-14 clang-14 clang $clang; do
	"$EVENHAND" compare --baseline "$name" $gcc $clang $opencl >"$T/out" 2>"$T/err"
	sed -n 2p "$T/out" | grep -q '^  *host:clang-14  *gcc-12  *pocl$'
	check $? "compare --baseline $name: that is the reference, wherever its file stands" "$T/out"
done
"$EVENHAND" compare --baseline "$T/one/$clang" $gcc $opencl >"$T/out" 2>"$T/err"
sed -n 2p "$T/out" | grep -q '^  *host:clang-14  *gcc-12  *pocl$'
check $? "compare --baseline FILE: the file need not be among the results" "$T/out"
code 4 "both are; name the file instead" compare --baseline 12 $gcc "$T/one/$gcc" $clang

# Cases by id, by beginning, by pattern, or as they are printed.
for pattern in gemm.f32.256.tuned 'gemm*tuned' 'gemm f32 256 tuned' 'gemm tuned'; do
	"$EVENHAND" compare --case "$pattern" $gcc $clang $opencl >"$T/out" 2>"$T/err" &&
		[ "$(grep -c '^gemm' "$T/out")" -eq 1 ] && ! grep -q '^triad' "$T/out"
	check $? "compare --case '$pattern' takes one case" "$T/out"
done
"$EVENHAND" compare --json --case 'xfer 4K' --case triad $gcc $clang >"$T/out" 2>"$T/err"
[ "$(grep -c '"cites"' "$T/out")" -eq 2 ]
check $? "compare --case 'xfer 4K': words as they are printed" "$T/err"
code 4 "there is no case '64M'" compare --case 64M $gcc $clang
"$EVENHAND" compare --json --case gemm --case 'fma*' $gcc $clang >"$T/out" 2>"$T/err"
[ "$(grep -c '"cites"' "$T/out")" -eq 4 ]
check $? "compare --json --case: only those cases" "$T/out"
code 0 "" show $gcc --case gemm
code 0 "" diagnose $gcc --case 'fma f64'
code 4 "did you mean 'fma.f64'" diagnose $gcc --case fma.f65
code 4 "there is no case 'gemn' in 2 results; there is gemm.f32.256, gemm.f32.256.tuned" compare --case gemn $gcc $clang
code 4 "there is no case 'fma.f33' in .*; did you mean 'fma.f32'" show --case fma.f33 $gcc
code 4 "there is no case 'nothing'" explain nothing $gcc
code 4 "there is host:gcc-12" explain gemm nobody $gcc $clang
code 4 "RESULT is missing" explain gemm
code 4 "CASE is missing" explain
code 0 "" explain gemm $gcc
code 0 "" explain gemm gcc $gcc $clang
"$EVENHAND" compare --json $gcc $clang >"$T/out" 2>"$T/err"
[ "$(grep -c '"cites"' "$T/out")" -eq 8 ] && grep -q '"mean": *"harmonic"' "$T/out" &&
	grep -q '"other_tuning_gain"' "$T/out"
check $? "compare --json: every verdict cites rules, the means and gains are there" "$T/out"
code 4 "is not a result" compare $gcc "$T/empty.json"
cp $gcc "$T/none/a.json"
cp "$T/empty.json" "$T/none/b.json"
code 4 "b.json: is not a result.*; name the result files instead" compare "$T/none"
sed 's/"verified":false/"verified":true/' $gcc >"$T/altered.json"
code 3 "the file was altered" compare $gcc "$T/altered.json"
mkdir "$T/closed"
chmod 0 "$T/closed"
if ls "$T/closed" >/dev/null 2>&1; then
	n=$((n + 1))
	echo "ok $n - a folder that cannot be read # SKIP this user reads every folder"
else
	code 5 "cannot open '$T/closed': Permission denied" compare "$T/closed"
fi
code 4 "compare needs a second result" compare $gcc
code 4 "RESULT is missing; usage: evenhand compare RESULT" compare
code 4 "unknown option '--fast'" compare --fast $gcc $clang
code 4 "--margin takes a share from" compare --margin 2 $gcc $clang
code 4 "needs a value" compare --margin
code 5 "nowhere.json" compare $gcc nowhere.json
code 4 "is not a result" show "$T/empty.json"
code 4 "RESULT is missing" show
code 4 "RESULT is empty" show ""
code 4 "unknown option '--fast'" show --fast
code 5 "nowhere.json" show nowhere.json
code 4 "did you mean 'compare'" comapre
code 4 "no command" frobnicate
code 4 "unknown option '--frobnicate'" --frobnicate
code 4 "is one argument too many" help contract now
code 4 "unknown option '--now'" help contract --now
code 4 "unknown option '--now'" run --now
code 4 "from 1 to 100, not '101'" run quick --executions 101
code 0 "" --version
code 0 "" -V
code 0 "" version
code 0 "" help help
code 0 "" help
code 0 "" help compare
code 0 "" show --help
code 4 "no command" help frobnicate

"$EVENHAND" help >"$T/out"
wrong=
for c in run devices protocol show compare plugin; do
	grep -q "^  $c  *[a-z]" "$T/out" || wrong="$wrong $c"
	{ "$EVENHAND" help $c >"$T/help" 2>&1 && grep -q "^usage: evenhand $c" "$T/help"; } || wrong="$wrong help-$c"
done
[ -z "$wrong" ]
check $? "every command has its line and its help$wrong" "$T/out"
[ -s "$T/out" ] && ! grep -q -e '^  kernels' -e '^  worker' -e conformance-child "$T/out"
check $? "hidden commands are not listed" "$T/out"

if [ -w /dev/full ]; then
	for what in "show $opencl" "compare $gcc $gcc" "help contract" "protocol list" "devices" "help" "show --help" "--version"; do
		# shellcheck disable=SC2086
		"$EVENHAND" $what >/dev/full 2>"$T/err"
		rc=$?
		[ $rc -eq 5 ] && [ "$(grep -vc warning: "$T/err")" -eq 1 ] &&
			grep -q 'cannot write to standard output: No space left on device' "$T/err"
		check $? "evenhand $what: a full disk is said and is exit code 5" "$T/err"
	done
fi

"$EVENHAND" show $gcc >&- 2>"$T/err"
[ $? -eq 5 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q 'cannot write to standard output: Bad file' "$T/err"
check $? "a closed stdout is said once" "$T/err"

# What a file says cannot command the terminal, in tables and in messages.
sed 's/"simulated":false/"simulated":false,"\\u001b[31m\\u009b":1/' $gcc >"$T/escape.json"
"$EVENHAND" show "$T/escape.json" >"$T/out" 2>&1
grep -q 'not part of the format' "$T/out" && ! LC_ALL=C grep -q "$(printf '\033\|\302\233')" "$T/out"
check $? "a refusal quotes no escape sequence" "$T/out"

SOURCE_DATE_EPOCH=abc "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 --executions 1 -q -o "$T/epoch" >"$T/out" 2>"$T/err"
[ "$(grep -c 'SOURCE_DATE_EPOCH is not a number' "$T/err")" -eq 1 ]
check $? "a SOURCE_DATE_EPOCH that is no time is said once" "$T/err"
HOME='' XDG_DATA_HOME='' "$EVENHAND" plugin list >"$T/out" 2>&1
[ -s "$T/out" ] && ! grep -q nonexistent "$T/out"
check $? "without a home the user's folder is left out" "$T/out"

# The documents name what the program has.
"$EVENHAND" help contract --json >"$T/rules"
sed -n 's/.*"id": "\([^"]*\)".*/\1/p' "$T/rules" | sort >"$T/ids"
sed -n 's/^| .\([a-z][a-z-]*\). | [A-Z].*/\1/p' "$SRC/docs/contract.md" | sort >"$T/documented"
[ "$(wc -l <"$T/ids")" -gt 30 ] && diff "$T/ids" "$T/documented" >"$T/diff"
check $? "docs/contract.md has every rule, and none that is not one" "$T/diff"

echo "1..$n"
exit $bad
