#!/bin/sh
# Every exit code that `evenhand help exit-codes` lists, each after something real that gives it, and
# none that it does not list.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
given='' missing=''
gives() { # exit code, words on stdout or stderr, arguments...
	want=$1 words=$2
	shift 2
	timeout 100 "$program" "$@" >out 2>err </dev/null
	came "$want" "$words" $? "evenhand $(echo "$*" | sed "s|$T/||g; s|$SRC/||g")"
}
came() { # exit code, words, what came, text
	[ "$3" -eq "$1" ] && { [ -z "$2" ] || cat out err | grep -qF -e "$2"; }
	check $? "$4: $1, $2"
	given="$given $3"
}
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config"
tiny=$SRC/tests/protocols/tiny.ini gcc=$SRC/tests/golden/host-gcc-12.json
program=$EVENHAND

# ---- 0 to 4 ------------------------------------------------------------------------------------

gives 0 'evenhand' version
gives 1 'required:' plugin check "$BUILD/tests/backends/bad_major.so"
gives 2 'unsigned' verify "$gcc" --require-signature
sed 's/"samples_ns": *\[[0-9]*/"samples_ns":[7/' "$gcc" >altered.json
gives 3 'altered' reproduce altered.json -q -o never
gives 4 "there is no command 'rum'" rum
gives 4 'holds no run to resume' run --resume nothing

# ---- 5 -----------------------------------------------------------------------------------------

"$EVENHAND" run "$tiny" --on host:0 -o run --executions 20 -q >out 2>err </dev/null &
pid=$!
until grep -q '"kind":"case"' run/run.journal 2>/dev/null || ! kill -0 $pid; do sleep 0.05; done
rm run/run.journal
wait $pid
came 5 'run/run.journal was removed while the run went on' $? "the journal vanishes"
[ -z "$(ls run)" ]
check $? "and no result is left that looks whole"
if [ "$(id -u)" -eq 0 ]; then
	mkdir prefix
	cp -r "$BUILD/bin" "$BUILD/lib" "$BUILD/share" prefix/ || exit 1
	program=$T/prefix/bin/evenhand
	chown 12345 prefix/lib/evenhand/workloads/stream.so
	gives 5 'belongs to user 12345' run "$tiny" --on host:0 -o owner -q
	gives 5 'belongs to user 12345' protocol check "$tiny"
	gives 5 'belongs to user 12345' protocol show "$tiny"
	gives 5 'belongs to user 12345' reproduce "$gcc" -q -o owner
	chown 0 prefix/lib/evenhand/workloads/stream.so
	chown 12345 prefix/lib/evenhand/backends/host.so
	gives 5 'belongs to user 12345' run "$tiny" --on host:0 -o owner -q
	[ ! -e owner ]
	check $? "and no folder is left"
	program=$EVENHAND
else
	skip "files of another owner" "needs root"
fi
"$EVENHAND" version >/dev/full 2>err
came 5 'cannot write to standard output' $? "stdout is full"

# ---- 6, 7 and SIGPIPE --------------------------------------------------------------------------

"$EVENHAND" run "$tiny" --on host:0 -o stopped --executions 100 -q >out 2>err </dev/null &
pid=$!
until grep -q '"kind":"case"' stopped/run.journal 2>/dev/null || ! kill -0 $pid; do sleep 0.05; done
kill -TERM $pid
wait $pid
came 6 'run --resume stopped' $? "a run is interrupted"
mkdir backends
cp "$BUILD/tests/backends/liar.so" backends/
export EVENHAND_BACKEND_PATH="$T/backends"
gives 7 "invalid" run "$tiny" --on liar -o failed --executions 1 -q --set liar.fault=wrong
unset EVENHAND_BACKEND_PATH
mkfifo fifo
(: <fifo) &
{ sleep 0.2; "$EVENHAND" help --markdown 2>err; } >fifo
rc=$?
wait $!
: >out
came 141 '' $rc "the reader leaves"
[ ! -s err ]
check $? "and nothing is said"

# ---- the list ----------------------------------------------------------------------------------

"$EVENHAND" help exit-codes | tr '\n' ' ' | grep -q 'by SIGPIPE, which a shell shows as 141'
check $? "what a reader that leaves does is said"
listed=141
# 70 is a bug: what gives it is mended.
for code in $("$EVENHAND" help exit-codes | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p'); do
	listed="$listed $code"
	case " $given 70 " in *" $code "*) ;; *) false ;; esac
	check $? "exit code $code is listed and given"
done
for code in $given; do
	case " $listed " in *" $code "*) ;; *) missing="$missing $code" ;; esac
done
[ -z "$missing" ]
check $? "every code that was given is listed:$missing"

echo "1..$n"
exit $bad
