#!/bin/sh
# The Python reader: installed from the tree into a fresh virtual environment, without a network; its
# frames against the program's own exports and answers, also of an archive on a PostgreSQL server that the
# test starts; damaged files and archives; the examples and what the docs print of them.
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
# shellcheck source=tests/cli/server
. "$SRC/tests/cli/server"
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

# ---- the archive -------------------------------------------------------------------------------

# Those of docs/archive.md: on the 15th day another driver; and an executor with a hostile name.
mkdir days
day=1
while [ $day -le 28 ]; do
	driver=535.1 factor=1
	[ $day -lt 15 ] || { driver=550.2 factor=1.1; }
	"$BUILD/tests/bench/make_result" -n 10 -s $day -d "$(printf '2026-02-%02dT08:00:00Z' $day)" -x cuda:a -v $driver \
		-f $factor 3 days/a$day.json >out 2>&1 || check 1 "make_result"
	day=$((day + 1))
done
fill() { # archive result...
	EVENHAND_ARCHIVE=$1
	export EVENHAND_ARCHIVE
	shift
	"$EVENHAND" archive add "$@" --mark nightly >out 2>err </dev/null &&
		"$EVENHAND" archive annotate 'driver updated' --at 2026-02-15 --author ops >>out 2>>err </dev/null
}
fill small.db days/a1.json days/a15.json && $python "$SRC/tests/cli/python_archive.py" hostile small.db >out 2>err
check $? "damaged and hostile archives: a sentence, never another exception, and no memory beyond their size"
fill "$T/odd ?#%41.db" days
"$EVENHAND" archive history triad.n1 >page 2>err &&
	sed -n '/results that the tests make/,$p' "$SRC/docs/archive.md" | sed '1,3d; /^```/,$d' >want && cmp -s page want
check $? "docs/archive.md has what history prints"
"$BUILD/tests/bench/make_result" -n 10 -d 2026-02-06T09:00:00Z -w '\u001b[31mred\u0007' -x 'cuda:<b>' 2 hostile.json >out 2>&1 &&
	$python "$SRC/python/examples/history.py" triad.n1 >out 2>err &&
	sed -n 's/^  \([0-9] \) *\(20.* results, [0-9.]* MB.s\):.*/  \1 \2/p' want >levels && [ "$(wc -l <levels)" = 2 ] &&
	sed 1d out | cmp -s - levels && sed -n '/last one prints/,$p' "$SRC/docs/python.md" | sed '1,3d; /^```/,$d' | cmp -s - out
check $? "the example of the archive finds the levels of that history, and docs/python.md has what it prints"
"$EVENHAND" archive add hostile.json >out 2>err && $python "$SRC/tests/cli/python_archive.py" same "$EVENHAND_ARCHIVE" >out 2>err
check $? "frames of an archive are what archive list, query and history print"
$python -c 'import evenhand
try:
    evenhand.open_archive("none.db")
except FileNotFoundError:
    print("none")' >out 2>err && [ "$(cat out)" = none ] && [ ! -e none.db ]
check $? "one that is not there is not made"
lacks=$(server_lacks)
if $python -c 'import psycopg' 2>/dev/null || $python -c 'import psycopg2' 2>/dev/null; then
	brings=
else
	brings="psycopg is missing (package python3-psycopg2)"
fi
PYTHONPATH=$SRC/python /usr/bin/python3 -S -c 'import evenhand
try:
    evenhand.open_archive("postgresql://ops:secret@db.example/results")
except ImportError as error:
    print(error)' >out 2>err && grep -q '^archives on PostgreSQL need psycopg: apt install python3-psycopg2' out
check $? "without psycopg, a sentence says what brings it"
if [ -n "$lacks$brings" ]; then
	skip "the same on a server" "${lacks:-$brings}"
else
	server_start && fill "postgresql://evenhand:secret@/results?host=$server" days hostile.json &&
		$python "$SRC/tests/cli/python_archive.py" same "$EVENHAND_ARCHIVE" >out 2>err
	check $? "the same on a server"
	$python -c 'import evenhand, sys
for place in sys.argv[1:]:
    try:
        evenhand.open_archive(place)
    except evenhand.ArchiveError as error:
        print(error)' "postgresql://evenhand:secret@/absent?host=$server" "postgresql://evenhand:secret@/none?port=x" >out 2>err &&
		[ "$(grep -c '^archive postgresql:///' out)" = 2 ] && ! grep -q secret out err
	check $? "a server that cannot be read: a sentence, without the password"
fi
unset EVENHAND_ARCHIVE

# ---- the examples ------------------------------------------------------------------------------

sed -n '/first command prints/,$p' "$SRC/docs/python.md" | sed '1,3d; /^...$/,$d' | tr -s ' ' >want
# How pandas centers the names of columns depends on its version.
(cd "$SRC" && $python python/examples/values.py) >out 2>err && [ -s want ] && tr -s ' ' <out | cmp -s - want
check $? "the example prints the table of docs/python.md"
if $python -c 'import matplotlib' 2>/dev/null; then
	MPLCONFIGDIR=$T $python "$SRC/python/examples/values.py" "$golden" turns -o chart.svg >out 2>err &&
		$python -c 'import xml.etree.ElementTree as t; assert len(t.parse("chart.svg").getroot())' >>out 2>>err
	check $? "and draws a chart of it"
	MPLCONFIGDIR=$T $python "$SRC/python/examples/history.py" 'triad*' "$T/odd ?#%41.db" -o chart.svg >out 2>err &&
		$python -c 'import xml.etree.ElementTree as t; assert len(t.parse("chart.svg").getroot())' >>out 2>>err
	check $? "so does that of the archive"
else
	skip "and draws a chart of it" "matplotlib is missing (package python3-matplotlib)"
fi
finish
