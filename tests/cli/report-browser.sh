#!/bin/sh
# A report in headless Chromium, from file://: it loads without an error or a request, its charts draw,
# keys work, nothing overflows a phone, and a large one is there at once.
if ! command -v python3 >/dev/null 2>&1 || ! command -v chromium >/dev/null 2>&1; then
	echo "ok 1 - a report in a browser # SKIP needs chromium and python3 (package chromium)"
	echo "1..1"
	exit 0
fi
if [ ! -f "$BUILD/share/evenhand/page/dygraph.min.js" ]; then
	echo "ok 1 - a report in a browser # SKIP this build has no dygraphs (package libjs-dygraphs)"
	echo "1..1"
	exit 0
fi
cd "$T" || exit 1
golden=$SRC/tests/golden
"$EVENHAND" report "$golden/host-gcc-12.json" "$golden/host-clang-14.json" "$golden/opencl-pocl-0.json" -o three.html || exit 1
"$EVENHAND" report "$golden/host-gcc-12.json" -o one.html || exit 1
{
	sed '/^\[case /,$d' "$SRC/tests/protocols/tiny.ini"
	printf '[case copy]\nworkload = stream\noperation = copy\nbytes = 16KiB, 64KiB, 256KiB, 1MiB\n'
	printf '[case fma]\nworkload = fma\n'
} >sizes.ini
"$EVENHAND" run ./sizes.ini --on host:0 -o sizes -q >/dev/null 2>err || cat err >&2
"$EVENHAND" report sizes -o sizes.html || exit 1
for i in 1 2 3 4 5; do
	"$BUILD/tests/bench/make_result" -n 1000 -s $i -f 1.0$i -w '</script><script>document.title=1</script>' 200 large$i.json || exit 1
done
"$EVENHAND" report large?.json -o large.html || exit 1
exec python3 "$SRC/tests/page/check_report.py"
