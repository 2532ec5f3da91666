#!/bin/sh
# Damaged results, signatures, amendments and bundles: each holds or is refused, and
# nothing crashes.
set -u
driver=$BUILD/tests/fuzz/audit_mutations
. "$SRC/tests/fuzz/counts"
fuzz_counts 800 10000
export XDG_CONFIG_HOME="$T/config"
n=0 bad=0
echo 1..4
report() { # STATUS TEXT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
rm -rf "$T/config"
rm -f "$T"/r.json* "$T/x.evenhand"
"$BUILD/tests/bench/make_result" -e 2 -n 10 2 "$T/r.json" &&
	"$EVENHAND" key new a >"$T/o" && "$EVENHAND" sign "$T/r.json" --key a >"$T/o" &&
	"$EVENHAND" amend "$T/r.json" --note n --key a >"$T/o" &&
	"$EVENHAND" bundle "$T/r.json" -o "$T/x.evenhand" >"$T/o"
report $? "the files to begin with"

# 2, 3: damaged copies by two seeds.
for seed in "$seed" $((seed + 1)); do
	"$driver" "$seed" "$rounds" "$T" "$T/r.json" "$T/r.json.sig" "$T/r.json.amendments" "$T/x.evenhand" \
		"$SRC"/tests/fuzz/corpus/audit/* >"$T/out.$seed" 2>"$T/err.$seed"
	rc=$?
	[ $rc -eq 0 ] && awk '{ if ($1 < 4 || $2 < 20) exit 1 }' "$T/out.$seed"
	rc=$?
	[ $rc -eq 0 ] || head -n 40 "$T/err.$seed" >&2
	report $rc "$rounds damaged files, seed $seed: $(tail -n 1 "$T/out.$seed") held and refused"
done

# 4: the program says why, and ends with a code it documents.
wrong=0
for file in "$SRC"/tests/fuzz/corpus/audit/*; do
	"$EVENHAND" verify "$file" >"$T/o" 2>"$T/e" </dev/null
	case $? in
	1 | 4) [ -s "$T/o" ] || [ -s "$T/e" ] || wrong=1 ;;
	5) [ "${file##*/}" = bomb-header.evenhand ] && grep -q 'more than 1 GiB' "$T/e" || wrong=1 ;; # beyond a limit
	*) wrong=1 ;;
	esac
	[ $wrong -eq 0 ] || { echo "# $file: $(cat "$T/o" "$T/e")" >&2; break; }
done
report $wrong "evenhand verify on the corpus"
exit $bad
