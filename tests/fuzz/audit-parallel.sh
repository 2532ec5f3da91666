#!/bin/sh
# sign and amend of one result at once, and killed at every system call that writes: whatever said 0 is
# there, every signature holds, and a text that was redacted is nowhere.
set -u
: "${T:?}" "${EVENHAND:?}"
. "$SRC/tests/fuzz/counts"
fuzz_counts 8 170
n=0 bad=0
report() { # STATUS TEXT [FILE]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 30 "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$T" || exit 1
rm -rf config base run round
export XDG_CONFIG_HOME="$T/config" EVENHAND_CACHE_DIR="$T/cache" EVENHAND_TESTER='Jane Quux'
cat >one.ini <<'INI'
[protocol]
name = one
version = 1
intent = one kernel
executions = 1
seed = 1
canary = no
[measure]
warmup-min = 1ms
warmup-max = 2ms
samples-min = 10
samples-max = 20
time-min = 1ms
time-max = 50ms
half-width = 100%
proof = 1ms
repeats = 0
telemetry = 0s
[case copy]
workload = stream
operation = copy
precision = f32
bytes = 256KiB
INI
cat >site.ini <<'INI'
[site]
location = the cellar of Quux
[teams]
compiler = compilers of Zork
INI
"$EVENHAND" run one.ini --on host:0 --site site.ini -q -o run >out 2>err
mkdir base
for key in a b c; do "$EVENHAND" key new $key >>out 2>>err; done
cp run/host*.json base/r.json && "$EVENHAND" sign base/r.json --key a >>out 2>>err && [ -s base/r.json.sig ]
report $? "a signed result with names in it" err
owner=$(grep -o '"executor.layers\[[0-9]*\].owner"' base/r.json | tr -d '"' | head -n 1)

start() { # NAME ARGUMENTS...: in the background; its exit code goes to round/NAME.rc
	name=$1
	shift
	{ "$EVENHAND" "$@" >"log/$name" 2>&1 </dev/null; echo $? >"log/$name.rc"; } &
}
said() { [ "$(cat "log/$1.rc")" -eq 0 ]; }
files() { find round -type f | wc -l; }
lost() { echo "# round $round: $1" >>failures; }
: >failures
round=0 done0=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	rm -rf round log
	cp -r base round
	mkdir log
	r=round/r.json
	start sign-b sign $r --key b
	start dispute amend $r --dispute "doubt $round" --key c
	start tester amend $r --redact-text Quux --reason policy --key a
	start owner amend $r --redact "$owner" --reason policy --key b
	start sign-c sign $r --key c --as verifier
	start note amend $r --note "word $round" --key a
	wait
	for name in sign-b dispute tester owner sign-c note; do
		if said $name; then done0=$((done0 + 1)); else lost "$name: $(cat log/$name)"; fi
	done
	"$EVENHAND" verify --json $r >log/verify 2>&1 || lost "verify: $(cat log/verify)"
	[ "$(grep -c '"holds":.*true' log/verify)" -eq 3 ] || lost "a signature is missing"
	grep -q "doubt $round" $r.amendments || lost "the dispute is missing"
	grep -q "word $round" $r.amendments || lost "the note is missing"
	! grep -r -q -e Quux -e Zork round || lost "a name is left"
	[ "$(files)" -eq 3 ] || lost "files are left: $(find round)"
	[ ! -s failures ] || break
done
[ ! -s failures ]
report $? "$rounds rounds of 6 commands at once, $done0 said 0: nothing is lost" failures

# Two commands on one result, the first of which is stopped while it has the lock.
if command -v flock >/dev/null; then
	rm -rf round && cp -r base round
	flock round/r.json sh -c 'echo held; sleep 1' >held &
	until [ -s held ]; do :; done
	"$EVENHAND" sign round/r.json --key b >out 2>&1 && [ "$(files)" -eq 2 ]
	report $? "a command waits for the one that has the lock" out
	wait
else
	skip "waiting for a lock" "no flock (package util-linux)"
fi

# ---- kills ---------------------------------------------------------------------------------------

writing='?write,?writev,?pwrite64,?fsync,?fdatasync,?rename,?renameat,?renameat2,?link,?linkat,?unlink,?unlinkat,?ftruncate,?fchmod,?flock'
kills=0
dead() { echo "# killed at $call $at of $*" >>failures; cat log/* >>failures 2>/dev/null; }
# What has to be after a kill, and after the same command again: NAME is the text, or nothing.
check_killed() { # NAME ARGUMENTS...
	name=$1
	shift
	"$EVENHAND" verify --require-signature round/r.json >log/verify 2>&1 || dead "$*: verify"
	if [ -n "$name" ] && [ -e round/r.json.amendments ] && grep -q "$name" round/r.json; then
		grep -q 'announced and not finished' log/verify || dead "$*: nothing is said of it"
	fi
	"$EVENHAND" "$@" >log/again 2>&1 </dev/null || dead "$*: again"
	"$EVENHAND" verify --require-signature round/r.json >log/verify 2>&1 || dead "$*: verify again"
	! grep -q 'not finished' log/verify || dead "$*: still not finished"
	[ "$(find round -type f ! -name 'r.json*' | wc -l)" -eq 0 ] || dead "$*: files are left: $(find round)"
	[ -z "$name" ] || ! grep -r -q "$name" round || dead "$*: the name is left"
}
kill_everywhere() { # NAME ARGUMENTS...
	rm -rf round && cp -r base round
	(shift && exec strace -f -qq -o calls -e trace="$writing" "$EVENHAND" "$@" >out 2>&1)
	sed -n 's/^[0-9]* *\([a-z0-9]*\)(.*/\1/p' calls | sort -u >names
	while read -r call; do
		at=0 rc=137
		while [ $rc -eq 137 ] && [ $at -lt 40 ]; do
			at=$((at + 1))
			rm -rf round log
			cp -r base round
			mkdir log
			(
				shift
				exec strace -f -qq -o log/trace -e trace="$call" -e inject="$call:signal=KILL:when=$at" \
					"$EVENHAND" "$@" >log/first 2>&1 </dev/null
			)
			rc=$?
			[ $rc -ne 137 ] || { kills=$((kills + 1)); check_killed "$@"; }
		done
	done <names
}
: >failures
if ! command -v strace >/dev/null || ! strace -qq -o out -e inject=write:when=60000:signal=TERM true 2>err; then
	skip "kills at every system call that writes" "no strace (package strace), or tracing is not allowed"
else
	kill_everywhere Quux amend round/r.json --redact-text Quux --reason policy --key a
	kill_everywhere '' sign round/r.json --key b
	[ $kills -ge 10 ] || echo "# only $kills kills" >>failures
	[ ! -s failures ]
	report $? "$kills kills at system calls that write: each result holds, and the command can be repeated" failures
	# Between both replacements anybody can finish, without a key.
	rm -rf round log && cp -r base round && mkdir log
	strace -f -qq -o log/trace -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:signal=KILL:when=2 \
		"$EVENHAND" amend round/r.json --redact-text Quux --reason policy --key a >log/first 2>&1
	"$EVENHAND" verify round/r.json >out 2>&1 && "$EVENHAND" show round/r.json >>out 2>&1
	grep -q 'amend round/r.json --finish' out && ! "$EVENHAND" bundle round/r.json -o round/x.evenhand >>out 2>&1
	report $? "a redaction that was killed in the middle is named, and no bundle is made of it" out
	cp -r round between
	XDG_CONFIG_HOME=/nowhere "$EVENHAND" amend round/r.json --finish >out 2>&1 && ! grep -q Quux round/r.json &&
		XDG_CONFIG_HOME=/nowhere "$EVENHAND" amend round/r.json --finish >>out 2>&1 && grep -q 'nothing to finish' out
	report $? "and finished without a key" out
	# Who finishes it replaces the file that has the lock.  The first waits before it replaces the signatures.
	rm -rf round && mv between round
	strace -f -qq -o log/trace -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:delay_enter=1500000:when=2 \
		"$EVENHAND" sign round/r.json --key b >log/first 2>&1 &
	while grep -q Quux round/r.json; do :; done
	"$EVENHAND" sign round/r.json --key c --as verifier >out 2>&1
	wait
	[ "$(grep -c '"role"' round/r.json.sig)" -eq 3 ] && grep -q 'a announced it; taken out' log/first
	report $? "nor is a signature lost that comes while it is finished" log/first
	# What fails behind the redaction hides nothing of it.
	rm -rf round && cp -r base round
	strace -f -qq -o log/trace -e trace=openat -P round/r.json.sig -e inject=openat:error=EIO:when=2 \
		"$EVENHAND" amend round/r.json --redact-text Quux --reason policy --key a >out 2>&1
	[ $? -eq 5 ] && grep -q 'redaction added; taken out of the result:' out && grep -q "cannot open 'round/r.json.sig'" out
	report $? "an error behind a redaction comes after what was done" out
	# A bundle that cannot be read is not unsigned.
	rm -rf round && cp -r base round
	"$EVENHAND" bundle round/r.json -o round/x.evenhand >out 2>&1
	at=0 wrong=0 failed=0
	echo INJECTED >log/trace
	while grep -q INJECTED log/trace && [ $at -lt 60 ]; do
		at=$((at + 1))
		strace -f -qq -o log/trace -e trace=pread64 -P "$T/round/x.evenhand" -e inject=pread64:error=EIO:when=$at+ \
			"$EVENHAND" show "$T/round/x.evenhand/results/r.json" >out 2>&1
		rc=$?
		[ $rc -ne 5 ] || failed=$((failed + 1))
		[ $rc -eq 5 ] || grep -q 'signed by a' out || wrong=1
	done
	[ $wrong -eq 0 ] && [ $failed -ge 3 ] && [ $at -lt 60 ]
	report $? "signatures in a bundle that cannot be read are an error ($failed reads)" out
fi
echo "1..$n"
exit $bad
