#!/bin/sh
# Installing: DESTDIR and prefix, a copied prefix, the skeleton built against the installed
# headers only, dropping a backend in, uninstalling, the release tarball's contents.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
MAKE=${MAKE:-make}
log=$T/log

# Other tests run from the build folder meanwhile: it must stay as it is.
built() { stat -c '%n %i %Y' "$BUILD/flags" "$BUILD/bin/evenhand" "$BUILD"/lib/evenhand/*/*.so; }
before=$(built)
"$MAKE" --no-print-directory -C "$BUILD" install DESTDIR="$T/root" prefix=/opt/eh >"$log" 2>&1
check $? "make install with DESTDIR and prefix" "$log"
[ "$(built)" = "$before" ]
check $? "it builds nothing again, whatever the prefix" "$log"
root=$T/root/opt/eh
for f in bin/evenhand lib/evenhand/backends/host.so lib/evenhand/workloads/stream.so \
	lib/evenhand/conformance/conformance.so lib/libevenhand-conformance.a include/evenhand/conformance.h \
	share/evenhand/protocols/quick.ini share/evenhand/workloads/dialect.h \
	include/evenhand/backend.h include/evenhand/workload.h lib/pkgconfig/evenhand.pc \
	share/man/man1/evenhand.1; do
	[ -f "$root/$f" ]
	check $? "installed: $f"
done

missing=$(cd "$BUILD" && find share/evenhand lib/evenhand/backends lib/evenhand/workloads lib/evenhand/probes lib/evenhand/conformance \
	lib/evenhand/host-kernels -type f ! -name '.*' | sort | while read -r f; do [ -f "$root/$f" ] || echo "$f"; done)
printf '%s\n' "$missing" >"$log"
[ -z "$missing" ]
check $? "all that was built for installing is installed" "$log"
"$root/bin/evenhand" claim list >"$log" 2>&1 && grep -q '^clang-gemm' "$log"
check $? "the installed program has its claims" "$log"

"$root/bin/evenhand" protocol list >"$log" 2>&1 && grep -q '^quick' "$log"
check $? "the program finds protocols and workloads below the DESTDIR it was copied to" "$log"

cp -r "$root" "$T/copied prefix"
"$T/copied prefix/bin/evenhand" devices >"$log" 2>&1 && grep -q 'host:' "$log"
check $? "a copied prefix (with a space in its name) works without any setting" "$log"
mkdir -p "$T/cache"
EVENHAND_CACHE_DIR="$T/cache" "$T/copied prefix/bin/evenhand" run "$SRC/tests/protocols/tiny.ini" \
	--on host:0 -o "$T/run" >"$log" 2>&1
check $? "and runs a protocol" "$log"

# The skeleton, as its reader would build it: a copy, the installed headers, pkg-config.
sed "s|/opt/eh|$root|g" "$root/lib/pkgconfig/evenhand.pc" > "$T/evenhand.pc"
cp -r "$root/share/doc/evenhand/skeleton" "$T/skeleton"
if [ -n "${SANITIZE:-}" ]; then
	skip "the skeleton builds against the installed headers only" "sanitizers: plugins are built like the program"
else
	PKG_CONFIG_PATH="$T" "$MAKE" --no-print-directory -C "$T/skeleton" CC="$CC" >"$log" 2>&1
	check $? "the skeleton builds against the installed headers only" "$log"
	"$root/bin/evenhand" plugin check "$T/skeleton/skeleton.so" >"$log" 2>&1
	check $? "the skeleton passes the conformance suite" "$log"
	PKG_CONFIG_PATH="$T" "$MAKE" --no-print-directory -C "$T/skeleton" CC="$CC" linked >"$log" 2>&1 &&
		grep -q '^transfer/copy  *pass$' "$log" && grep -q '^[6-9][0-9] passed, [0-9]* skipped, 0 failed$' "$log"
	check $? "linked with the suite into one program, it passes as well" "$log"
	linked() { "$T/skeleton/skeleton-conformance" "$root/share/evenhand/workloads" "$@" >"$log" 2>&1; }
	linked 0 backend/start compiler=nocc && grep -q '^backend/start  *skip  .*nocc' "$log"
	check $? "that program takes a part of the tests' names and settings" "$log"
	linked compiler=nocc
	[ $? -eq 5 ] && grep -q 'could not be tested here: .*nocc' "$log"
	check $? "and says when nothing could be tested" "$log"
	linked 0 no/such/test
	[ $? -eq 4 ] && grep -q "no test has 'no/such/test' in its name" "$log"
	check $? "or when there is no such test" "$log"
	cp "$T/skeleton/skeleton.c" "$T/right.c"
	sed 's/\.magic = EH_BACKEND_MAGIC/.magic = 1/' "$T/right.c" >"$T/skeleton/skeleton.c"
	! PKG_CONFIG_PATH="$T" "$MAKE" --no-print-directory -C "$T/skeleton" CC="$CC" linked >"$log" 2>&1 && grep -q '^plugin/load  *fail  .*wrong magic' "$log" && grep -q '^0 passed, ' "$log"
	check $? "a wrong identity block is a failed test there" "$log"
	cp "$T/right.c" "$T/skeleton/skeleton.c"

	sed -i 's/^NAME := .*/NAME := mine/' "$T/skeleton/Makefile" &&
		PKG_CONFIG_PATH="$T" "$MAKE" --no-print-directory -C "$T/skeleton" CC="$CC" >"$log" 2>&1 &&
		"$root/bin/evenhand" plugin check "$T/skeleton/mine.so" --only backend/ >>"$log" 2>&1
	check $? "renamed by one line of its Makefile, as the guide says, it builds and loads" "$log"
	rm -f "$T/skeleton/mine.so"

	EVENHAND_BACKEND_PATH="$T/skeleton" "$root/bin/evenhand" devices >"$log" 2>&1; grep -q 'skeleton:' "$log"
	check $? "a backend in EVENHAND_BACKEND_PATH is found" "$log"
	mkdir -p "$T/xdg/evenhand/backends"
	cp "$T/skeleton/skeleton.so" "$T/xdg/evenhand/backends/"
	XDG_DATA_HOME="$T/xdg" "$root/bin/evenhand" devices >"$log" 2>&1; grep -q 'skeleton:' "$log"
	check $? "a backend in the user's data folder is found" "$log"
	cp "$T/skeleton/skeleton.so" "$root/lib/evenhand/backends/"
	"$root/bin/evenhand" devices >"$log" 2>&1; grep -q 'skeleton:' "$log"
	check $? "a backend in the installed plugin folder is found" "$log"
	"$root/bin/evenhand" run quick --on skeleton --executions 1 -o "$T/quick" >"$log" 2>&1
	check $? "the skeleton runs protocol quick" "$log"
	rm -f "$root/lib/evenhand/backends/skeleton.so"
fi

"$MAKE" --no-print-directory -C "$BUILD" uninstall DESTDIR="$T/root" prefix=/opt/eh >"$log" 2>&1
check $? "make uninstall" "$log"
left=$(find "$root" -type f)
[ -z "$left" ]
check $? "make uninstall leaves no file behind"
[ "$(built)" = "$before" ]
check $? "and the build folder as it was"

echo "1..$n"
exit $bad
