#!/bin/sh
# evenhand archive: on SQLite, and the same on a PostgreSQL server that the test starts.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	timeout 120 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
make() { # options of make_result
	"$BUILD/tests/bench/make_result" -n 10 "$@" >out 2>&1 || check 1 "make_result $*"
}
cd "$T" || exit 1
# shellcheck source=tests/cli/server
. "${SRC:?}/tests/cli/server"
python=/usr/bin/python3

# Two executors, 24 days; on the 15th both have another driver, and a becomes slower with it.
mkdir days
day=1
while [ $day -le 24 ]; do
	date=$(printf '2026-03-%02dT08:00:00Z' $day) driver=535.1 factor=1
	[ $day -lt 15 ] || { driver=550.2 factor=1.1; }
	make -s $day -d "$date" -x cuda:a -v $driver -f $factor 3 days/a$day.json
	make -s $((100 + day)) -d "$date" -x cuda:b -v $driver 3 days/b$day.json
	day=$((day + 1))
done
mkdir last && cp days/a24.json days/b24.json last

# What comes from others: markup, SQL, a terminal's escapes, a long name, bytes outside of ASCII.
mkdir hostile
make -w "Robert'); DROP TABLE result;--" -x "cuda:'; DROP TABLE measurement;--" 2 hostile/sql.json
make -w '\u001b[31mred\u0007' -x 'cuda:<script>alert(1)</script>' 2 hostile/escapes.json
make -w '\u202egpj.exe \ud83d\ude00' -x "cuda:$(printf '%0300d' 0)" 2 hostile/long.json

# One result, and copies of it without the tester, without the device's id, and without both.
export XDG_CONFIG_HOME="$T/config"
run key new default
for copy in whole who uuid both; do mkdir -p redact/$copy; done
make -w 'Jane Roe' -u GPU-c0ffee -x cuda:redacted 2 redact/whole/r.json
cp redact/whole/r.json redact/who && cp redact/whole/r.json redact/uuid
run amend redact/who/r.json --redact who.tester --reason privacy
[ $rc -eq 0 ] && cp redact/who/r.json redact/who/r.json.amendments redact/both &&
	run amend redact/uuid/r.json --redact executor.device.uuid --reason policy && [ $rc -eq 0 ] &&
	run amend redact/both/r.json --redact executor.device.uuid --reason policy && [ $rc -eq 0 ]
check $? "copies with redactions"

# Eight sets of 20 results, each of which is in two of them.
i=0
while [ $i -lt 80 ]; do
	mkdir -p set$((i % 8)) set$(((i + 1) % 8))
	make -s $((1000 + i)) -x cuda:writers 2 set$((i % 8))/$i.json
	cp set$((i % 8))/$i.json set$(((i + 1) % 8))
	i=$((i + 1))
done

# The same for both kinds of databases; $db is what --db takes, $kind what the tests are called.
on_database() {
	export EVENHAND_ARCHIVE="$db"
	run archive list
	[ $rc -ne 0 ] || [ "$kind" = postgresql ]
	check $? "$kind: an archive that is not there is not made by asking"

	run archive add days
	[ $rc -eq 0 ] && grep -q '^48 added, 0 were there' out && ! grep -q secret out
	check $? "$kind: results of a folder are added"
	run archive add days/a1.json days/b2.json --db "$db"
	[ $rc -eq 0 ] && grep -q '^0 added, 2 were there' out
	check $? "$kind: once each"

	run archive list --last 3
	[ $rc -eq 0 ] && [ "$(grep -c 2026- out)" = 3 ] && sed -n 3p out | grep -q '2026-03-24 08:00 *cuda:a *big@1 *3 '
	check $? "$kind: list, the newest first"
	run archive list --executor cuda:b --since 2026-03-20 --until 2026-03-21 --json
	[ $rc -eq 0 ] && $python -c '
import json
entries = json.load(open("out"))
assert [e["started"][:10] for e in entries] == ["2026-03-21", "2026-03-20"], entries
assert all(e["executor"] == "cuda:b" and e["cases"] == 3 and len(e["digest"]) == 64 for e in entries)'
	check $? "$kind: list by executor and time"

	run archive query triad.n1 --executor cuda:a --json --last 0
	[ $rc -eq 0 ] && "$EVENHAND" export days/a24.json --as csv >one.csv 2>>err && $python -c '
import csv, json
rows = json.load(open("out"))
assert len(rows) == 24 and all(r["line"]["id"] == "triad.n1" for r in rows)
last = next(r for r in csv.DictReader(open("one.csv")) if r["id"] == "triad.n1")
for name in ("value", "low", "high", "time_ns"):
    assert rows[0]["point"][name] == float(last[name]), (name, rows[0]["point"], last)'
	check $? "$kind: query has the numbers of the results"
	run archive query 'triad n1'
	[ $rc -eq 0 ] && grep -q '2026-03-24 08:00  triad.n1  cuda:a  .* MB/s' out
	check $? "$kind: query as a table, with words of a case"

	run archive annotate 'driver updated' --at 2026-03-15 --author ops
	[ $rc -eq 0 ]
	check $? "$kind: annotate"
	run archive history triad.n1 --executor cuda:a
	[ $rc -eq 0 ] && grep -q '^  1 .*2026-03-01 08:00, 14 results' out &&
		grep -q '^  2 .*2026-03-15 08:00, 10 results, .*driver Example driver' out &&
		grep -q '^  SLOWER .*2026-03-15 08:00 on, with stack 2' out && grep -q 'note .*driver updated, ops' out
	check $? "$kind: history has the stacks, the change and the annotation"
	run archive history triad.n1 --executor cuda:b --last 5 --json
	[ $rc -eq 0 ] && $python -c '
import json
(h,) = json.load(open("out"))
assert h["older"] and len(h["points"]) == 5 and not h["changes"] and len(h["spans"]) == 1, h'
	check $? "$kind: history of the last results"
	run archive history triad.n1 --executor cuda:b --last 5
	[ $rc -eq 0 ] && grep -q 'shown  *the last 5 results; --last 0 shows older ones, too' out &&
		run archive history triad.n1 --executor cuda:b --last 5 --since 2026-03-20 && [ $rc -eq 0 ] && ! grep -q shown out
	check $? "$kind: history says what it left out, and nothing of what was not asked for"

	run archive regressions
	[ $rc -eq 1 ] && grep -q '^cuda:a (Example CPU), from 2026-03-15 08:00 on' out && [ "$(grep -c SLOWER out)" = 3 ] &&
		grep -q 'changed there *driver Example driver 535.1 -> 550.2 (Example)' out && ! grep -q '^cuda:b' out &&
		grep -q '^3 changes of more than 1 % among 144 values of 6 lines' out
	check $? "$kind: regressions names the executor, the cases and the layer"
	next=$(sed -n 's/^  next *evenhand //p' out)
	# shellcheck disable=SC2086 # words of a command
	run $next
	[ $rc -le 2 ] && grep -q 'driver Example driver 535.1 -> 550.2' out
	check $? "$kind: the command that it proposes runs"
	run archive regressions --executor cuda:b
	[ $rc -eq 0 ] && grep -q '^0 changes' out
	check $? "$kind: no regression, exit code 0"
	run archive regressions --until 2026-03-06
	[ $rc -eq 0 ] && grep -q 'fewer than 10 results' out
	check $? "$kind: too few results are said to be too few"

	run archive mark base days/a1.json days/b1.json
	[ $rc -eq 0 ] && run archive list --until 2026-03-01 && [ "$(grep -c ' base ' out)" = 2 ]
	check $? "$kind: a mark"
	run compare --baseline archive:base last --fail-on slower --json
	[ $rc -ne 4 ] && $python -c '
import json
pairs = [(c["baseline"]["executor"], c["other"]["executor"]) for c in json.load(open("out"))["comparisons"]]
assert pairs == [("cuda:a", "cuda:a"), ("cuda:b", "cuda:b")], pairs'
	check $? "$kind: compare --baseline archive:MARK, each executor with itself"
	run compare --baseline archive:bsae last
	[ $rc -eq 4 ] && grep -q 'its marks: base' err
	check $? "$kind: a mark that is not there: the sentence has those that are"
	run archive mark base days/a2.json && run archive list --last 0 && [ "$(grep -c ' base ' out)" = 1 ]
	check $? "$kind: a mark moves"
	run show archive:base
	[ $rc -eq 0 ] && grep -q 'triad' out
	check $? "$kind: show archive:MARK"

	run archive export -o back-$kind
	[ $rc -eq 0 ] && grep -q '^48 results written' out
	check $? "$kind: export"
	sort_bytes() { for f in "$1"/*.json; do sha256sum <"$f"; done | sort; }
	[ "$(sort_bytes days)" = "$(sort_bytes back-$kind)" ]
	check $? "$kind: exported files have the bytes that were added"

	run archive add hostile
	[ $rc -eq 0 ] && grep -q '^3 added' out
	check $? "$kind: hostile texts are added"
	run archive list --last 0
	[ $rc -eq 0 ] && [ "$(grep -c big@1 out)" = 51 ] && ! grep -q "$(printf '\033')" out && grep -q 'DROP TABLE result' out
	check $? "$kind: they harm neither database nor terminal"
	run archive list --executor "'; DROP" --json
	[ $rc -eq 0 ] && [ "$(grep -c '"digest"' out)" = 1 ]
	check $? "$kind: and can be asked for"

	run archive add redact/whole
	[ $rc -eq 0 ] && grep -q '^1 added' out && run archive add redact/who && [ $rc -eq 0 ] &&
		grep -q '^0 added, 0 were there, 1 took the place of a copy with fewer redactions' out
	check $? "$kind: a redacted copy takes the place of the one that is there"
	run archive list --tester 'Jane Roe' --last 0 --json
	[ $rc -eq 0 ] && [ "$(tr -d ' \n' <out)" = '[]' ] && run archive query 'triad*' --executor cuda:redacted --last 0 --json &&
		[ "$(grep -c '"id": "triad' out)" = 2 ]
	check $? "$kind: the text is gone, each row is there once"
	run archive add redact/whole redact/who
	[ $rc -eq 0 ] && grep -q '^0 added, 2 were there' out
	check $? "$kind: the copy with fewer redactions changes nothing"
	run archive add redact/uuid
	[ $rc -eq 4 ] && grep -q 'with other redactions: write that one' err
	check $? "$kind: a copy with other redactions is refused"
	run archive add redact/both
	[ $rc -eq 0 ] && run archive history 'triad*' --executor cuda:redacted --json && $python -c '
import json
text = open("out").read()
lines = json.loads(text)
assert [l["line"]["uuid"] for l in lines] == ["", ""] and "GPU-c0ffee" not in text and "redacted:" not in text, text'
	check $? "$kind: a redacted id of a device is none, and the line that had it is gone"
	cp -r redact/both noted-$kind
	run amend noted-$kind/r.json --note 'The fan had failed.'
	run archive add noted-$kind
	[ $rc -eq 0 ] && grep -q '^0 added, 1 were there' out && run archive export -o back-redacted-$kind --executor cuda:redacted
	file=$(echo back-redacted-$kind/*.json)
	[ $rc -eq 0 ] && cmp "$file" redact/both/r.json >out && cmp "$file.amendments" noted-$kind/r.json.amendments >>out &&
		run verify "$file" && [ $rc -eq 0 ] && grep -q 'fan had failed' out
	check $? "$kind: what is exported then is the redacted copy, with its newest amendments, and it holds"

	for i in 0 1 2 3 4 5 6 7; do
		"$EVENHAND" archive add set$i >writer$i 2>&1 </dev/null &
		eval "writer$i=\$!"
	done
	sleep 0.05
	# shellcheck disable=SC2154 # by eval
	kill -9 "$writer3" 2>>err
	failed=0
	for i in 0 1 2 4 5 6 7; do
		eval "wait \$writer$i" || failed=$((failed + 1))
	done
	wait
	[ $failed -eq 0 ]
	check $? "$kind: eight writers at once, one of which is killed: the others end well"
	run archive add set3
	[ $rc -eq 0 ] && run archive query 'triad*' --executor cuda:writers --last 0 --json && $python -c '
import collections, json
counts = collections.Counter(r["point"]["digest"] for r in json.load(open("out")))
assert len(counts) == 80 and set(counts.values()) == {2}, counts'
	check $? "$kind: nothing is lost, nothing doubled, no result without its rows"

	run archive publish "$kind-site"
	[ $rc -eq 0 ] && $python "$SRC/tests/page/check_links.py" "$kind-site" >out 2>err
	check $? "$kind: pages, whose links hold"
}

kind=sqlite db=$T/deep/er/archive.db
on_database

! grep -q -a -e 'Jane Roe' -e GPU-c0ffee "$db" && [ ! -e "$db-wal" ]
check $? "sqlite: no byte of the file has the redacted texts"

# ---- a file -------------------------------------------------------------------------------------

echo 'not a database, and longer than the header of one, which has a hundred bytes: .............' >noise.db
run archive list --db noise.db
[ $rc -eq 4 ] && grep -q '^evenhand archive: archive noise.db: ' err && [ "$(wc -l <err)" -le 2 ]
check $? "a file that is no archive: one sentence"
$python - <<'PY'
import sqlite3
db = sqlite3.connect("newer.db")
db.executescript("CREATE TABLE meta (name TEXT PRIMARY KEY, value BIGINT); INSERT INTO meta VALUES ('steps', 9999)")
PY
run archive add days/a1.json --db newer.db
[ $rc -eq 4 ] && grep -q 'made by a newer evenhand' err
check $? "an archive of a newer evenhand is left alone"
run archive add noise.db
[ $rc -eq 4 ] && grep -q '^evenhand archive: noise.db' err
check $? "a file that is no result is not added"
head -c 3000 days/a3.json >half.json
run archive add days/a1.json half.json days/b1.json --db partly.db
[ $rc -ne 0 ] && grep -q 'half.json' err && run archive list --db partly.db && [ "$(grep -c big@1 out)" = 1 ]
check $? "of files the first that is unsound is named, and those before it are in"
$python - <<'PY'
import sqlite3
db = sqlite3.connect("partly.db")
db.execute("UPDATE result SET packed = substr(packed, 1, 100)")
db.commit()
PY
run archive export -o damaged --db partly.db
[ $rc -ne 0 ] && grep -q 'are not those that were added' err && [ -z "$(ls damaged)" ]
check $? "damaged bytes are not given out"
run archive mark 'a b' days/a1.json --db partly.db
[ $rc -eq 4 ]
check $? "a mark is a word"
run archive mark abcdef12 days/a1.json --db partly.db
[ $rc -eq 4 ]
check $? "a mark does not look like a digest"
run archive list --since yesterday --db partly.db
[ $rc -eq 4 ] && grep -q -e '--since takes a time' err
check $? "a time that is none"
run archive history nonsense --db partly.db
[ $rc -eq 4 ] && grep -q 'there is no case' err
check $? "a case that there is not"
# Two executors with the same times: their changes are equal.
mkdir same
for x in c d; do
	day=1
	while [ $day -le 12 ]; do
		make -s $day -d "2026-03-$(printf %02d $day)T08:00:00Z" -x cuda:$x -f "$([ $day -gt 6 ] && echo 1.1 || echo 1)" 2 same/$x$day.json
		day=$((day + 1))
	done
done
run archive add same/c*.json --db cd.db && run archive add same/d*.json --db cd.db && run archive regressions --json --db cd.db && mv out cd.txt
run archive add same/d*.json --db dc.db && run archive add same/c*.json --db dc.db && run archive regressions --json --db dc.db
$python -c '
import json
(a, b) = (json.load(open(name)) for name in ("cd.txt", "out"))
assert len(a) == 4 and len({change["speedup"] for change in a}) == 2 and a == b'
check $? "equal changes come in one order, in whatever order results were added"

run archive add redact/both --db others.db
$python - <<'PY'
import sqlite3
db = sqlite3.connect("others.db")
db.execute("UPDATE result SET redacted = 'who.sponsor' || char(10) || 'who.tester' || char(10)")
db.commit()
PY
run archive add redact/uuid --db others.db
[ $rc -eq 4 ] && grep -q 'with other redactions' err
check $? "a copy with fewer redactions, one of which is another, is refused"
if [ "$(id -u)" != 0 ]; then
	mkdir closed && chmod 500 closed
	run archive add days/a1.json --db closed/archive.db
	[ $rc -eq 5 ] && grep -q closed/archive.db err
	check $? "a folder that cannot be written"
else
	run archive add days/a1.json --db /proc/archive.db
	[ $rc -eq 5 ] && grep -q /proc/archive.db err
	check $? "a folder that cannot be written"
fi

# ---- a server -----------------------------------------------------------------------------------

lacks=$(server_lacks)
if [ -n "$lacks" ]; then
	skip "postgresql: the same" "$lacks"
else
	server_start
	check $? "postgresql: a server"
	kind=postgresql db="postgresql://evenhand:secret@/results?host=$server"
	on_database
	run archive list --db "postgresql://evenhand:secret@/absent?host=$server"
	[ $rc -eq 5 ] && grep -q absent err && ! grep -q secret err
	check $? "postgresql: a database that is not there, without the password"
	run archive list --db "postgresql://evenhand@/results?host=/nowhere"
	[ $rc -eq 5 ] && grep -q nowhere err
	check $? "postgresql: a server that is not there"
fi

echo "1..$n"
exit $bad
