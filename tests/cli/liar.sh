#!/bin/sh
# A backend that lies, in every way the tests know: no row of it is a number.  The honest one of
# the same code gives numbers, so it is the lie that is found.
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
cp "$BUILD/tests/backends/liar.so" plugins/
export EVENHAND_BACKEND_PATH="$T/plugins"

# tell FOLDER FAULT [N]: runs every workload; the statuses, one a line, are left in rows.
tell() {
	"$EVENHAND" run "$SRC/tests/protocols/every.ini" --on liar -o "$1" --quiet \
		--set "liar.fault=$2" ${3:+--set "liar.n=$3"} >"$1.log" 2>&1
	rc=$?
	grep -o '"kind":"case".*' "$1/run.journal" |
		sed 's/.*"id":"\([^"]*\)".*"record":{[^}]*"status":"\([a-z-]*\)".*"reasons":\(\[[^]]*\]\).*/\1 \2 \3/' > rows
}

tell honest honest
numbers=$(grep -c -E ' (valid|not-converged) ' rows)
[ "$numbers" -eq 6 ]
check $? "the honest one gives numbers ($numbers of 6)" rows honest.log

for fault in early tick fast-clock wrong stale skip hang crash oom:0 lost; do
	name=${fault%%:*}
	count=${fault#"$name"}
	count=${count#:}
	tell "lie-$name$count" "$name" "$count"
	[ "$(wc -l < rows)" -eq 6 ] && ! grep -q -E ' (valid|not-converged) ' rows
	check $? "$name${count:+ after $count}: six rows, none of them a number" rows "lie-$name$count.log"
	[ "$rc" -eq 7 ]
	check $? "$name${count:+ after $count}: the exit code says that rows failed (7)" "lie-$name$count.log"
done

# Copying launches nothing: it alone is not touched by launches that do nothing.
tell later skip 300
[ "$(wc -l < rows)" -eq 6 ] && ! grep -v '^xfer' rows | grep -q -E ' (valid|not-converged) '
check $? "launches that do nothing after the first 300: no row that launches is a number" rows later.log

tell once error 3000
[ "$(wc -l < rows)" -eq 6 ] && [ "$(grep -c -E ' failed ' rows)" -eq 1 ]
check $? "one failing call costs its row" rows once.log

"$EVENHAND" compare "honest/liar-honest.json" "honest/liar-honest.json" >compare.log 2>&1
[ $? -eq 3 ] && grep -q simulated compare.log
check $? "a simulated device is never compared" compare.log

echo "1..$n"
exit $bad
