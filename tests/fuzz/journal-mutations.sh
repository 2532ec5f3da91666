#!/bin/sh
# Damaged journals: each is read as it was written, cut with a warning, salvaged, or refused, and nothing
# crashes.
set -u
driver=$BUILD/tests/fuzz/journal_mutations
. "$SRC/tests/fuzz/counts"
fuzz_counts 300 5000
# Drivers are no installed programs: a resumed run finds its workloads because it is told where.
export EVENHAND_WORKLOAD_PATH="$BUILD/lib/evenhand/workloads"
n=0 bad=0
echo 1..5
report() { # STATUS TEXT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
cd "$T" || exit 1
rm -rf run mutated folder
mkdir -p mutated
tiny=$SRC/tests/protocols/tiny.ini

# 1: what to begin with: the golden run, a bigger one, and one that this program can resume.
"$BUILD/tests/bench/make_result" -k -e 3 -n 60 60 big.json &&
	{ "$EVENHAND" run "$tiny" --on host:0 -o run --executions 1 --quiet >out 2>err </dev/null || [ $? -eq 7 ]; }
report $? "the journals to begin with"

# 2, 3: damaged copies by two seeds.
for s in "$seed" $((seed + 1)); do
	"$driver" "$s" "$rounds" "$T/mutated" "$SRC/tests/golden/run.journal" "$T/big.json.journal" \
		"$T/run/run.journal" >"$T/out.$s" 2>"$T/err.$s"
	rc=$?
	[ $rc -eq 0 ] && awk '{ if ($2 < 3 || $3 < 20 || $4 < 3 || $5 < 20 || $6 < 10) exit 1 }' "$T/out.$s"
	rc=$?
	[ $rc -eq 0 ] || head -n 40 "$T/err.$s" >&2
	report $rc "$rounds damaged journals, seed $s: $(cat "$T/out.$s") as they were, cut, salvaged, refused, forged; resumable"
done

# 4, 5: the program says one sentence, ends with the code it documents, and leaves the file as it was.
wrong=0
mkdir folder
for file in "$SRC"/tests/fuzz/corpus/journal/*; do
	for salvage in '' --salvage; do
		cp "$file" folder/run.journal
		# shellcheck disable=SC2086
		"$EVENHAND" run --resume folder $salvage >o 2>e </dev/null
		rc=$?
		[ $rc -eq 4 ] && [ "$(grep -vc "^Try: " e)" -eq 1 ] && cmp -s "$file" folder/run.journal &&
			[ "$(ls folder)" = run.journal ] && continue
		echo "# $file $salvage: exit $rc: $(cat e)" >&2
		wrong=1
	done
done
report $wrong "evenhand run --resume on the corpus"
wrong=0
for file in "$SRC"/tests/fuzz/corpus/journal/*; do
	"$EVENHAND" bundle run/host-*.json --journal "$file" -o x.evenhand >o 2>e </dev/null
	rc=$?
	[ $rc -eq 4 ] && [ "$(grep -vc "^Try: " e)" -eq 1 ] && [ ! -e x.evenhand ] && continue
	echo "# $file: exit $rc: $(cat e)" >&2
	wrong=1
done
report $wrong "evenhand bundle --journal on the corpus"
exit $bad
