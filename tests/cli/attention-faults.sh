#!/bin/sh
# attention's kernels with one mistake each, for the workload as it is: none gives a number.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
cd "$T" || exit 1
n=0 bad=0
check() { # status text file with detail...
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	shift 2
	tail -n 20 "$@" >&2
}
mkdir planted
cp "$BUILD/lib/evenhand/workloads/attention.so" planted/
EVENHAND_WORKLOAD_PATH=$T/planted
export EVENHAND_WORKLOAD_PATH
plant() { # what, text, sed script, settings of the case in lines
	sed "$3" "$SRC/workloads/attention/$2.k" >"planted/$2.k"
	{
		sed '/^\[case /,$d' "$SRC/tests/protocols/attention.ini"
		printf '[case planted]\nworkload = attention\nkeys = 100\nheads = 4\n%b' "$4"
	} >planted.ini
	rm -rf wrong
	"$EVENHAND" run planted.ini --on host:gcc -o wrong -q >wrong.log 2>&1
	! cmp -s "planted/$2.k" "$SRC/workloads/attention/$2.k" && python3 - wrong/*.json >facts 2>&1 <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["cases"]
assert rows and all(c["status"] == "invalid" for c in rows), [(c["status"], c["reasons"]) for c in rows]
PY
	check $? "$1" facts wrong.log
	rm "planted/$2.k"
}
plant 'a causal mask one key further' attention 's/query + sk - sq + 1;/query + sk - sq + 2;/' 'query = 65\ncausal = yes\n'
plant 'the KV head of another head' attention 's|EH_GROUP(1) / share)|EH_GROUP(1) % share)|' 'query = 5\nkv-heads = 2\n'
plant 'the last tile of keys left out' attention 's/for (int from = 0; from < end;/for (int from = 0; from + EH_A_KEYS <= end;/' 'query = 5\n'
plant 'another scale' attention 's/x \* EH_A_SCALE;/x * EH_A_SCALE * 1.01f;/' 'query = 5\n'
plant 'a row that is not written' attention 's/if (row < rows)/if (row < rows - 1)/' 'query = 5\n'
plant 'sums that are not rescaled' attention 's/EH_P(total) \*= rescale;/EH_P(total) *= 1.0f;/' 'query = 5\n'
plant 'decode: a part left out' attention_decode 's/for (int i = 0; i < parts; i++)/for (int i = 0; i < parts - 1; i++)/' 'mode = decode\nsplit = 32\n'
echo "1..$n"
exit $bad
