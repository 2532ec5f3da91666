#!/bin/sh
# What lies beside a result takes little memory, and memory that is used up has a sentence and an exit code.
set -u
maker=$BUILD/tests/bench/make_result peak=$SRC/tests/fuzz/hostile.py
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$T" || exit 1
# measure FILE: sets code, took and kilobytes.
measure() {
	read -r code took kilobytes <<-END
		$(python3 "$peak" peak 60 "$EVENHAND" verify "$1" 2>err | tail -n 1)
	END
}
# less TEXT: the last measurement took less than 25 MB, which is half of what their samples take as structs.
less() {
	if [ -n "${SANITIZE:-}" ]; then skip "$1" "a sanitizer's own memory counts too"; return; fi
	[ "$kilobytes" -lt 25000 ]
	check $? "$1 ($kilobytes kB in $took s)"
}

"$maker" -w 'Jane Quux' -n 40000 70 few.json
check $? "a result of 15 MB"

# Amendments of anybody's make a large result no larger: one whose signature is false, and a redaction that
# is announced and not made.
export XDG_CONFIG_HOME="$T/config"
rm -rf config named.*
cp few.json named.json && "$EVENHAND" key new lab >out 2>err &&
	"$EVENHAND" amend named.json --redact who.tester --reason policy --key lab >out 2>err && cp few.json named.json
check $? "a redaction that is announced"
measure named.json
[ "$code" -eq 0 ]
check $? "it is named"
less "in as little memory"
sed -i 's/"text":"policy"/"text":"police"/' named.json.amendments
measure named.json
[ "$code" -eq 1 ]
check $? "its signature that is false is found"
less "in as little memory"

# What is beside a result has a limit, and so has what is written there.
"$maker" 1 small.json && "$EVENHAND" sign small.json --key lab >out 2>err
check $? "a small signed result"
truncate -s 200M small.json.amendments
measure small.json
[ "$code" -eq 5 ]
check $? "200 MB of amendments are refused"
less "without reading them"
rm small.json.amendments
python3 - small.json.sig <<'END'
import json, sys
whole = json.load(open(sys.argv[1]))
whole["signatures"] *= 1500
json.dump(whole, open(sys.argv[1], "w"))
END
"$EVENHAND" verify small.json >out 2>err
[ $? -eq 1 ] && tr -s '\n ' '  ' <out | grep -q 'the file has 1500, and no more than 1000 are checked'
check $? "a thousand signatures are checked, and no more"
rm small.json.sig
note=$(head -c 130000 /dev/zero | tr '\0' x)
code=0 notes=0
while [ $code -eq 0 ] && [ $notes -lt 40 ]; do
	"$EVENHAND" amend small.json --note "$note" --key lab >out 2>err
	code=$?
	notes=$((notes + 1))
done
[ $code -eq 5 ] && [ $notes -gt 30 ] && grep -q 'larger than 4 MiB' err && "$EVENHAND" verify small.json >out 2>err
check $? "no more is written than can be read"
rm -f small.json* named.json*

rm -f few.json

if [ -n "${SANITIZE:-}" ]; then
	skip "memory that is used up is exit 5" "a sanitizer's own memory counts too"
else
	"$maker" -n 2000 200 kept.json
	# Each thread that finds no memory says so.  127: not even the libraries fit.
	wrong=0 refused=0
	for most in 50000 70000 90000 110000 130000 150000; do
		# shellcheck disable=SC3045 # every sh of the systems that are tested has -v
		(ulimit -v $most && exec "$EVENHAND" show kept.json >out 2>err)
		case $? in
		0 | 127) ;;
		5) refused=1; grep -q 'the memory that this process may have is used up' err || wrong=1 ;;
		*) wrong=1 ;;
		esac
	done
	[ $wrong -eq 0 ] && [ $refused -eq 1 ]
	check $? "memory that is used up is exit 5, with a sentence"
	rm -f kept.json
fi
echo "1..$n"
exit $bad
