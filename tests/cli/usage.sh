#!/bin/sh
# What people type by mistake, and disks that are full: one sentence, the documented exit code, nothing
# passed over, nothing half-written, nothing lost.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	timeout 60 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
says() { # exit code, words on stderr, arguments...: and that in one sentence, and nothing else
	want=$1 words=$2
	shift 2
	run "$@"
	grep -v -e '^evenhand: warning: ' -e '^Try: ' err >sentences
	[ $rc -eq "$want" ] && grep -qF -e "$words" sentences && [ "$(wc -l <sentences)" -eq 1 ] && [ ! -s out ]
	check $? "evenhand $(echo "$*" | sed "s|$T/||g; s|$SRC/||g"): $want, $words"
}
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config" XDG_STATE_HOME="$T/state"
tiny=$SRC/tests/protocols/tiny.ini
golden=$SRC/tests/golden/host-gcc-12.json

# ---- flags -------------------------------------------------------------------------------------

# Neither value may be passed over.
says 4 "--on is given twice, 'opencl'" run "$tiny" --on host --on opencl
says 4 '-o is given twice' run "$tiny" -o a -o b
says 4 '--pairs is given twice' calibrate --pairs 3 --pairs 4
says 4 '--note is given twice' amend "$golden" --note a --note b
says 4 '--key is given twice' verify --key a --key b "$golden"
says 4 '--margin is given twice' compare --margin 1% --margin 2% "$golden" "$golden"
says 4 '--margin is given twice' attribute --margin 1% --margin 2% "$golden" "$golden"
says 4 '-o is given twice' reproduce "$golden" -o a -o b
says 4 'key new does not take --name' key new a --name b
says 4 '--only is given twice' plugin check x.so --only a --only b
says 4 '--half-width is given twice' series x --half-width 1% --half-width 2%
says 4 '-o is given twice' bundle "$golden" -o a -o b
says 4 '--as is given twice' sign "$golden" --as tester --as verifier
run run --on host --on host --help
[ $rc -eq 0 ] && grep -q 'usage: evenhand run' out
check $? "--help comes before what is wrong"

# What another flag excludes, or the subcommand does not take, is refused and not ignored.
says 4 '--layers or --json, not both' show "$golden" --json --layers
says 4 'bundle --list does not take --unpack' bundle "$golden" --list --unpack x
says 4 'bundle --list does not take --key' bundle "$golden" --list --key x
says 4 'reproduce --resume does not take -o' reproduce "$golden" -o a --resume b
says 4 'key list does not take --name' key list --name x
says 4 'show does not take --passphrase' key show --passphrase
says 4 "'b' is one argument too many; usage: evenhand key new [NAME]" key new a b
says 4 "'x' is one argument too many; usage: evenhand claim list" claim list x
says 4 'claim template does not take --json' claim template --json
says 4 'site template does not take --json' site template --json
says 4 "unknown option '--fast'" devices --fast
says 4 "unknown option '--fast'" attribute --fast
says 4 "unknown option '--fast'" plugin check --fast
says 4 "--device takes a number from 0 to 4294967294, not 'x'" plugin check x.so --device x
says 4 "--deadline takes a time such as 60s, not '0'" plugin check x.so --deadline 0
says 4 "'y.so' is one argument too many" plugin check x.so y.so
says 4 "'show' is one argument too many; usage: evenhand help [NAME]" help run show
says 4 "unknown option '--fast'" help --fast
says 4 "'now' is one argument too many; usage: evenhand version" version now
says 4 "'now' is one argument too many; usage: evenhand version" --version now
for command in devices plugin 'plugin check' site claim; do
	# shellcheck disable=SC2086
	run $command -h
	[ $rc -eq 0 ] && grep -q '^usage: ' out
	check $? "evenhand $command -h prints help"
done
run claim list --json
[ $rc -eq 0 ] && [ "$(head -c 1 out)" = '[' ] && grep -q '"pocl-triad"' out
check $? "claim list --json is JSON"
run claim check nothing pocl-triad --json
[ $rc -eq 4 ] && [ ! -s err ] && [ "$(grep -c '"file":' out)" -eq 2 ] &&
	[ "$(grep -c '"claim":' out)" -eq 1 ] && grep -q "\"error\":.*there is no claim 'nothing'" out
check $? "claim check --json has the sound and the other, with the reason"
run -v devices
[ $rc -eq 0 ] && grep -q '^details$' out
check $? "-v before devices is -v after it"

# ---- files -------------------------------------------------------------------------------------

mkfifo fifo
for command in show verify reproduce 'bundle --list' series 'site check' 'protocol check'; do
	# shellcheck disable=SC2086
	says 5 'is not a regular file' $command fifo
done
says 4 "there is no claim 'nothing'" claim nothing "$golden"
says 4 "there is no key or file 'nobody'" key show nobody
says 4 "there is no key or file 'nobody'" verify "$golden" --key nobody
"$EVENHAND" run "$tiny" --on host:0 --executions 1 -q -o one >out 2>err </dev/null
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a run"
result=$(ls one/*.json)
says 4 '--kernels nowhere: there is no such folder' bundle "$result" -o x.evenhand --kernels nowhere
says 4 'is the journal of another run' bundle "$golden" -o x.evenhand --journal one/run.journal
says 4 'is not valid JSON' bundle "$result" -o x.evenhand --journal "$tiny"
[ ! -e x.evenhand ]
check $? "and no bundle is left of that"
run bundle "$result" -o x.evenhand --journal one/run.journal
[ $rc -eq 0 ]
check $? "the run's own journal goes into the bundle"

# A reproduction takes the place of nothing, and nothing is left where none came about.
says 4 'has no such result; name one with --of' reproduce "$result" --of host:gcc
says 4 'no executor matches' reproduce "$result" --on host:no-such-compiler -o again
[ ! -e again ]
check $? "no folder is left of a reproduction that could not begin"
says 4 'no executor matches' reproduce x.evenhand --on host:no-such-compiler -o again
[ ! -e again ]
check $? "nor of one from a bundle"
mkdir mine
echo mine >mine/protocol.ini
says 4 'mine/protocol.ini is there already' reproduce "$result" -o mine
[ "$(cat mine/protocol.ini)" = mine ] && [ "$(ls mine)" = protocol.ini ]
check $? "and what is there is kept"
cp -r one other
says 4 'holds a run already' reproduce x.evenhand -o other
[ "$(ls other)" = "$(ls one)" ]
check $? "nothing is laid beside a run that is there"

# ---- full disks ----------------------------------------------------------------------------------

if [ -w /dev/full ]; then
	seq 1 50 >numbers
	"$EVENHAND" key new lab >out 2>err
	for what in "show $golden --json" "verify $golden" "diagnose $golden" "attribute $golden $golden --no-look" \
		"claim list" "claim template" "series numbers" "site template" "site check" "plugin list" "calibrate --list" \
		"key list" "key new second" "bundle x.evenhand --list" "bundle x.evenhand --unpack out.d" "run --resume one" \
		"protocol list --json" "devices --fields" "kernels sources"; do
		: >out
		# shellcheck disable=SC2086
		"$EVENHAND" $what >/dev/full 2>err
		rc=$?
		[ $rc -eq 5 ] && [ "$(grep -vc warning: err)" -eq 1 ] &&
			grep -q "^evenhand ${what%% *}: cannot write to standard output: No space left on device" err
		check $? "evenhand $(echo "$what" | sed "s|$SRC/||g") on a full stdout: one sentence, 5"
	done
fi

room() { # pages of 4 KiB that are left on the small file system
	dd if=/dev/zero of=full/fill bs=4096 2>/dev/null
	truncate -s -$(($1 * 4096)) full/fill
}
nothing() { # nothing but these is on the small file system
	rm -f full/fill
	[ "$(cd full && find . -type f | sort | tr '\n' ' ')" = "$*" ]
}
mkdir full
if mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
	room 2
	says 5 'No space left on device' bundle "$result" -o full/y.evenhand
	nothing
	check $? "of a bundle that has no room nothing is left"
	room 3
	says 5 'No space left on device' bundle x.evenhand --unpack full/u
	nothing
	check $? "nor of a folder that it is unpacked into"
	[ ! -e full/u ] && [ -z "$(ls -A full)" ]
	check $? "neither the folder"
	room 1
	XDG_CONFIG_HOME="$T/full" says 5 'No space left on device' key new half
	nothing
	check $? "half a pair of keys is not left, so that its name is free"
	rm -rf full/evenhand
	room 3
	says 5 'No space left on device' reproduce x.evenhand -q -o full/again
	nothing './again/protocol.ini ./again/run.journal '
	check $? "a reproduction without room keeps its journal and its protocol"
	rm -rf full/again

	cp "$result" full/r.json
	member=$(sed -n 's/^"salts": {"\([^"]*\)".*/\1/p' full/r.json)
	room 3
	says 5 'No space left on device' amend full/r.json --redact "$member" --reason policy --key lab
	nothing './r.json ' && cmp -s "$result" full/r.json
	check $? "a redaction that has no room changes nothing"
	run amend full/r.json --redact "$member" --reason policy --key lab
	[ $rc -eq 0 ] && "$EVENHAND" verify full/r.json >out 2>err
	check $? "and is made when there is room"
	rm -rf full/*

	# The journal finds room, the result does not.
	room $((($(wc -c <one/run.journal) + 4095) / 4096 + 2))
	run run "$tiny" --on host:0 --executions 1 -q -o full/run
	[ $rc -eq 5 ] && grep -q 'everything measured is in full/run/run.journal' err && [ "$(ls full/run)" = run.journal ]
	check $? "a result that has no room: what was measured is kept, and it is said how to go on"
	rm full/fill
	run run --resume full/run -q
	{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && "$EVENHAND" verify full/run/*.json >out 2>err
	check $? "and with room the result is made"
	rm -rf full/*

	room 4
	TMPDIR="$T/full" run calibrate --on host:0 --pairs 3 --protocol "$tiny" -q
	[ $rc -eq 5 ] && grep -q 'nothing was stored: make room, or set TMPDIR' err && ! grep -q -e --resume err
	check $? "calibrate without room says where there is too little"
	nothing && [ -z "$(find state -type f 2>/dev/null)" ]
	check $? "and leaves nothing"
	umount full
else
	for t in "a bundle without room" "unpacking without room" "a key without room" "a redaction without room" \
		"a result without room" "calibrate without room"; do
		skip "$t" "cannot mount a small file system here"
	done
fi

echo "1..$n"
exit $bad
