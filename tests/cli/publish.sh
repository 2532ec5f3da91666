#!/bin/sh
# evenhand archive publish: pages over an archive, whose links all lead somewhere.  publish-browser.sh opens them.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	timeout 120 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
make() { # options of make_result
	"$BUILD/tests/bench/make_result" -n 10 "$@" >out 2>&1 || check 1 "make_result $*"
}
bytes_of() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k 2); }
cd "$T" || exit 1
python=/usr/bin/python3
export EVENHAND_ARCHIVE="$T/archive.db"

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
"$EVENHAND" archive add days >out 2>err && "$EVENHAND" archive mark base days/a1.json >out 2>err &&
	"$EVENHAND" archive annotate 'driver updated' --at 2026-03-15 --author ops >out 2>err
check $? "an archive"

run archive publish site
[ $rc -eq 0 ] && grep -q '^site/index.html: [0-9]* files written, 0 as they were, 0 removed' out && [ ! -s err ]
check $? "pages"
[ "$(find site -name 'case-*' | wc -l) $(find site -name 'executor-*' | wc -l) $(find site -name 'protocol-*' | wc -l)" = "3 2 1" ] &&
	[ -f site/changes.html ]
check $? "one for each case, executor and protocol, and one of what changed"
$python "$SRC/tests/page/check_links.py" site >out 2>err
check $? "links lead to files and places that are there; headings, captions and scopes are"

# ---- what they say ------------------------------------------------------------------------------

words() { # file
	tr '\n' ' ' <"$1" | sed -e 's/<script type=[^>]*>[^<]*<\/script>/ /g' -e 's/<[^>]*>/ /g' -e 's/&#39;/'"'"'/g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | tr -s ' '
}
words site/index.html >index.txt
words "$(echo site/case-triad-n1-*)" >case.txt
words site/changes.html >changes.txt
grep -q '6 lines, each a case on an executor and device under a protocol: 3 lasting changes for the worse, 0 for the better' index.txt &&
	grep -q 'triad.n1 cuda:a (Example CPU) big@1 22[.0-9]* \[22[.0-9]*-22[.0-9]*\] MB/s not-converged 2026-03-24 08:00 24 0\.9[0-9]* \[0\.9[-0-9.]*\], slower from 2026-03-15 08:00' index.txt
check $? "index: a line has its value, interval, status, executor, protocol and last change"
grep -q 'driver updated, ops' index.txt && grep -q '2026-03-24 08:00 cuda:a Example CPU big@1 3 ' index.txt
check $? "index: notes and the newest results"
for file in changes case; do
	grep -q 'driver Example driver 535.1 -> 550.2 (Example)' $file.txt && grep -q 'before 24[.0-9]* \[24[.0-9]*-24[.0-9]*\] MB/s, 14 results after 22[.0-9]* \[22[.0-9]*-22[.0-9]*\] MB/s, 10 results' $file.txt
	check $? "$file: what changed, with intervals, the layer and its maker"
done
grep -q '24 values since 2026-03-01 08:00' case.txt && grep -q 'note, 2026-03-15 driver updated, ops' case.txt &&
	grep -q 'stream, f32, portable; ' case.txt && ! grep -q 'cuda:b (Example CPU), big@1 .*slower' case.txt
check $? "case: since when, the note, and nothing slower on the other executor"
run archive query triad.n1 --last 0 --json
$python -c '
import json, re, sys
page, rows = open(sys.argv[1]).read(), json.load(open("out"))
text = re.sub("<[^>]*>", " ", page)
for r in rows:
    assert r["point"]["digest"][:12] in text and "%.4g" % (r["point"]["value"] / 1e6) in text, r' "$(echo site/case-triad-n1-*)"
check $? "case: every value of the chart is in its table"

# ---- again --------------------------------------------------------------------------------------

bytes_of site >first
stamp=$(stat -c %Y.%i site/index.html)
run archive publish site
bytes_of site >second
[ $rc -eq 0 ] && grep -q ': 0 files written, [0-9]* as they were, 0 removed' out && cmp -s first second && [ "$stamp" = "$(stat -c %Y.%i site/index.html)" ]
check $? "again: the same bytes, and no file is touched"
echo mine >site/mine.html && echo mine >"site/case-mine-0123456789abcdef0123456789abcdef.html"
run archive publish site --executor cuda:a --since 2026-03-10
words site/index.html >index.txt
[ $rc -eq 0 ] && grep -q ' 1 removed' out && [ ! -e "$(echo site/executor-cuda-b-*)" ] && grep -q mine site/mine.html &&
	grep -q mine site/case-mine-0123456789abcdef0123456789abcdef.html && grep -q 'selected by --executor cuda:a --since 2026-03-10' index.txt && $python "$SRC/tests/page/check_links.py" site >out2 2>&1
check $? "with a filter: pages of what is left out are removed, other files stay, and the index names the filter"
run archive publish site --last 5
words "$(echo site/case-triad-n1-*)" >case.txt
[ $rc -eq 0 ] && grep -q "the newest 5 of 24 results in the table, 5 in the chart; evenhand archive query triad.n1 --executor cuda:a --protocol big@1 --last 0 lists all" case.txt
check $? "--last: what is cut is said, with the command that lists all"
run archive publish site --last 2 --since 2026-03-20
words "$(echo site/case-triad-n1-*)" >case.txt
[ $rc -eq 0 ] && grep -q "the newest 2 of 5 results in the table, .* --since 2026-03-20 --last 0 lists all" case.txt
check $? "--last with --since: the number is that of the results that were asked for"
rm site/mine.html site/case-mine-*
run archive publish site
bytes_of site >third
cmp -s first third
check $? "names are the same from run to run"

make -d 2026-03-25T08:00:00Z -x cuda:ab 3 days/ab.json
run archive add days/ab.json
"$EVENHAND" archive publish site >out2 2>&1 &
other=$!
run archive publish site
wait $other && [ $rc -eq 0 ] && bytes_of site >third && run archive publish site && bytes_of site >fourth && cmp -s third fourth
check $? "two at once wait for each other"
words "$(echo site/executor-cuda-a-*)" >out
! grep -q cuda:ab out && grep -q '2026-03-24 08:00 24 ' out
check $? "an executor whose name begins another's has its own page alone"

make 2 one.json
"$BUILD/tests/bench/make_archive" one.json 420 210 many.db >out 2>&1
run archive publish many --db many.db
words "$(echo many/case-triad-n1-2-*)" >case.txt
[ $rc -eq 0 ] && [ "$(find many -name 'case-*' | wc -l)" = 6 ] && grep -q 'Page 2 of this case' case.txt && $python "$SRC/tests/page/check_links.py" many >out 2>err
check $? "a case on 210 executors has three pages"

# ---- refusals -----------------------------------------------------------------------------------

mkdir other && echo keep >other/index.html
run archive publish other
[ $rc -eq 4 ] && grep -q "'other' has other files in it, such as index.html" err && [ "$(cat other/index.html)" = keep ] && [ "$(find other -type f | wc -l)" = 1 ]
check $? "a folder with other files is refused, and stays as it is"
mkdir empty && run archive publish empty
[ $rc -eq 0 ] && [ -f empty/index.html ]
check $? "an empty one is taken"
run archive publish days/a1.json
[ $rc -eq 5 ] && [ "$(wc -l <err)" = 1 ]
check $? "a file is no folder"
run archive publish none --executor nobody
[ $rc -eq 4 ] && grep -q 'has no result to publish' err && [ ! -e none ]
check $? "nothing to publish: nothing is written"
cp "$EVENHAND_ARCHIVE" newer.db && $python -c 'import sqlite3; db = sqlite3.connect("newer.db"); db.execute("UPDATE meta SET value = 9999 WHERE name = '"'steps'"'"); db.commit()'
run archive publish none --db newer.db
[ $rc -eq 4 ] && grep -q 'made by a newer evenhand' err && [ ! -e none ]
check $? "an archive of a newer evenhand: the same"
full() { # folder: no file of more than 4 KiB
	(ulimit -f 8; trap '' XFSZ; exec timeout 120 "$EVENHAND" archive publish "$1" --margin 2% >out 2>err)
	rc=$?
	[ $rc -eq 5 ] && [ "$(wc -l <err)" = 1 ] && [ -z "$(find "$1" -name '.evenhand-*')" ]
}
full small && [ ! -e small/index.html ] && full site && $python "$SRC/tests/page/check_links.py" site >out 2>err
check $? "no room for a page: one sentence, no part of it, and pages that were there stay"
run archive publish /proc/site
[ $rc -eq 5 ] && grep -q /proc/site err && [ "$(wc -l <err)" = 1 ]
check $? "a folder that cannot be made"
run archive publish small
[ $rc -eq 0 ] && $python "$SRC/tests/page/check_links.py" small >out 2>err
check $? "with room again it is completed"
mkdir linked && echo keep >kept && ln -s ../kept linked/evenhand-archive.txt
run archive publish linked
[ $rc -eq 4 ] && [ "$(cat kept)" = keep ]
check $? "a marker that is a link is none"
rm site/index.html && echo precious >precious && ln -s ../precious site/index.html
run archive publish site
[ $rc -eq 0 ] && [ "$(cat precious)" = precious ] && [ ! -L site/index.html ]
check $? "a link in place of a page is replaced, not followed"

# ---- hostile texts ------------------------------------------------------------------------------

mkdir hostile
evil='</script><script>document.title=1</script><img src=x onerror=alert(1)>'
make -w "$evil" -x 'cuda:../../../../tmp/evil' 2 hostile/path.json
make -w '\u001b[31mred\u0007' -x "cuda:$evil" 2 hostile/markup.json
make -w '\u202egpj.exe \ud83d\ude00' -x "cuda:$(printf '%0300d' 0)" 2 hostile/long.json
make -x 'CON' 2 hostile/con.json
EVENHAND_ARCHIVE=$T/hostile.db
run archive add hostile
$python - "$evil" <<'PY'
import sqlite3, sys
db = sqlite3.connect("hostile.db")
db.execute("UPDATE kind SET name = '../../' || ? || id, parameters = ? WHERE id = 1", (sys.argv[1], sys.argv[1]))
db.execute("UPDATE kind SET name = CAST(X'ff2e2e2fc3' AS TEXT) WHERE id = 2")
db.execute("UPDATE series SET device = CAST(X'1b5b33316dff' AS TEXT), uuid = ?, protocol = ? WHERE id = 1", (sys.argv[1], sys.argv[1]))
db.execute("UPDATE result SET digest = '../evil' WHERE id = 1")
db.execute("UPDATE result SET started = '<b>2026' WHERE id = 2")
db.execute("UPDATE measurement SET started = '<b>2026' WHERE result_id = 2")
db.execute("UPDATE stack SET digest = ? WHERE id = 1", (sys.argv[1],))
db.execute("INSERT INTO mark VALUES (?, 1)", (sys.argv[1],))
db.execute("INSERT INTO annotation (at, words, author, executor, added) VALUES ('2026', ?, ?, '', '')", (sys.argv[1], sys.argv[1]))
db.commit()
PY
run archive publish evil/deep
[ $rc -eq 0 ] && [ "$(find evil -type f -name '*.html' | wc -l)" -ge 8 ] && [ -z "$(find . -newer hostile.db -name 'evil*' -not -path './evil*')" ]
check $? "hostile names: pages, all of them in the folder"
! find evil -type f -printf '%f\n' | grep -v '^[a-z0-9.-]*$' >&2 && [ -z "$(find evil -type f -printf '%f\n' | awk 'length > 120')" ]
check $? "the names of files are plain and short"
! grep -rlE '<(script>|img|b>)' evil --include='*.html' && ! grep -rlE '<script src="[^"]*"' evil --include='*.html' | xargs grep -hoE '<script src="[^"]*"' | grep -vE '"(page|dygraph.min).js"' && ! LC_ALL=C grep -rl "$(printf '\033')" evil --include='*.html'
check $? "and none of it is markup, or reaches a terminal"
$python -c '
import pathlib, sys
for f in pathlib.Path("evil").rglob("*.html"):
    f.read_bytes().decode()' 2>err && $python "$SRC/tests/page/check_links.py" evil/deep >out 2>>err
check $? "pages are UTF-8, and their links hold"

echo "1..$n"
exit $bad
