#!/bin/sh
# Settings of a stack for real: a variable that a driver reads is recorded, compared, attributed and
# can be redacted; it is no secret of a cache.
set -u
: "${T:?}" "${EVENHAND:?}" "${SRC:?}"
n=0 bad=0
check() { # status text [file to show]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 30 "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # skip $2"; }
cd "$T" || exit 1
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
export EVENHAND_CACHE_DIR="$T/cache" XDG_CONFIG_HOME="$T/config"
unset POCL_WORK_GROUP_METHOD LP_NUM_THREADS LP_NATIVE_VECTOR_WIDTH OPENBLAS_CORETYPE LD_PRELOAD
"$EVENHAND" devices --json >devices.json 2>/dev/null
names=$(python3 -c "
import json
for b in json.load(open('devices.json'))['backends']:
    for d in b['devices']:
        if d['status'] == 'ok':
            print(d['executor'])")
host=$(printf '%s\n' "$names" | grep -m 1 -e '^host:gcc' -e '^host:clang')
pocl=$(printf '%s\n' "$names" | grep -m 1 '^opencl:pocl')
rusticl=$(printf '%s\n' "$names" | grep -m 1 '^opencl:rusticl')
file() { printf '%s/%s.json' "$1" "$(printf %s "$2" | tr ':/' '--')"; }
# folder executor; a busy machine can spoil a row, so three times at most
measure() {
	for _ in 1 2 3; do
		rm -rf "$1"
		"$EVENHAND" run one.ini --on "$2" -q -o "$1" >"$1.log" 2>&1
		"$EVENHAND" compare "$(file "$1" "$2")" "$(file "$1" "$2")" 2>&1 | grep -q 'refused status' || break
	done
	[ -s "$(file "$1" "$2")" ]
}
# file expression over s, the settings by name (value, else digest), l, their layers, and d, the result
of() {
	python3 - "$1" "$2" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
l = {x['name']: x for x in d['executor']['layers'] if x['layer'] == 'configuration'}
s = {k: x['fields']['value']['value'] if 'value' in x['fields'] else x['sha256'] for k, x in l.items()}
print(eval(sys.argv[2]))
PY
}
answer() { # file: the titles of the groups, and their makers; whether a case moved is chance here
	python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
print('; '.join(g['title'] for g in d['groups']), '|', '; '.join(g['maker'] for g in d['groups']))" "$1"
}

# ---- PoCL ----------------------------------------------------------------------------------------

if [ -z "$pocl" ]; then
	skip "a variable of PoCL" "PoCL is not installed (package pocl-opencl-icd)"
else
	measure plain "$pocl"
	check $? "PoCL is measured as it is" plain.log
	POCL_WORK_GROUP_METHOD=cbs measure cbs "$pocl"
	check $? "and with POCL_WORK_GROUP_METHOD=cbs" cbs.log
	a=$(file plain "$pocl") b=$(file cbs "$pocl")
	[ "$(of "$b" "s['POCL_WORK_GROUP_METHOD'], l['POCL_WORK_GROUP_METHOD']['maker']")" = "('cbs', 'PoCL project')" ]
	check $? "the variable is recorded, with the maker of the object that reads it"
	[ "$(of "$a" "'POCL_WORK_GROUP_METHOD' in s")" = False ]
	check $? "and is absent where it was not set"
	[ "$(of "$a" "any(n in s for n in ('HOME', 'PATH', 'USER', 'LANG', 'TERM', 'PWD', 'POCL_CACHE_DIR', 'XDG_CONFIG_HOME', '/etc/passwd'))")" = False ]
	check $? "what names the user, the session or a cache is not recorded"
	[ "$(of "$a" "[l[n]['fields']['set-by']['value'] for n in ('HWLOC_PLUGINS_BLACKLIST', 'RUSTICL_ENABLE') if n in l][0]")" = worker ]
	check $? "what the worker sets itself is recorded as such"
	icd=$(of "$a" "[n for n in s if n.endswith('.icd')][0]")
	[ -f "$icd" ] && [ "$(of "$a" "s['$icd']")" = "$(sha256sum "$icd" | cut -d' ' -f1)" ]
	check $? "the loader's files are recorded with their digests: $icd"
	[ "$(of "$a" "d['executor']['digest']")" != "$(of "$b" "d['executor']['digest']")" ]
	check $? "the stacks have different digests"
	"$EVENHAND" compare -v "$a" "$b" >out 2>&1
	tr -s '\n ' '  ' <out | grep -q 'layers-differ: .*(1: configuration POCL_WORK_GROUP_METHOD (not set) | cbs)'
	check $? "compare names the variable alone, with both values" out
	"$EVENHAND" attribute "$a" "$b" --no-look --json >out.json 2>err
	[ "$(answer out.json)" = "configuration POCL_WORK_GROUP_METHOD: (not set) -> cbs | PoCL project" ]
	check $? "and so does attribute, with its maker" out.json
	"$EVENHAND" attribute "$b" "$a" --no-look >out 2>&1
	tr -s '\n ' '  ' <out | grep -q 'POCL_WORK_GROUP_METHOD: cbs -> (not set)'
	check $? "the other way round as well" out
	"$EVENHAND" show -v "$b" >out 2>&1
	tr -s '\n ' '  ' <out | grep -q ' POCL_WORK_GROUP_METHOD=cbs'
	check $? "show has it in a line" out

	"$EVENHAND" key new me >/dev/null 2>err && "$EVENHAND" sign "$b" --key me >out 2>err
	check $? "the result is signed" err
	index=$(of "$b" "[i for i, x in enumerate(d['executor']['layers']) if x['name'] == 'POCL_WORK_GROUP_METHOD'][0]")
	"$EVENHAND" amend "$b" --redact "executor.layers[$index].fields.value.value" --reason private --key me >out 2>&1
	check $? "the value is redacted" out
	of "$b" "s['POCL_WORK_GROUP_METHOD']" | grep -q '^redacted:sha256:' && ! grep -q '"cbs"' "$b"
	check $? "it is gone from the file"
	"$EVENHAND" verify "$b" >out 2>&1
	check $? "which still verifies" out

	POCL_WORK_GROUP_METHOD=$(printf 'a\nb') POCL_AFFINITY=$(printf 'caf\351') POCL_DEBUG=$(head -c 100000 /dev/zero | tr '\0' x) \
		measure odd "$pocl"
	[ "$(of "$(file odd "$pocl")" "sorted({len(s[n]) for n in ('POCL_WORK_GROUP_METHOD', 'POCL_AFFINITY', 'POCL_DEBUG')}), s['POCL_AFFINITY'][:7]")" = "([71], 'sha256:')" ]
	check $? "line ends, bytes that are no UTF-8 and 100 kB are recorded as digests" odd.log
	"$EVENHAND" verify "$(file odd "$pocl")" >out 2>&1
	check $? "and make no result that cannot be read" out
fi

# ---- rusticl: its cache does not know the variable -----------------------------------------------

if [ -z "$rusticl" ]; then
	skip "a variable of rusticl" "rusticl is not installed (package mesa-opencl-icd)"
else
	LP_NUM_THREADS=1 measure threads "$rusticl"
	[ "$(of "$(file threads "$rusticl")" "s['LP_NUM_THREADS'], l['LP_NUM_THREADS']['maker']")" = "('1', 'Mesa project')" ]
	check $? "LP_NUM_THREADS is recorded" threads.log
	before=$(find cache/opencl/mesa -type f 2>/dev/null | sort)
	LP_NATIVE_VECTOR_WIDTH=128 measure narrow "$rusticl"
	[ "$(find cache/opencl/mesa -type f 2>/dev/null | sort)" = "$before" ] && find cache/opencl/settings-*/mesa -type f | grep -q .
	check $? "code that is compiled under another vector width is kept apart" narrow.log
fi

# ---- a library that is preloaded -----------------------------------------------------------------

cc=$(command -v gcc || command -v clang)
if [ -z "$host" ] || [ -z "$cc" ]; then
	skip "a library that is preloaded" "no compiler for the host is here (package gcc)"
elif [ -n "${SANITIZE:-}" ]; then
	skip "a library that is preloaded" "sanitizers: their runtime has to come first"
else
	cat >blas.c <<'C'
#include <stdlib.h>
const char *openblas_core(void);
const char *openblas_core(void) { return getenv("OPENBLAS_CORETYPE"); }
C
	"$cc" -shared -fPIC -Wl,-soname,libopenblas.so.0 -o libopenblas.so.0 blas.c 2>blas.log
	check $? "a library that reads OPENBLAS_CORETYPE is made" blas.log
	export LD_PRELOAD="$T/libopenblas.so.0"
	OPENBLAS_CORETYPE=Haswell measure haswell "$host"
	check $? "the host is measured with it" haswell.log
	OPENBLAS_CORETYPE=Prescott measure prescott "$host"
	unset LD_PRELOAD
	a=$(file haswell "$host") b=$(file prescott "$host")
	"$EVENHAND" attribute "$a" "$b" --no-look --json >out.json 2>err
	[ "$(answer out.json)" = "configuration OPENBLAS_CORETYPE: Haswell -> Prescott | OpenBLAS project" ]
	check $? "two values of it are one change" out.json
	OPENBLAS_CORETYPE=Haswell measure unread "$host"
	[ "$(of "$(file unread "$host")" "'OPENBLAS_CORETYPE' in s")" = False ]
	check $? "without the library nobody reads it, and it is not recorded" unread.log
	"$EVENHAND" attribute "$a" "$(file unread "$host")" --no-look --json >out.json 2>err
	[ "$(answer out.json)" = "configuration LD_PRELOAD: $T/libopenblas.so.0 -> (not set) | GNU C Library" ] ||
		answer out.json | grep -q '^configuration LD_PRELOAD: .* -> (not set) | '
	check $? "the library and its variable follow from LD_PRELOAD" out.json
fi

"$EVENHAND" help settings >out 2>&1 && grep -q 'LS_COLORS' out && grep -q 'names the session' out
check $? "help lists what is not recorded, with the reasons" out

echo "1..$n"
exit $bad
