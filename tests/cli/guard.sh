#!/bin/sh
# evenhand guard: measures, runs a command, measures again, and says what it changed.  The commands exchange
# the compiler behind the host's device: the slow one does not optimise.
set -u
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s "$T/$said" ] || { echo "# $2: $said:"; tail -n 30 "$T/$said"; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
real=$(command -v gcc || command -v clang)
if [ -z "$real" ] || [ ! -f "$BUILD/lib/evenhand/backends/host.so" ]; then
	echo "ok 1 - guard # SKIP needs gcc or clang, and the host backend (package gcc)"
	echo "1..1"
	exit 0
fi
cd "$T" || exit 1
protocol=$SRC/tests/protocols/attribute-tiny.ini
mkdir bin tools home
for tool in as ld sh cp rm true ln ls sleep touch; do ln -s "$(PATH=/usr/bin:/bin which $tool)" "tools/$tool" || exit 1; done
script() { printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"; }
script fast.sh "exec $real \"\$@\""
script slow.sh "exec $real \"\$@\" -O0"
script to-slow 'echo "the update: $*"; echo complaint >&2; cp slow.sh bin/gcc'
script fails 'cp slow.sh bin/gcc; exit 100'
script waits 'touch begun; until [ -e go ]; do sleep 0.05; done; touch ended'
# A daemon's first process ends while guard measures again.
script leaves '(sleep 0.3; sleep 300 & echo $! >left) & exec ls /proc/self/fd >fds'
script breaks 'rm -f archive.db && ln -s /dev/null/x archive.db'
fast() { cp fast.sh bin/gcc; }
fast

export HOME="$T/home" EVENHAND_CACHE_DIR="$T/cache" EVENHAND_ARCHIVE="$T/archive.db" XDG_CONFIG_HOME="$T/config"
path=$T/bin:$T/tools timeout=$(command -v timeout)
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	env PATH="$path" "$timeout" 200 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
# One thread: then other work on the machine hides less.  Two executions are too few for a verdict: each case is open.
guard() { run guard "$protocol" --on host:gcc --set host.threads=1 --set host.compile-timeout=60 -q --executions "$@"; }
json() { /usr/bin/python3 -c "import json; d = json.load(open('out')); assert $1, d" 2>>err; }
archived() { "$EVENHAND" archive list --last 0 --json 2>>err | /usr/bin/python3 -c "import json, sys; print(len(json.load(sys.stdin)))"; }

guard 2 -o refused -- no-such-program
[ $rc -eq 4 ] && grep -q "there is no program 'no-such-program' in PATH" err && [ ! -e refused ]
check $? "a command that is not there is refused before anything is measured"
guard 2 -o refused
[ $rc -eq 4 ] && grep -q 'COMMAND is missing' err && [ ! -e refused ]
check $? "so is a missing one"
guard 2 -o refused --db /dev/null/archive.db -- true
[ $rc -eq 5 ] && grep -q -e '--no-archive does without it' err && [ ! -e refused ]
check $? "an archive that cannot be opened is reported at once"
run guard "$protocol" --on nothing:0 -o refused -- touch touched
[ $rc -eq 4 ] && [ ! -e refused ] && [ ! -e touched ]
check $? "an executor that is not there leaves nothing behind"

# A busy machine can leave the case open; then it is measured again.
for _ in 1 2 3; do
	rm -rf slower archive.db
	fast
	guard 8 -o slower --json -- ./to-slow 'two words' "$(printf 'red \033[31m')"
	[ $rc -ne 1 ] || break
done
if [ $rc -eq 2 ]; then
	skip "a case that became slower gives 1, and its layer is named" "this machine is too busy for a verdict"
else
	[ $rc -eq 1 ] && json 'd["exit_code"] == 1 and d["changes"][0]["answer"] == "attributable"'
	check $? "a case that became slower gives 1, and its layer is named"
fi
json 'd["status"] == 0 and d["command"][1] == "two words" and d["gone"] == d["came"] == [] and [g["layer"] for g in d["changes"][0]["groups"]] == ["compiler"]' &&
	grep -q '^the update: two words red' err && grep -qx complaint err && grep -q "^command: ./to-slow 'two words'" err
check $? "the answer is JSON, and what the command prints is beside it"
"$EVENHAND" archive history triad --json >out 2>err && grep -q "to-slow 'two words' .*(exit status 0)" out && [ "$(archived)" = 2 ]
check $? "the archive has both results and a note of the command"
"$EVENHAND" compare slower/before slower/after >out 2>err
check $? "before and after are runs like others"
guard 2 -o slower -- touch touched
[ $rc -eq 4 ] && grep -q 'slower has a run before or after a command already' err && [ ! -e touched ]
check $? "a folder that is in use is refused"

fast
guard 2 -o same --no-archive -- ./leaves
[ $rc -eq 2 ] && [ "$(archived)" = 2 ] && grep -q '^no layer changed, and no case is known to have moved: host:gcc' out && grep -q '^the command ended with exit status 0' out
check $? "open cases give 2, and --no-archive leaves the archive alone"
sh -c 'exec ls /proc/self/fd >fds.own' </dev/null >out 2>err
kill "$(cat left)" && [ -s fds ] && cmp -s fds fds.own
check $? "what the command leaves running goes on, and it inherits no descriptor of guard"
guard 2 -o unkept --fail-on slower -- ./breaks
[ $rc -eq 5 ] && grep -q 'not in the archive: .*evenhand archive add unkept/after adds them' err && grep -q '^no layer changed' out
check $? "an archive that the command broke gives 5, and the answer is printed"
rm archive.db

guard 2 -o failed --json -- ./fails
[ $rc -eq 5 ] && grep -q 'failed with exit status 100, so nothing was measured after it' err && [ ! -e failed/after ] &&
	[ -f failed/before/run.journal ] && json 'd["status"] == 100 and d["exit_code"] == 5 and not d["changes"]'
check $? "a command that fails gives 5, and nothing is measured after it"
fast
# shellcheck disable=SC2016
guard 2 -o signalled --no-archive -- sh -c 'kill -9 $$'
[ $rc -eq 5 ] && grep -q 'failed with signal 9' err && [ ! -e signalled/after ]
check $? "so does one that a signal ends"
guard 2 -o gone --no-archive -- rm bin/gcc
[ $rc -eq 3 ] && grep -q 'after the command: no executor matches' err && grep -q 'evenhand run .* -o gone/after' err
check $? "an executor that is gone gives 3 and the reason"
fast
other=$(command -v clang)
if [ -z "$other" ]; then
	skip "an executor of several that is gone gives 3" "needs a second compiler (package clang)"
else
	script bin/clang "exec $other \"\$@\""
	run guard "$protocol" --on host --set host.compile-timeout=60 -q --executions 2 -o several --no-archive --fail-on slower -- rm bin/clang
	[ $rc -eq 3 ] && grep -q '^host:clang.* was measured only before the command' out && grep -q '^no layer changed.*: host:gcc' out
	check $? "an executor of several that is gone gives 3, and the others are compared"
fi
script bin/gcc 'case "$*" in *--version*|*-dumpversion*|*-dumpmachine*) exec '"$real"' "$@" ;; esac; exit 1'
guard 2 -o broken --no-archive -- touch touched
[ $rc -ne 0 ] && [ ! -e touched ] && [ ! -e broken/after ]
check $? "where nothing can be measured before it, the command is not run"
fast

begin() { # arguments of guard in the background
	env PATH="$path" "$EVENHAND" guard "$protocol" --on host:gcc --set host.threads=1 -q --no-archive "$@" >out 2>err </dev/null &
	pid=$!
}
until_there() { until eval "$1" 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done; }
begin --executions 20 -o stopped -- touch touched
until_there 'grep -q "\"kind\":\"case\"" stopped/before/run.journal'
kill -TERM $pid
wait $pid
[ $? -eq 6 ] && grep -q 'before the command was interrupted, and the command was not run; evenhand run --resume stopped/before' err && [ ! -e touched ]
check $? "interrupted before the command it gives 6, and the command is not run"
begin --executions 2 -o during -- ./waits
until_there '[ -e begun ]'
kill -INT $pid
sleep 0.3
kill -0 $pid && touch go
wait $pid
[ $? -eq 6 ] && [ -e ended ] && [ ! -e during/after ] && grep -q 'interrupted while the command ran, which ended with exit status 0' err
check $? "interrupted while the command runs it waits for its end, and gives 6"

echo "1..$n"
exit $bad
