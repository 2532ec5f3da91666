#!/bin/sh
# Published pages of an archive in headless Chromium, from file://: no error, no request outside of their folder,
# charts draw, the search finds, keys work, nothing overflows a phone.
if ! command -v python3 >/dev/null 2>&1 || ! command -v chromium >/dev/null 2>&1; then
	echo "ok 1 - published pages in a browser # SKIP needs chromium and python3 (package chromium)"
	echo "1..1"
	exit 0
fi
if [ ! -f "$BUILD/share/evenhand/page/dygraph.min.js" ]; then
	echo "ok 1 - published pages in a browser # SKIP this build has no dygraphs (package libjs-dygraphs)"
	echo "1..1"
	exit 0
fi
cd "$T" || exit 1
export EVENHAND_ARCHIVE="$T/archive.db"
evil='</script><script>document.title=1</script><img src=x onerror=alert(1)>'
make() { "$BUILD/tests/bench/make_result" -n 30 "$@" || exit 1; }

mkdir days
day=1
while [ $day -le 28 ]; do
	date=$(printf '2026-03-%02dT08:00:00Z' $day) driver=535.1 factor=1
	[ $day -lt 12 ] || { driver=550.2 factor=1.1; }
	[ $day -lt 21 ] || { driver=550.9 factor=1.04; }
	make -s $day -d "$date" -x cuda:a -v $driver -f $factor 4 days/a$day.json
	make -s $((100 + day)) -d "$date" -x cuda:b -v 535.1 4 days/b$day.json
	day=$((day + 1))
done
make -s 200 -d 2026-03-05T08:00:00Z -x "cuda:$evil" -w "$evil" 4 days/evil.json
{
	"$EVENHAND" archive add days && "$EVENHAND" archive annotate 'driver 550.2 on all machines' --at 2026-03-12 --author ops &&
		"$EVENHAND" archive annotate "$evil" --at 2026-03-20 && "$EVENHAND" archive publish site
} >out 2>err || { cat out err >&2; exit 1; }
exec python3 "$SRC/tests/page/check_publish.py" site
