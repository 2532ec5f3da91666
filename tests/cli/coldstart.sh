#!/bin/sh
# coldstart from the source: each operation builds a program that no cache has; on the host and on PoCL the
# results are right, and a program of before is found.
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"
EVENHAND_CACHE_DIR=$T/cache
export EVENHAND_CACHE_DIR
mkdir -m 700 cache
right host:gcc coldstart 'build.kept*,built' 2
# Each new program stays in the cache under its own key.
find cache -name '*.so' | wc -l >kept
python3 - coldstart-host_gcc/*.json kept >facts 2>&1 <<'PY'
import json, sys
timed = {c["id"]: sum(len(e["samples_ns"]) * e["batch"] for e in c["executions"])
         for c in json.load(open(sys.argv[1]))["cases"] if c["executions"]}
kept = int(open(sys.argv[2]).read())
print(timed, kept)
assert set(timed) == {"build.kept.source", "built"} and kept > timed["build.kept.source"] > 0
PY
check $? "each operation that is timed built a program" facts
mv coldstart-host_gcc once
# The cache has the programs of the first time, and the seed is the same.
right host:gcc coldstart 'build.kept*' 1
right opencl:pocl coldstart 'build.fresh*' 1

caught "a program that does not have its numbers" coldstart 'build.kept*' 's/ ^ EH_C_SECOND//' A
caught_in "numbers that stay, so that a cache has the program" coldstart coldstart.c 'build.fresh*' \
	's/++c->adds\[0\] == 0/c->adds[0] == 0/'

# Without compilers there are the kernels that were compiled when this was built.
mkdir bin
env PATH="$T/bin" EVENHAND_BACKEND_PATH="$T/none" "$EVENHAND" run "$SRC/tests/protocols/coldstart.ini" \
	--on host:prebuilt --case 'build*' -q -o ahead >log 2>&1
python3 - ahead/*.json >facts 2>&1 <<'PY'
import json, sys
rows = [c for c in json.load(open(sys.argv[1]))["cases"] if c["id"].startswith("build.")]
assert len(rows) == 2
for c in rows:
    assert c["status"] == "unsupported" and "no working C compiler" in str(c), c
PY
check $? "programs compiled ahead do not build" facts log
finish
