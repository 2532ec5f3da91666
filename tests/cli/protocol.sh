#!/bin/sh
# evenhand protocol: what it prints, what it refuses, and that its documentation is whole.
set -u
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in "$T/out" "$T/err"; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
run() { # expected exit code, arguments of `evenhand protocol`
	want=$1
	shift
	"$EVENHAND" protocol "$@" >"$T/out" 2>"$T/err"
	[ $? -eq "$want" ]
}

names=$(sed 's/ .*//' "$SRC/tests/golden/protocol-digests" | sort | tr '\n' ' ')
run 0 list && [ "$(awk '{ print $1 }' "$T/out" | tr '\n' ' ')" = "$names" ]
check $? "list shows the released protocols"

all=0
for name in $names; do
	cases=$(sed -n "s/^| \`$name\` | \([0-9]*\) .*/\1/p" "$SRC/docs/protocol.md")
	run 0 check "$SRC/protocols/$name.ini" && grep -q ", $cases cases, sha256 " "$T/out" || all=1
done
check $all "the released protocols are sound and have as many cases as documented"

run 0 show quick && grep -q '^triad\.f32\.32MiB  *stream  *f32 ' "$T/out" && grep -q '  samples-min  *6$' "$T/out"
check $? "show prints cases and settings"

run 0 digest quick && digest=$(cat "$T/out") && printf %s "$digest" | grep -qx '[0-9a-f]\{64\}'
check $? "digest prints 64 hexadecimal digits"
moved=
while read -r name sum; do
	run 0 digest "$name" && [ "$(cat "$T/out")" = "$sum" ] || moved="$moved $name"
done <"$SRC/tests/golden/protocol-digests"
[ -z "$moved" ]
check $? "released protocols keep their digests$moved"

sed -e '/^#/d' -e 's/ = /=/' "$SRC/protocols/quick.ini" >"$T/respelt.ini"
cd "$T" && run 0 digest respelt.ini && [ "$(cat "$T/out")" = "$digest" ]
check $? "another spelling has the same digest"

sed 's/^seed = 1$/seed = 2/' "$SRC/protocols/quick.ini" >"$T/other.ini"
run 0 digest other.ini && [ "$(cat "$T/out")" != "$digest" ]
check $? "another seed has another digest"

run 0 show quick --json && tr -d '\t\n' <"$T/out" | grep -q "^{\"canonical\": {.*},\"digest\": \"$digest\"}"
check $? "show --json has the canonical form and its digest"

sed 's/^samples-min/sample-min/' "$SRC/protocols/quick.ini" >"$T/bad.ini"
run 4 check bad.ini "$SRC/protocols/quick.ini" && [ "$(wc -l <"$T/err")" -eq 1 ] &&
	grep -q "bad.ini:[0-9]*: there is no key 'sample-min' in \[measure\]; did you mean 'samples-min'?" "$T/err" &&
	grep -q 'quick@2, 8 cases' "$T/out"
check $? "check tells the bad file from the good one"

run 4 check bad.ini --json && grep -q '"sound": false' "$T/out"
check $? "check --json says so too"

run 4 show quikc && grep -q "did you mean 'quick'" "$T/err"
check $? "a misspelt name is answered with the nearest"

run 5 check /no/such/file.ini && grep -q 'No such file' "$T/err"
check $? "a file that cannot be read is an error of the environment"

run 4 check quick && grep -q "check takes a file; the protocol of that name is .*/quick.ini" "$T/err"
check $? "check of a name says where its file is"

run 4 check / && grep -q '/ is a folder; check takes files' "$T/err" && run 4 list --xml && grep -q "unknown option '--xml'" "$T/err"
check $? "a folder and an unknown option are named"

run 4 && run 4 frobnicate && run 4 show && run 4 show a b && run 4 list x && run 4 check && run 4 show quick --xml
check $? "wrong usage is exit code 4"

missing=
for key in $("$EVENHAND" protocol show quick | sed -n 's/^  \([a-z-]*\)  .*/\1/p') name version intent compatible tier workload; do
	grep -q "^| \`$key\` |" "$SRC/docs/protocol.md" || missing="$missing $key"
done
[ -z "$missing" ]
check $? "docs/protocol.md explains every key$missing"

wrong=$("$EVENHAND" protocol show "$SRC/tests/fuzz/corpus/protocol/defaults.ini" | sed -n '/^measurement/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1 \2/p' |
	while read -r key value; do
		case $(grep "^| \`$key\` |" "$SRC/docs/protocol.md") in
		*"| \`$value\` |"*) ;;
		*) printf ' %s=%s' "$key" "$value" ;;
		esac
	done)
[ -z "$wrong" ]
check $? "the documented defaults are the real ones$wrong"

if [ -w /dev/full ]; then
	"$EVENHAND" protocol show quick >/dev/full 2>"$T/err"
	[ $? -eq 5 ] && grep -q 'standard output' "$T/err"
	check $? "a full disk is told"
fi
echo "1..$n"
exit $bad
