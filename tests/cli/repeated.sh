#!/bin/sh
# What recognises repeated inputs never makes a number without a flag, and an honest device is not
# taken for it, also where writing inputs takes longer than the samples may.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
cd "$T" || exit 1
rm -rf lie-* big-* unsettled
mkdir -p plugins
cp "$BUILD/tests/backends/liar.so" plugins/
export EVENHAND_BACKEND_PATH="$T/plugins"
liar() { # folder fault protocol [N]: the flags of each execution, a line each, with the pairs or why there are none
	"$EVENHAND" run "$3" --on liar -o "$1" -q --set "liar.fault=$2" ${4:+--set "liar.n=$4"} >"$1.log" 2>&1
	python3 - "$1/liar-$2.json" <<'PY'
import json, sys
for c in json.load(open(sys.argv[1]))['cases']:
    e = c['executions'][0]
    print(c['id'], c['status'], ','.join(e.get('flags', [])) or '-', e.get('varied'))
PY
}
repeated=$SRC/tests/protocols/repeated.ini big=$SRC/tests/protocols/repeated-big.ini
liar lie-honest honest "$repeated" >pairs-honest
grep -q "new_ns" pairs-honest && ! grep -q varied-differs pairs-honest
check $? "the honest one takes as long on new inputs as on repeated ones" pairs-honest
liar lie-memo memo "$repeated" >pairs-memo
! grep -E ' (valid|not-converged) ' pairs-memo | grep -v varied-differs >unflagged
grep -q -e varied-differs -e invalid pairs-memo && [ ! -s unflagged ]
check $? "what is fast on repeated inputs is never a number without a flag" pairs-memo

# Writing these inputs takes longer than all samples may: the pairs are made all the same.
liar big-honest honest "$big" >pairs-honest-big
grep -q new_ns pairs-honest-big && ! grep -q -e varied-differs -e inputs-not-varied pairs-honest-big
check $? "big inputs are varied too, and the honest one is not flagged for it" pairs-honest-big
liar big-memo memo "$big" 400000 >pairs-memo-big
! grep -E ' (valid|not-converged) ' pairs-memo-big | grep -v varied-differs >unflagged
[ "$(wc -l <pairs-memo-big)" -eq 4 ] && [ ! -s unflagged ]
check $? "nor is it with big inputs, under load or in the sustained regime" pairs-memo-big
# Neighbours disturb the first pairs, and patience would be over before there are more.
sed -e '/^\[case gemm\]/,$d' -e 's/^samples-max = .*/samples-max = 6/' "$repeated" >triad.ini
liar unsettled unsettled triad.ini >pairs-unsettled
grep -q new_ns pairs-unsettled && ! grep -q -e varied-differs -e invalid pairs-unsettled
check $? "a few pairs that differ are not enough, however long writing takes" pairs-unsettled
# Zeros cannot be varied: then the row says so.
sed 's/^proof = .*/&\ninput-data = zeros/' "$repeated" >zeros.ini
liar lie-zeros memo zeros.ini >pairs-zeros
! grep -E ' (valid|not-converged) ' pairs-zeros | grep -v inputs-not-varied >unflagged
grep -q inputs-not-varied pairs-zeros && [ ! -s unflagged ]
check $? "inputs that cannot be varied flag the row" pairs-zeros
[ "$(python3 -c "
import json
d = json.load(open('lie-honest/liar-honest.json'))
print(all(e['verification']['during'] > 0 and e['verification']['during_failed'] == 0
          for c in d['cases'] for e in c['executions'] if e['status'] == 'valid'))")" = True ]
check $? "outputs are checked within the timed series, and the record says how often" pairs-honest

echo "1..$n"
exit $bad
