#!/bin/sh
# What lies in caches of compiled kernels does not get into a run: not what other programs left in
# the user's, and not what is wrong in evenhand's own.
set -u
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
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
"$EVENHAND" devices --json >devices.json 2>/dev/null
names=$(python3 -c "
import json
for b in json.load(open('devices.json'))['backends']:
    for d in b['devices']:
        if d['status'] == 'ok':
            print(d['executor'])")
host=$(printf '%s\n' "$names" | grep -m 1 -e '^host:gcc' -e '^host:clang')
pocl=$(printf '%s\n' "$names" | grep -m 1 '^opencl:pocl')
row() { # folder executor expression over e, the execution, and d, the result
	python3 - "$1/$(printf %s "$2" | tr : -).json" "$3" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
e = d['cases'][0]['executions'][0]
fields = {k: v['value'] for l in d['executor']['layers'] for k, v in l.get('fields', {}).items()}
print(eval(sys.argv[2]))
PY
}
# Whether its row has samples whose output was right, before and after.  What else a busy machine does
# to a row is no matter of caches.
numbers() { # folder executor
	[ "$(row "$1" "$2" "'samples_ns' in e and all(e['verification'][w]['passed'] for w in ('before', 'after'))" 2>/dev/null)" = True ]
}

# ---- evenhand's own ------------------------------------------------------------------------------

if [ -z "$host" ]; then
	skip "a wrong kernel in the kernel cache" "no compiler for the host is here (package gcc)"
else
	EVENHAND_CACHE_DIR=$T/own "$EVENHAND" run one.ini --on "$host" -o first --quiet >first.log 2>&1
	numbers first "$host"
	check $? "a kernel is compiled and kept" first.log
	entry=
	for so in own/host/*.so; do
		[ "$(sha256sum "$so" | cut -d' ' -f1)" = "$(row first "$host" "e['program']['binary_sha256']")" ] && entry=$so
	done
	[ -f "$entry" ]
	check $? "under the digest that the record has" first.log
	# The same function, which copies nothing, with a digest that fits.
	cat >wrong.c <<'C'
#include <stdint.h>
void eh_stream_entry(void **args, const int32_t groups[3], int64_t first, int64_t end)
{ (void)args; (void)groups; (void)first; (void)end; }
C
	cc=$(command -v gcc || command -v clang)
	"$cc" -shared -fPIC -o wrong.so wrong.c 2>wrong.log
	check $? "a wrong kernel is made" wrong.log
	cat wrong.so >"$entry"
	sum=$(sha256sum "$entry" | cut -d' ' -f1)
	sed -i "s/^[0-9a-f]*/$sum/" "${entry%.so}.sha256"
	EVENHAND_CACHE_DIR=$T/own "$EVENHAND" run one.ini --on "$host" -o planted --quiet >planted.log 2>&1
	[ "$(row planted "$host" "e['program'].get('from_cache'), e['program'].get('binary_sha256') == '$sum'")" = "(True, True)" ]
	check $? "planted with its digest it is loaded, and the record has its digest" planted.log
	[ "$(row planted "$host" "e['status'], 'samples_ns' in e")" = "('invalid', False)" ]
	check $? "but its output is wrong, and the row is no number" planted.log
	echo 0000000000000000000000000000000000000000000000000000000000000000 >"${entry%.so}.sha256"
	EVENHAND_CACHE_DIR=$T/own "$EVENHAND" run one.ini --on "$host" -o damaged --quiet >damaged.log 2>&1
	numbers damaged "$host" && grep -q "warning: $host: .* is damaged; the kernel is compiled again" damaged.log && [ "$(row damaged "$host" "e['program'].get('from_cache', False)")" = False ]
	check $? "without its digest it is compiled again, and a warning says so" damaged.log
fi

# ---- searches of the tuned tier -------------------------------------------------------------------

if [ -z "$host" ]; then
	skip "earlier searches" "no compiler for the host is here (package gcc)"
else
	sed -e 's/^operation = copy/&\ntier = tuned/' -e 's/^\[measure\]/&\ntune-budget = 300ms/' one.ini >tuned.ini
	search() { # folder: whether the search is an earlier one
		EVENHAND_CACHE_DIR=$T/own "$EVENHAND" run tuned.ini --on "$host" -o "$1" --quiet >"$1.log" 2>&1
		row "$1" "$host" "e['tuning'].get('earlier', False), bool(e['tuning']['chosen']), e['verification']['before']['passed']"
	}
	[ "$(search searched)" = "(False, True, True)" ] && [ "$(search again)" = "(True, True, True)" ] &&
		[ "$(row searched "$host" "e['tuning']['trials']")" = "$(row again "$host" "e['tuning']['trials']")" ]
	check $? "a search is kept; the next run on this executor takes its winner and checks it" again.log
	"$EVENHAND" explain copy "again/$(printf %s "$host" | tr : -).json" 2>&1 | tr -s '\n ' '  ' | grep -q 'tuned group=[0-9]* items=[0-9]*, the best of [0-9]* tried ([0-9]* in the space), .*by an earlier search on this executor'
	check $? "explain says so" again.log
	for kept in own/winners/*.json; do echo '{' >"$kept"; done
	[ "$(search searched-again)" = "(False, True, True)" ] && grep -q "warning: $host: an earlier search of the tuned tier cannot be used, so it is made again: $T/own/winners/.*json" searched-again.log
	check $? "a damaged one is made again, and a warning says so" searched-again.log
	chmod 666 own/winners/*.json
	[ "$(search open)" = "(False, True, True)" ] && grep -q "cannot be used, so it is made again: .*$T/own/winners" open.log
	check $? "one that others can change is not used" open.log
fi

# ---- the user's ----------------------------------------------------------------------------------

# Where caching is off PoCL works in pocl/uncached, and finds nothing there.
listing() { (cd "$1" && find . -type f ! -path '*/uncached/*' -exec sha256sum {} + | sort); }
if [ -z "$pocl" ]; then
	skip "PoCL's cache" "PoCL is not installed (package pocl-opencl-icd)"
else
	unset POCL_CACHE_DIR POCL_KERNEL_CACHE
	# What PoCL keeps by itself lies in $XDG_CACHE_HOME/pocl/kcache.
	export XDG_CACHE_HOME="$T/user"
	mkdir -p user/pocl/kcache
	POCL_CACHE_DIR=$T/user/pocl/kcache EVENHAND_CACHE_DIR=$T/a \
		"$EVENHAND" run one.ini --on "$pocl" -o filled --quiet >filled.log 2>&1
	numbers filled "$pocl" && [ "$(row filled "$pocl" "fields['kernel-cache']")" = "the user's" ]
	check $? "a cache that the user set is used, and the record says so" filled.log
	objects=$(find user/pocl/kcache -name '*.so' | wc -l)
	[ "$objects" -ge 1 ]
	check $? "PoCL keeps compiled kernels in it ($objects)" filled.log
	find user/pocl/kcache -name '*.so' | while read -r so; do echo poison >"$so"; done
	POCL_CACHE_DIR=$T/user/pocl/kcache EVENHAND_CACHE_DIR=$T/a \
		"$EVENHAND" run one.ini --on "$pocl" -o poisoned --quiet >poisoned.log 2>&1
	! numbers poisoned "$pocl"
	check $? "poisoned, it would spoil a run" poisoned.log
	listing user >before
	EVENHAND_CACHE_DIR=$T/b "$EVENHAND" run one.ini --on "$pocl" -o isolated --quiet >isolated.log 2>&1
	numbers isolated "$pocl"
	check $? "but where the user has not set it, it is not looked at" isolated.log
	[ "$(row isolated "$pocl" "fields['kernel-cache']")" = "evenhand's" ] && [ -d b/opencl/pocl ]
	check $? "the record says that the cache is evenhand's" isolated.log
	listing user >after
	cmp -s before after
	check $? "and the user's is as it was" after
	"$EVENHAND" run one.ini --on "$pocl" -o off --quiet --set opencl.cache-dir=none >off.log 2>&1
	numbers off "$pocl" && [ "$(row off "$pocl" "fields['kernel-cache']")" = off ]
	check $? "or there is none" off.log
	listing user >after
	cmp -s before after
	check $? "with the same outcome" after
fi

echo "1..$n"
exit $bad
