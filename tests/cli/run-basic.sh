#!/bin/sh
# `evenhand run`: the whole way on the host, and what it says when it cannot.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	"$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
cd "$T" || exit 1
tiny=$SRC/tests/protocols/tiny.ini

run run "$tiny" --on host:0 -o one
# Measured on a machine that others use, a row may be invalid for a good reason; not failed.
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a run of tiny on the host ends"
[ "$(grep -c '"kind":"case"' one/run.journal)" -eq 4 ]
check $? "two cases in two executions leave four lines in the journal"
grep '"kind":"case"' one/run.journal >cases && ! grep -q '"status":"failed"' cases
check $? "none of them failed"
tail -n 1 one/run.journal | grep -q '"kind":"end".*"status":"complete"'
check $? "the journal ends as complete"
ls one/*.json >results && [ "$(wc -l <results)" -eq 1 ] && case $(cat results) in one/host-*.json) ;; *) false ;; esac
check $? "one result, named after its executor"
grep -q "next: evenhand show -v $(cat results)" out && grep -q "^tiny@1 on host:" out
check $? "it prints the values, and what to type next"
# What is said of the machine depends on the machine.
! grep -qv '^evenhand: warning: ' err
check $? "no progress where stderr is no terminal"
"$EVENHAND" show "$(cat results)" >shown 2>&1
check $? "the result can be read"
[ "$(sed -n 's/.*"record":{.*"digest":"\([0-9a-f]\{64\}\)","simulated".*/\1/p' one/run.journal | sort -u | wc -l)" -eq 1 ]
check $? "both executions found the same executor digest"

run run "$tiny" --on host:0 -o one
[ $rc -eq 4 ] && grep -q -e --resume err
check $? "a folder that holds a run is refused, with the way to resume it"
run run --resume one
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "resuming a complete run has nothing to do"
[ "$(grep -c '"kind":"case"' one/run.journal)" -eq 4 ]
check $? "and measures nothing again"
# The first line as another program would have written it, with its chain.
replan() { # journal, sed expression
	sed -n "1{s/,\"chain\":.*/}/;$2;p}" "$1" | tr -d '\n' >line
	printf '%s,"chain":"%s"}\n' "$(sed 's/}$//' line)" "$(sha256sum <line | cut -c1-64)" >"$1"
}
cp -r one edited
replan edited/run.journal 's/"version":"[^"]*"/"version":"0.0.0"/'
run run --resume edited
[ $rc -eq 4 ] && grep -q 0.0.0 err
check $? "a run of another program version is not resumed"
cp -r one other
replan other/run.journal 's/"digest":"..../"digest":"0000/'
run run --resume other
[ $rc -eq 4 ] && grep -q digest err
check $? "a run of another protocol digest is not resumed"
mkdir damaged
echo '{"a":1}' >damaged/run.journal
run run --resume damaged
[ $rc -eq 4 ] && grep -q 'byte 0: is not a line of a journal' err
check $? "a journal that begins with something else is refused, with the place"
head -n 1 one/run.journal | sed 's/"seed":[0-9]*/"seed":"x"/' >damaged/run.journal
run run --resume damaged
[ $rc -eq 4 ] && grep -q 'byte 0: .*seed is not a whole number' err
check $? "so is one with a member of another type"

rm -rf damaged
cp -r one damaged
sed -i '/"kind":"end"/d; s/"status":"valid"/"status":"invalid"/' damaged/run.journal
run run --resume damaged
[ $rc -eq 4 ] && grep -q 'its chain does not fit' err
check $? "a journal that was edited by hand is not resumed"

run run "$tiny" --on host:0 -o json --executions 1 --json -v
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a run with one execution, summary as JSON"
grep -q '"status":.*"complete"' out && grep -q '"executor":.*"host:' out && grep -q '"not run":.*0' out
check $? "the summary has status, executors and rows by status"
head -n 1 json/run.journal | grep -q '"deviations":\["executions: 1 instead of 2"\]'
check $? "fewer executions than declared are a recorded deviation"
grep -q 'execution 1/1' err
check $? "with -v there are lines of progress"
! grep -q "$(printf '\033')" err
check $? "and no escape codes in them"
EVENHAND_TESTER="A. Tester" EVENHAND_PARTY=buyer "$EVENHAND" run "$tiny" --on host:0 -o who --executions 1 --quiet >out 2>err
head -n 1 who/run.journal | grep -q '"who":{"tester":"A. Tester","party":"buyer","sponsor":""'
check $? "who measured is taken from the environment"
EVENHAND_PARTY=friend "$EVENHAND" run "$tiny" --on host:0 -o party >out 2>err
[ $? -eq 4 ] && grep -q third-party err && [ ! -e party ]
check $? "an unknown party is refused before anything is written"

run run no-such-protocol
[ $rc -eq 4 ] && [ "$(wc -l <err)" -le 2 ]
check $? "an unknown protocol is a usage error"
run run "$tiny" --on nothing:0 -o none
[ $rc -eq 4 ] && grep -q 'host:' err && [ ! -e none ]
check $? "an unknown backend lists what there is, and leaves no folder"
run run "$tiny" --on host:no-such-compiler -o none
[ $rc -eq 4 ] && grep -q 'host:' err
check $? "an unknown device lists what there is"
run run "$tiny" --on host:0,,host -o none
[ $rc -eq 4 ]
check $? "an empty selector is a usage error"
run run "$tiny" --executions 0
[ $rc -eq 4 ]
check $? "no executions is a usage error"
run run "$tiny" --frobnicate
[ $rc -eq 4 ] && grep -q frobnicate err
check $? "an unknown option is named"
run run
[ $rc -eq 4 ]
check $? "no protocol is a usage error"
run run --resume "$T"
[ $rc -eq 4 ] && grep -q 'no run to resume' err
check $? "a folder without a run cannot be resumed"
run run "$tiny" --resume one
[ $rc -eq 4 ]
check $? "a protocol beside --resume is a usage error"
run run --help
[ $rc -eq 0 ] && grep -q 'usage: evenhand run' out
check $? "help is printed"

run run "$tiny" --on host:0 -o /proc/evenhand-test
[ $rc -eq 5 ] && [ "$(wc -l <err)" -eq 1 ]
check $? "a folder that cannot be made: one sentence and exit code 5"
: >file
run run "$tiny" --on host:0 -o file/below
[ $rc -eq 5 ] && [ "$(wc -l <err)" -eq 1 ]
check $? "a folder below a file: one sentence and exit code 5"

(ulimit -f 0 && exec "$EVENHAND" run "$tiny" --on host:0 -o made/for/it >out 2>err </dev/null)
[ $? -eq 5 ] && [ ! -e made ]
check $? "folders that were made for a run that could not begin are removed"

# More samples than a reader takes: said before anything is measured, and no fault of a result that has few.
sed 's/^samples-max = .*/samples-max = 1000000/; s/^executions = .*/executions = 6/' "$tiny" >many.ini
run run many.ini --on host:0 -o many
[ $rc -eq 4 ] && grep -q '6 executions of 1000000 samples are more than the 5000000 .*; use samples-max = 833333 at most' err && [ ! -e many ]
check $? "a run that could have more samples than are read is refused"
run run many.ini --on host:0 -o many --executions 1 --quiet
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && "$EVENHAND" verify many/host-*.json >out 2>err
check $? "with fewer executions it is measured, and its result holds"
sed -i 's/^executions = .*/executions = 5/' many.ini
run run many.ini --on host:0 -o many-more --executions 7
[ $rc -eq 4 ] && grep -q '7 executions of' err && [ ! -e many-more ]
check $? "--executions counts as those of the protocol"

# Two at a time in one folder: the second is refused while the first goes on.
"$EVENHAND" run "$tiny" --on host:0 -o both --executions 50 --quiet >out1 2>err1 </dev/null &
first=$!
i=0
while [ ! -s both/run.journal ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
run run --resume both
[ $rc -eq 5 ] && grep -q 'another evenhand' err
check $? "a second evenhand in the folder of a run is refused"
kill -KILL $first
wait $first 2>/dev/null

# A full disk: a small file system of our own, else a limit on the size of files.
mkdir full
if mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
	run run "$tiny" --on host:0 -o full/run --executions 50 --quiet
	[ $rc -eq 5 ] && [ "$(grep -vc '^evenhand: warning: ' err)" -eq 1 ] && grep -q 'No space left' err
	check $? "a full disk: one sentence and exit code 5"
	ls full/run >left
	[ "$(cat left)" = run.journal ]
	check $? "and nothing half-written under a final name"
	[ "$(tail -c 1 full/run/run.journal | od -An -c | tr -d ' ')" = '\n' ]
	check $? "its journal ends with a whole line"
	lines=$(grep -c '"kind":"case"' full/run/run.journal)
	mount -o remount,size=64m full
	"$EVENHAND" run --resume full/run --quiet >out 2>err </dev/null &
	pid=$!
	while [ "$(grep -c '"kind":"case"' full/run/run.journal)" -le "$lines" ] && kill -0 $pid 2>/dev/null; do
		sleep 0.1
	done
	kill -INT $pid 2>/dev/null
	wait $pid
	[ "$(grep -c '"kind":"case"' full/run/run.journal)" -gt "$lines" ]
	check $? "with room again it goes on"
	umount full
else
	for t in "a full disk" "nothing half-written" "a whole last line" "room again"; do
		skip "$t" "cannot mount a small file system here"
	done
fi
(
	ulimit -f 16 # blocks of 512 bytes
	"$EVENHAND" run "$tiny" --on host:0 -o limited --executions 50 --quiet >out 2>err </dev/null
)
[ $? -eq 5 ] && [ "$(grep -vc '^evenhand: warning: ' err)" -eq 1 ] && [ "$(echo limited/*)" = limited/run.journal ]
check $? "a limit on the size of files: one sentence, exit code 5, nothing half-written"

# Settings that would change nothing, or drop a backend, are not passed over.
"$EVENHAND" run "$tiny" -o set1 --quiet --set host.threads=abc >out 2>err </dev/null
[ $? -eq 4 ] && grep -q 'host.threads=abc is not a whole number' err && [ ! -e set1 ]
check $? "a setting that stops a backend is refused, also when others could run"
"$EVENHAND" run "$tiny" -o set2 --quiet --set nope.a=1 >out 2>err </dev/null
[ $? -eq 4 ] && grep -q "there is no backend 'nope'" err
check $? "a setting for a backend that is not there is refused"
"$EVENHAND" run "$tiny" --on host:0 -o set3 --quiet --set host.nope=1 >out 2>err </dev/null
[ $? -ne 4 ] && grep -q 'host.nope=1; is it misspelt' err
check $? "a setting that the backend never asked for is warned about"

echo "1..$n"
exit $bad
