#!/bin/sh
# Processes that load a driver are sealed: they inherit nothing, what they print spoils nothing, what
# they leave behind is found and ended, and their texts are clean where they enter.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
cd "$T" || exit 1
n=0 bad=0
check() { # status text file with detail...
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	shift 2
	tail -n 10 "$@" >&2
}
mkdir plugins
cp "$BUILD/tests/backends/stray.so" plugins/
export EVENHAND_BACKEND_PATH="$T/plugins"
stray=$T/plugins/stray.so

# does NAME: a run of two short cases; its status is left in rc.
does() {
	"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on stray -o "$1" --quiet --executions 1 \
		--set "stray.does=$1" >"$1.log" 2>&1
	rc=$?
}
# Whether the files hold only printable UTF-8, spaces and newlines: no byte of another encoding nor
# the mark of one that was replaced late, no control character in 7 or 8 bits.
clean() {
	cat "$@" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 &&
		! LC_ALL=C grep -q -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@" &&
		! grep -q -F -e '\u00' -e '7m\n' -e "$(printf '\357\277\275')" "$@"
}
# The processes that stray.so left behind and that are still there.
left() {
	grep -l -x stray-left /proc/[0-9]*/comm 2>/dev/null
}

# ---- what is inherited --------------------------------------------------------------------------
does nothing
[ "$rc" -eq 0 ]
check $? "a backend that behaves runs" nothing.log
EVENHAND_BACKEND_PATH="$T/plugins" "$EVENHAND" devices --set stray.does=descriptors \
	>open.log 2>&1 7>seven 9<"$stray"
note=$(grep -o 'open:[ 0-9]*' open.log)
[ "$note" = "open: 0 1 2 3" ]
check $? "a driver finds stdin, stdout, stderr and the pipe of its process ($note)" open.log

# ---- what is printed ----------------------------------------------------------------------------
does print
[ "$rc" -eq 0 ] && ! grep -q -e "printed by" -e "written" print.log print/run.journal
check $? "a driver that prints spoils neither the run nor its messages" print.log
"$EVENHAND" devices --json --set stray.does=print >print.json 2>print.err
rc=$?
[ "$rc" -eq 0 ] && python3 -c 'import json; json.load(open("print.json"))' 2>>print.err
check $? "a driver that prints does not spoil the answer of devices --json" print.json print.err
"$EVENHAND" plugin check "$stray" --only device/ --set stray.does=print >print.log 2>&1
rc=$?
[ "$rc" -eq 0 ] && ! grep -q -e "printed by" -e "written" print.log
check $? "a driver that prints does not spoil plugin check" print.log

# ---- what is left behind ------------------------------------------------------------------------
for kind in child daemon; do
	does "$kind"
	[ "$rc" -eq 0 ] && grep -q 'warning: stray:cpu.*left behind.*: [0-9][0-9]* stray-left (' "$kind.log" && [ -z "$(left)" ]
	check $? "a $kind that a worker leaves behind is named and ended" "$kind.log"
	"$EVENHAND" run --resume "$kind" --quiet >"$kind.again" 2>&1
	rc=$?
	[ "$rc" -eq 0 ]
	check $? "a $kind that a worker leaves behind does not hold the journal" "$kind.again"
	"$EVENHAND" devices --set "stray.does=$kind" >"$kind.log" 2>&1
	rc=$?
	[ "$rc" -eq 0 ] && grep -q 'warning: .*stray.so.*left behind.*: [0-9][0-9]* stray-left (' "$kind.log" && [ -z "$(left)" ]
	check $? "a $kind that listing the devices leaves behind is named and ended" "$kind.log"
done
(
	sleep 100 &
	echo $! >early
	exec "$EVENHAND" devices --set stray.does=daemon >early.log 2>&1
)
kill "$(cat early)" 2>early.err
check $? "a process that was there before is nobody's survivor" early.log early.err

# ---- what is written ----------------------------------------------------------------------------
does letters
[ "$rc" -eq 0 ] && clean letters.log letters/run.journal letters/*.json
check $? "a run with bad texts gives clean results" letters.log
"$EVENHAND" verify letters/*.json >verify.log 2>&1
check $? "its results verify" verify.log
does log
[ "$rc" -eq 7 ] && clean log.log log/run.journal log/*.json && grep -q 'first line' log/run.journal
check $? "a bad log of a compiler is the clean reason of its rows" log.log
does fail
[ "$rc" -eq 7 ] && clean fail.log fail/run.journal fail/*.json && grep -q 'message caf' fail/run.journal
check $? "a bad message of a device is the clean reason of its rows" fail.log
for does in letters fail; do
	for form in "devices -v" "devices --json" "plugin check $stray --only device/"; do
		# shellcheck disable=SC2086 # a form is several words
		"$EVENHAND" $form --set "stray.does=$does" >form.log 2>&1
		grep -q '?\[31mred' form.log && clean form.log
		check $? "$does: '${form%% /*}' prints clean text" form.log
	done
done

echo "1..$n"
exit $bad
