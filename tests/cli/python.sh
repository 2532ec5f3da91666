#!/bin/sh
# The Python reader: installed from the tree into a fresh virtual environment, without a network; its
# frames against the program's own exports; damaged files; the example and its table in the docs.
set -u
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
finish() { echo "1..$n"; exit $bad; }
cd "$T" || exit 1
export PYTHONDONTWRITEBYTECODE=1 PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
golden=$SRC/tests/golden
python=/usr/bin/python3 # Debian's packages are beside it
if ! $python -c 'import json' 2>/dev/null; then
	skip "the Python reader" "python3 is missing (package python3)"
	finish
fi

# ---- without pandas ----------------------------------------------------------------------------

# -S: without any package that is installed.
PYTHONPATH=$SRC/python $python -S - "$golden" >out 2>err <<'PY'
import sys, evenhand
results = evenhand.read(sys.argv[1])
assert len(results) == 3, results
one = evenhand.read(sys.argv[1] + "/host-gcc-12.json").record
assert one["executor"]["name"] == "host:gcc-12" and one["cases"][0]["executions"][0]["samples_ns"][0] > 0
try:
    results.record
    raise AssertionError("three results are one")
except ValueError as error:
    assert "3 results" in str(error), error
for make in (results.cases, results.samples, results.layers, lambda: evenhand.columns("cases")):
    try:
        make()
        raise AssertionError("frames without pandas")
    except ImportError as error:
        assert str(error) == "frames need pandas: apt install python3-pandas, or pip install pandas", error
PY
check $? "records are read without pandas; frames say in one sentence what brings it"

"$EVENHAND" help tables --json >tables.json 2>err &&
	PYTHONPATH=$SRC/python $python -c 'import json, evenhand.tables as t
assert json.load(open("tables.json", encoding="utf-8")) == t.TABLES' >out 2>>err
check $? "help tables --json is what the package knows"

# ---- a virtual environment ---------------------------------------------------------------------

missing=$(for name in venv:ensurepip setuptools:setuptools wheel:wheel pandas:pandas; do
	$python -c "import ${name#*:}" 2>/dev/null || { echo "${name%:*} is missing (package python3-${name%:*})"; break; }
done)
if [ -n "$missing" ]; then
	skip "the package, its frames, its example" "$missing"
	finish
fi
# Installing leaves files in the tree.
cp -R "$SRC/python" tree && $python -m venv --system-site-packages environment >out 2>err &&
	CC=/bin/false environment/bin/pip install --no-index --no-build-isolation ./tree >out 2>err
check $? "pip installs it from the tree, without a network and a compiler"
python=$T/environment/bin/python
$python -c 'import evenhand; print("evenhand", evenhand.__version__)' >out 2>err &&
	"$EVENHAND" version | grep -q "^$(cat out) "
check $? "it has the version of the program"

set -- "$golden/host-gcc-12.json" "$golden/host-clang-14.json" "$golden/opencl-pocl-0.json"
$python "$SRC/tests/cli/python_frames.py" "$1" "$2" "$3" "$1,$2,$3" >out 2>err
check $? "golden results: every column is that of evenhand export, to the last digit"
"$BUILD/tests/bench/make_result" -n 20 2 hostile.json >out 2>err &&
	$python "$SRC/tests/cli/python_frames.py" hostile.json >out 2>err
check $? "the same of a result with hostile texts"
for protocol in turns every load; do
	on=host:0
	[ $protocol != turns ] || on=host:0,host:0
	"$EVENHAND" run "$SRC/tests/protocols/$protocol.ini" --on $on -o $protocol --quiet >out 2>err </dev/null
	rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 7 ]
	check $? "protocol $protocol runs here"
done
$python "$SRC/tests/cli/python_frames.py" turns/*.json every/*.json load/*.json "$(echo turns/*.json | tr ' ' ,)" >out 2>err
check $? "the same of results that are measured here: in turns, with percentiles, of loads"
$python -c 'import evenhand
f = evenhand.read("turns").cases()
assert f["executor"].nunique() == 2 and f["tier"].dtype == "category" and str(f["samples"].dtype) == "Int64", f.dtypes
c = evenhand.columns("samples").set_index("column")
assert c.unit["time_ns"] == "ns" and c.meaning["time_ns"] == "Its time." and c.since["round"] == 1, c' >out 2>err
check $? "a folder has its results; columns() has units and meanings"

$python "$SRC/tests/cli/python_hostile.py" "$1" "$SRC"/tests/fuzz/corpus/*/*.* "$golden/run.journal" \
	"$SRC/docs/result.schema.json" >out 2>err
check $? "damaged and hostile files: a sentence, never another exception"

# ---- the example -------------------------------------------------------------------------------

sed -n '/first command prints/,$p' "$SRC/docs/python.md" | sed '1,3d; /^...$/,$d' | tr -s ' ' >want
# How pandas centers the names of columns depends on its version.
(cd "$SRC" && $python python/examples/values.py) >out 2>err && [ -s want ] && tr -s ' ' <out | cmp -s - want
check $? "the example prints the table of docs/python.md"
if $python -c 'import matplotlib' 2>/dev/null; then
	MPLCONFIGDIR=$T $python "$SRC/python/examples/values.py" "$golden" turns -o chart.svg >out 2>err &&
		$python -c 'import xml.etree.ElementTree as t; assert len(t.parse("chart.svg").getroot())' >>out 2>>err
	check $? "and draws a chart of it"
else
	skip "and draws a chart of it" "matplotlib is missing (package python3-matplotlib)"
fi
finish
