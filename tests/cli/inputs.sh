#!/bin/sh
# How options may be written, and what may stand for results: files, folders, bundles and members of
# bundles; other files are named for what they are, with the command that takes them.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
gives() { # exit code, words on stdout or stderr, arguments...
	want=$1 words=$2
	shift 2
	timeout 60 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
	[ $rc -eq "$want" ] && cat out err | grep -qF -e "$words"
	check $? "evenhand $(echo "$*" | sed "s|$T/||g; s|$SRC/||g"): $want, $words"
}
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config"
gcc=$SRC/tests/golden/host-gcc-12.json
clang=$SRC/tests/golden/host-clang-14.json

# ---- options -----------------------------------------------------------------------------------

gives 0 '~ equal within 50 %' compare --margin=50% "$gcc" "$gcc"
gives 0 '~ equal within 50 %' compare "$gcc" "$gcc" --margin 50%
gives 4 '--margin takes a share from' compare "$gcc" "$gcc" --margin=200%
gives 4 "did you mean '--margin'" compare --margni 2% "$gcc" "$gcc"
gives 4 "did you mean '--certified'" compare --certifeid "$gcc" "$gcc"
gives 4 "--certified takes no value, but got 'yes'" compare --certified=yes "$gcc" "$gcc"
gives 4 '--margin needs a value, X' compare "$gcc" "$gcc" --margin
gives 4 '--margin needs a value, X' compare "$gcc" "$gcc" --margin=
gives 4 "--as takes tester|verifier, not 'judge'" sign "$gcc" --as judge
gives 4 "did you mean 'show'" key shwo
gives 4 'it is new, list, show, trust or distrust' key xxxxxxxxxx
gives 4 'an action is missing: list, show, check or digest' protocol
gives 4 'DIR is missing' kernels
gives 4 '-o FILE is missing; usage: evenhand bundle RESULT... -o FILE' bundle "$gcc"
gives 4 'amend --note does not take --dispute' amend "$gcc" --note a --dispute b
gives 4 '--reason TEXT is missing' amend "$gcc" --redact who.tester
gives 4 'run --resume does not take --executions' run --resume x --executions 2
cp "$gcc" ./-r.json
gives 0 ' on host:gcc-12' show -- -r.json
gives 4 "unknown option '-r'" show -r.json
gives 0 'usage: evenhand show' show -vqh
gives 0 'usage: evenhand compare' help compare
gives 0 'refused' help contract
gives 0 '"70"' help exit-codes --json
gives 4 "did you mean 'contract'" help contarct
gives 0 '"abi_major"' version --json

# ---- results -----------------------------------------------------------------------------------

"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 --executions 1 -oone >out 2>err </dev/null
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a run, its folder written -oone"
result=$(ls one/*.json)
name=${result##*/}
executor=$("$EVENHAND" show --json "$result" | sed -n 's/^\t\t"name":\t*"\([^"]*:[^"]*\)".*/\1/p' | head -n 1)
gives 0 'x.evenhand: 1 result' bundle one -o x.evenhand
for what in one x.evenhand "x.evenhand/results/$name" "$result"; do
	gives 0 "$executor" show "$what"
	gives 0 "protocol" show "$what" --protocol
	gives 0 'nanoseconds of one operation' show "$what" --samples '*'
	gives 0 '"unit"' show "$what" --samples '*' --json
	timeout 60 "$EVENHAND" compare "$what" "$result" >out 2>err
	[ $? -le 3 ] && grep -q 'tiny' out
	check $? "compare takes $what"
	timeout 60 "$EVENHAND" diagnose "$what" >out 2>err
	[ $? -le 2 ] && [ -s out ]
	check $? "diagnose takes $what"
	timeout 60 "$EVENHAND" attribute "$what" "$result" --no-look >out 2>err
	[ $? -le 2 ] && [ -s out ]
	check $? "attribute takes $what"
	timeout 60 "$EVENHAND" claim pocl-triad "$what" >out 2>err
	[ $? -le 3 ] && [ -s out ]
	check $? "claim takes $what"
done
gives 0 'consistent, unsigned' verify one
gives 0 'consistent, unsigned' verify x.evenhand
gives 0 fingerprint key new lab
gives 0 'signed by lab' sign one --key lab
gives 0 'x.evenhand: 1 result' bundle one -o x.evenhand --force
gives 0 'lab' show x.evenhand
gives 0 'signed by' show "x.evenhand/results/$name"
mkdir two
cp "$gcc" "$clang" two
gives 4 'FROM is one result, but two has 2' attribute two "$gcc"
gives 4 'two has several results; name one with --of' reproduce two
gives 4 "there is no case 'gemm.f32.2'" show two --samples gemm.f32.2
timeout 60 "$EVENHAND" show two >out 2>err && [ "$(grep -c '@.* on host:' out)" -eq 2 ]
check $? "show prints each result of a folder"

# What is no result.
"$EVENHAND" claim template >claim.ini
"$EVENHAND" site template >site.ini
cp "$SRC/protocols/quick.ini" 'my quick.ini'
for command in show verify diagnose 'compare one' 'attribute one' sign reproduce 'bundle -o y.evenhand' 'claim pocl-triad' 'amend --note x'; do
	# shellcheck disable=SC2086
	gives 4 "is a protocol, not a result; use: evenhand run 'my quick.ini'" $command 'my quick.ini'
	# shellcheck disable=SC2086
	gives 4 'is a claim, not a result; use: evenhand claim claim.ini RESULT...' $command claim.ini
	# shellcheck disable=SC2086
	gives 4 'is the journal of a run, not a result; use: evenhand run --resume one' $command one/run.journal
done
gives 4 'is a site file, not a result; use: evenhand site check site.ini' show site.ini
gives 4 'is a bundle, not a result; use: evenhand bundle --unpack DIR x.evenhand' sign x.evenhand
gives 4 'is a bundle, not a result' amend x.evenhand --note x
gives 4 'is a folder' amend one --note x
gives 5 'nowhere.json' show nowhere.json
gives 5 'x.evenhand/results/nowhere.json' show x.evenhand/results/nowhere.json

echo "1..$n"
exit $bad
