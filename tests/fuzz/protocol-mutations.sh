#!/bin/sh
# Thousands of damaged protocols: each is taken, or refused with one sentence that names the file.
set -u
driver=$BUILD/tests/fuzz/protocol_mutations
. "$SRC/tests/fuzz/counts"
fuzz_counts 3000 10000
first=$seed
n=0
echo 1..4
report() { # STATUS TEXT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# 1, 2: damaged copies of the corpus and of the released protocols, by two seeds.
for seed in $first $((first + 1)); do
	"$driver" "$seed" "$rounds" "$SRC"/tests/fuzz/corpus/protocol/*.ini "$SRC"/protocols/*.ini \
		>"$T/out.$seed" 2>&1
	rc=$?
	[ $rc -eq 0 ] || sed 's/^/# /' "$T/out.$seed" | head -n 40
	report $rc "$rounds damaged protocols, seed $seed: $(tail -n 1 "$T/out.$seed")"
done

# 3: the mutations reach both ends: some are still taken, most are refused.
awk '{ if ($1 < 20 || $3 < 20) exit 1 }' "$T/out.$first"
report $? "both outcomes occur"

# 4: the program itself says one line and ends with the exit code of a usage error.
bad=0
for file in "$SRC"/tests/fuzz/corpus/protocol/*.ini; do
	"$EVENHAND" protocol check "$file" >"$T/o" 2>"$T/e"
	rc=$?
	case $rc in
	0) ;;
	4) [ "$(wc -l <"$T/e")" -eq 1 ] && grep -q "$(basename "$file")" "$T/e" || bad=1 ;;
	*) bad=1 ;;
	esac
	[ $bad -eq 0 ] || { echo "# $file: exit $rc: $(cat "$T/e")"; break; }
done
report $bad "evenhand protocol check on the corpus"
