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

# Nobody reads more than 10,000 findings, so no more are kept, of however many results: each has 2,000.
"$maker" -n 10 1000 wrong.json && sed -i 's/"median_ns":[0-9.e+]*/"median_ns":1/g' wrong.json
python3 "$peak" copies 6 0 wrong.json some.evenhand
python3 "$peak" copies 12 0 wrong.json more.evenhand
# findings FILE RESULTS WORDS...: sets kilobytes.  One more of each says how many are left out.
findings() {
	file=$1 results=$2
	shift 2
	python3 "$peak" peak 60 "$EVENHAND" verify --json "$@" >out 2>err
	read -r code took kilobytes <<-END
		$(tail -n 1 out)
	END
	sed -i '$d' out
	[ "$code" -eq 1 ] && python3 - out "$results" <<-'END'
		import json, sys
		listed = [len(r["findings"]) for r in json.load(open(sys.argv[1]))["reports"] if r["kind"] == "result"]
		count = int(sys.argv[2])
		sys.exit(not (len(listed) == count and sum(listed) <= 10000 + 11 * count and min(listed) >= 10))
	END
	check $? "$file: 10,000 findings are listed, and 10 of each of $results results at least"
}
findings "a bundle" 6 some.evenhand
some=$kilobytes
findings "a larger bundle" 12 more.evenhand
if [ -n "${SANITIZE:-}" ]; then skip "its memory" "a sanitizer's own memory counts too"; else
	[ "$kilobytes" -lt $((some + some / 10)) ]
	check $? "and it takes no more memory ($kilobytes kB, and $some kB)"
fi
findings "files and bundles" 9 some.evenhand wrong.json wrong.json wrong.json
rm -f some.evenhand more.evenhand wrong.json

if [ -n "${SANITIZE:-}" ]; then
	skip "memory that is used up is exit 5" "a sanitizer's own memory counts too"
else
	"$maker" -n 2000 200 kept.json
	# Each thread that finds no memory says so.  127: not even the libraries fit.
	all='50000 70000 90000 110000 130000 150000'
	for words in 'show kept.json' 'sign kept.json --key lab' 'amend kept.json --note x --key lab' 'bundle kept.json --force -o kept.evenhand'; do
		wrong=0 refused=0
		for most in $all; do
			# shellcheck disable=SC2086,SC3045 # every sh of the systems that are tested has -v
			(ulimit -v $most && exec "$EVENHAND" $words >out 2>err)
			case $? in
			0 | 127) ;;
			5) refused=1; grep -q 'the memory that this process may have is used up' err || wrong=1 ;;
			*) wrong=1 ;;
			esac
		done
		[ $wrong -eq 0 ] && [ $refused -eq 1 ] && [ -z "$(find . -name '.evenhand-*')" ]
		check $? "${words%% *}: memory that is used up is exit 5, with a sentence"
		all='50000 110000 150000'
	done
	"$EVENHAND" verify kept.json >out 2>err
	check $? "the result still holds"
	rm -f kept.*
fi

# Whoever reads a result binds itself, until what it makes of it is written.
if [ -z "${SANITIZE:-}" ] && strace -o trace true 2>err; then
	"$maker" 1 one.json
	for words in 'sign one.json --key lab' 'amend one.json --note x --key lab' 'bundle one.json -o one.evenhand'; do
		# shellcheck disable=SC2086
		strace -f -o trace -e trace=prlimit64,rename,renameat,renameat2,linkat "$EVENHAND" $words >out 2>err
		code=$?
		[ $code -eq 0 ] && awk '/RLIMIT_DATA, [{]/ { bound = !bound } /one[.]/ { written++; within += bound }
			END { exit !(written > 0 && within == written && !bound) }' trace
		check $? "${words%% *} is bounded until it has written"
	done
	rm -f one.*
else
	skip "commands are bounded until they have written" "needs strace, and no sanitizer"
fi

# What cannot fit into a bundle is not read.
for i in 1 2 3; do truncate -s 400M sparse$i.json; done
python3 "$peak" peak 60 "$EVENHAND" bundle sparse1.json sparse2.json sparse3.json -o sparse.evenhand >out 2>err
read -r code took kilobytes <<-END
	$(tail -n 1 out)
END
[ "$code" -eq 5 ] && grep -q "'sparse3.json' does not fit into the bundle.*; pack fewer" err && [ ! -e sparse.evenhand ]
check $? "results that are too large for a bundle are refused"
less "before they are in memory"
rm -f sparse*
echo "1..$n"
exit $bad
