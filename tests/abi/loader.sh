#!/bin/sh
# Bad plugins: each is refused with one sentence that names what is wrong, none harms the others.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
umask 022
bin=$BUILD/tests/backends
log=$T/log

# file, words of the refusal: plugin/load fails with them in one line, everything else is skipped.
refused() {
	"$EVENHAND" plugin check "$1" > "$log" 2>&1
	rc=$?
	[ $rc -eq 1 ] && [ "$(grep -c '^  fail' "$log")" -eq 1 ] && grep -q "^  fail  plugin/load .*$2" "$log" &&
		[ "$(grep -c '^  pass' "$log")" -eq 0 ]
	ok $? "$(basename "$1"): $2" "$log"
}
loads() { # file text: plugin/load passes
	"$EVENHAND" plugin check "$1" > "$log" 2>&1
	grep -q '^  fail  backend/start .*cannot start' "$log" && ! grep -q '^  fail  plugin/' "$log"
	ok $? "$2" "$log"
}
refused "$bin/bad_magic.so" "its magic is 0x6e69626f and a backend has 0x42484531"
refused "$bin/bad_major.so" "it was built for ABI 9.3 and this program speaks 1.3"
refused "$bin/bad_minor.so" "it was built for ABI 1.1, and 1.2 is the first that was frozen"
refused "$bin/bad_size.so" "its identity block says that it has 16 bytes and ABI 1 needs 56"
refused "$bin/bad_pointer.so" "it says that a pointer has 4 bytes and here it has 8"
refused "$bin/bad_name.so" "it calls itself 'other_name', so its file must be called other_name.so"
refused "$bin/bad_letters.so" "its name must be a small letter"
refused "$bin/bad_nameless.so" "it has no name"
refused "$bin/bad_title.so" "its title, version or license is NULL"
refused "$bin/bad_table.so" "it has no table of functions"
refused "$bin/bad_slot.so" "lacks the required slot 'launch'"
refused "$bin/bad_short_table.so" "lacks the required slot 'mark_wait' (it lies beyond"
refused "$bin/bad_null.so" "eh_backend_entry_v1 returned NULL"
refused "$bin/bad_no_entry.so" "it does not export eh_backend_entry_v1"

# Files that are no plugins, or were cut off or made for another machine.
good=$bin/bad_start.so
size=$(wc -c < "$good")
mkdir -p "$T/files"
echo "not an object" > "$T/files/text.so"
: > "$T/files/empty.so"
refused "$T/files/text.so" "it does not begin as an ELF file does"
refused "$T/files/empty.so" "it does not begin as an ELF file does"
for part in 20 100 300 5000 $((size / 2)) $((size - 1)); do
	head -c "$part" "$good" > "$T/files/cut$part.so"
	if [ "$part" -ge "$size" ]; then skip "cut to $part bytes" "the plugin is smaller"; continue; fi
	refused "$T/files/cut$part.so" "truncated"
done
patched() { # name, offset, octal byte
	cp "$good" "$T/files/$1.so"
	# The byte is the format on purpose.
	# shellcheck disable=SC2059
	printf "\\$3" | dd of="$T/files/$1.so" bs=1 seek="$2" conv=notrunc 2> /dev/null
}
patched class 4 001
refused "$T/files/class.so" "it was built for a 32-bit machine\|was built for a 32-bit machine"
patched machine 18 150
refused "$T/files/machine.so" "was built for another kind of machine"
patched type 16 001
refused "$T/files/type.so" "is an ELF file but not a shared object"
mkdir "$T/files/folder.so"
refused "$T/files/folder.so" "is not a regular file"

# The entry symbol of a library that the plugin links is not the plugin's own.
echo 'const void *eh_backend_entry_v1(void) { return 0; }' > "$T/provider.c"
echo 'int nothing(void) { return 0; }' > "$T/elsewhere.c"
if "$CC" -shared -fPIC -o "$T/files/libprovider.so" "$T/provider.c" 2> "$log" &&
	"$CC" -shared -fPIC -Wl,--no-as-needed -Wl,-rpath,"$T/files" -o "$T/files/elsewhere.so" "$T/elsewhere.c" "$T/files/libprovider.so" 2>> "$log"; then
	refused "$T/files/elsewhere.so" "it has no symbol eh_backend_entry_v1 of its own, only one in .*libprovider.so"
else
	ok 1 "a plugin that links a library with the symbol can be built" "$log"
fi
echo 'extern int nobody_has_this(void); int nothing(void) { return nobody_has_this(); }' > "$T/undefined.c"
"$CC" -shared -fPIC -o "$T/files/undefined.so" "$T/undefined.c"
refused "$T/files/undefined.so" "cannot be loaded: .*nobody_has_this"

# An entry function that crashes or ends the process.
"$EVENHAND" plugin check "$bin/bad_crash.so" > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^  fail  plugin/load .*died of signal 11' "$log" && grep -q ' failed$' "$log"
ok $? "bad_crash.so: a crash of the entry function is a failed test" "$log"
"$EVENHAND" plugin check "$bin/bad_exit.so" > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^  fail  plugin/load .*exited with status 0' "$log"
ok $? "bad_exit.so: ending the process is not passing" "$log"
"$EVENHAND" plugin check "$bin/bad_start.so" > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^  fail  backend/start .*cannot start' "$log" && ! grep -q '^  fail  plugin/' "$log"
ok $? "bad_start.so: a backend that does not start is told from one that does not load" "$log"
"$EVENHAND" plugin check "$T/files/no-such-file.so" > "$log" 2>&1
[ $? -eq 5 ] && grep -q 'cannot read .*no-such-file.so' "$log"
ok $? "a missing file is an error of its own" "$log"
"$EVENHAND" plugin check > "$log" 2>&1
[ $? -eq 4 ]
ok $? "no file is a usage error" "$log"

# One bad plugin never fails the listing.
mkdir -p "$T/many"
cp "$bin"/bad_*.so "$T/files/text.so" "$T/files/cut100.so" "$T/many"
EVENHAND_BACKEND_PATH="$T/many" timeout 60 "$EVENHAND" devices > "$log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^host:' "$log"
ok $? "devices lists the host beside a folder of bad plugins" "$log"
missing=
for f in "$T/many"/*.so; do
	grep -q "^$(basename "$f" .so) .*$(basename "$f")" "$log" || missing="$missing $(basename "$f")"
done
[ -z "$missing" ]
ok $? "and every one of them with a reason$missing" "$log"

# A backend that nobody asked for is not started, unless what was asked for is not there.
mkdir -p "$T/marked"
cat > "$T/marks.c" <<END
#include <stdio.h>
__attribute__((constructor)) static void began(void)
{
	FILE *mark = fopen("$T/mark", "w");
	if (mark != NULL)
		fclose(mark);
}
END
"$CC" -shared -fPIC -o "$T/marked/marks.so" "$T/marks.c"
# plan SELECTORS [OPTION VALUE]: whether the run's plan needed to load it
plan() {
	rm -f "$T/mark"
	EVENHAND_BACKEND_PATH="$T/marked" "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --plan --on "$@" > "$log" 2>&1
	rc=$?
	[ -e "$T/mark" ]
}
! plan host && [ $rc -eq 0 ]
ok $? "run --on host loads no other backend" "$log"
plan all && [ $rc -eq 0 ] && plan host,marks && [ $rc -eq 5 ] && plan host --set marks.key=1 && [ $rc -eq 4 ]
ok $? "run --on all does, and one that is named in --on or --set" "$log"
plan host:nonesuch && [ $rc -eq 4 ] && grep -q "no executor matches 'host:nonesuch'; usable here: host:" "$log" &&
	plan nonesuch && [ $rc -eq 4 ] && grep -q "there is no backend 'nonesuch' .*usable here: host:" "$log"
ok $? "a selector that fits nothing: all that is here is looked at, and told" "$log"

# Folders and files that somebody else could have written.
mkdir -p "$T/open" "$T/mine" "$T/other"
cp "$good" "$T/open/bad_start.so"
chmod 777 "$T/open"
refused "$T/open/bad_start.so" "others can write to $T/open: run chmod go-w on it"
cp "$good" "$T/mine/bad_start.so"
chmod 666 "$T/mine/bad_start.so"
refused "$T/mine/bad_start.so" "others can write to it"
chmod 644 "$T/mine/bad_start.so"
# Another account may write, which the mode alone does not tell from the owner's group.
if python3 - "$T/mine/bad_start.so" 2> "$log" <<'PY'
import os, struct, sys
entries = [(1, 6, -1), (2, 6, 4242), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
os.setxattr(sys.argv[1], "system.posix_acl_access", struct.pack("<I", 2) +
            b"".join(struct.pack("<HHi", *e) for e in entries))
PY
then
	refused "$T/mine/bad_start.so" "others can write to it: run chmod go-w on it"
	chmod go-w "$T/mine/bad_start.so"
	loads "$T/mine/bad_start.so" "and it is used again after chmod"
else
	skip "a file with an access list" "this file system has none"
fi
rm "$T/mine/bad_start.so"
cp "$good" "$T/mine/bad_start.so"
ln -s "$T/open/bad_start.so" "$T/other/bad_start.so"
refused "$T/other/bad_start.so" "others can write to $T/open"
rm "$T/other/bad_start.so"

# The whole way counts: the folders above, links and what they point to.
mkdir -p "$T/open/above/inner" "$T/sticky/above/inner" "$T/way"
cp "$good" "$T/open/above/inner"
cp "$good" "$T/sticky/above/inner"
refused "$T/open/above/inner/bad_start.so" "others can write to $T/open: run chmod go-w on it"
EVENHAND_BACKEND_PATH="$T/open/above/inner" "$EVENHAND" plugin list > "$log" 2>&1
grep -q "bad_start .*$T/open/above/inner is not used because others can write to $T/open:" "$log"
ok $? "plugin list names the folder above that others can write to" "$log"
chmod 1777 "$T/sticky"
loads "$T/sticky/above/inner/bad_start.so" "a sticky folder above is fine when the next one is this user's"
ln -s "$T/sticky/above/inner" "$T/open/link"
refused "$T/open/link/bad_start.so" "others can write to $T/open"
ln -s ../sticky/above/../above/inner "$T/way/link"
loads "$T/way/link/../inner/./bad_start.so" "links and dots are followed"
ln -s loop "$T/way/loop"
"$EVENHAND" plugin check "$T/way/loop/bad_start.so" > "$log" 2>&1
[ $? -eq 5 ] && grep -q "Too many levels" "$log"
ok $? "a loop of links is an error" "$log"
EVENHAND_BACKEND_PATH="$T/open" "$EVENHAND" plugin list > "$log" 2>&1
grep -q "bad_start .*$T/open is not used because others can write to it" "$log"
ok $? "plugin list says which folder is not used" "$log"
if [ "$(id -u)" = 0 ]; then
	cp "$good" "$T/other/bad_start.so"
	chown 12345 "$T/other/bad_start.so"
	refused "$T/other/bad_start.so" "it belongs to user 12345"
	chown 0 "$T/other/bad_start.so"
	chown 12345 "$T/other"
	refused "$T/other/bad_start.so" "$T/other belongs to user 12345"
	mkdir -p "$T/other/inner"
	cp "$good" "$T/other/inner"
	refused "$T/other/inner/bad_start.so" "$T/other belongs to user 12345"
	chown 12345 "$T/sticky/above"
	refused "$T/sticky/above/inner/bad_start.so" "$T/sticky/above belongs to user 12345"
	chown 0 "$T/sticky/above"
	chown -h 12345 "$T/way/link"
	refused "$T/way/link/bad_start.so" "$T/way/link belongs to user 12345"
else
	for i in 1 2 3 4; do skip "a folder or link above of another user ($i)" "only root can make one"; done
	skip "a file of another user" "only root can make one"
	skip "a folder of another user" "only root can make one"
fi

# A plugin finds libraries beside it.
echo 'int beside(void) { return 0; }' > "$T/beside.c"
echo 'int beside(void); int use(void) { return beside(); }' > "$T/origin.c"
mkdir -p "$T/mine/lib"
# shellcheck disable=SC2016
"$CC" -shared -fPIC -o "$T/mine/lib/libbeside.so" "$T/beside.c" &&
	"$CC" -shared -fPIC -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN/lib' -o "$T/mine/origin.so" "$T/origin.c" "$T/mine/lib/libbeside.so"
refused "$T/mine/origin.so" "it does not export eh_backend_entry_v1"

# Order of the folders.
mkdir -p "$T/first" "$T/second" "$T/xdg/evenhand/backends"
cp "$good" "$T/first"
cp "$good" "$T/second"
cp "$good" "$T/xdg/evenhand/backends"
EVENHAND_BACKEND_PATH="$T/first:$T/second:$T/first:" XDG_DATA_HOME="$T/xdg" "$EVENHAND" plugin list > "$log" 2>&1
[ "$(grep -c "shadowed by $T/first/bad_start.so" "$log")" -eq 2 ] && [ "$(grep -c "^  $T/first$" "$log")" -eq 1 ]
ok $? "the first of a name wins and shadows the others; a folder named twice counts once" "$log"
[ "$(grep -n "^  $T/xdg.*/backends" "$log" | cut -d: -f1)" -lt "$(grep -n '^  .*/lib/evenhand/backends$' "$log" | cut -d: -f1)" ]
ok $? "the user's folder comes before the installed one" "$log"
EVENHAND_BACKEND_PATH="$T/first:$T/second" "$EVENHAND" plugin list --json > "$log" 2>&1
grep -q '"shadowed by ' "$log" && grep -q '"workloads"' "$log"
ok $? "plugin list --json" "$log"

# A refused copy does not stand in the way of a good one behind it.
mkdir -p "$T/wrong" "$T/workloads"
cp "$bin/bad_magic.so" "$T/wrong/liar.so"
cp "$bin/liar.so" "$T/second"
chmod 644 "$T/wrong/liar.so" "$T/second/liar.so"
EVENHAND_BACKEND_PATH="$T/wrong:$T/second" "$EVENHAND" devices > "$log" 2>&1
grep -q '^liar:honest ' "$log" && grep -q "^liar ($T/wrong/liar.so) .*is refused" "$log"
ok $? "devices: the second copy of a backend is used when the first is refused, which is said" "$log"
EVENHAND_BACKEND_PATH="$T/wrong:$T/second" "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on liar --executions 1 -o "$T/second-copy" > "$log" 2>&1 &&
	ls "$T/second-copy"/*.json > /dev/null 2>&1
ok $? "run measures with the second copy" "$log"
head -c 3000 "$BUILD/lib/evenhand/workloads/stream.so" > "$T/workloads/stream.so"
EVENHAND_WORKLOAD_PATH="$T/workloads" "$EVENHAND" protocol show quick > "$log" 2>&1
ok $? "a torn copy of a workload does not hide the installed one" "$log"
cp "$bin/bad_magic.so" "$T/workloads/stream.so"
EVENHAND_WORKLOAD_PATH="$T/workloads" "$EVENHAND" protocol show quick > "$log" 2>&1
ok $? "neither does another kind of plugin under its name" "$log"

mkdir -p "$T/probes"
cp "$bin/bad_magic.so" "$T/probes/linux.so"
EVENHAND_PROBE_PATH="$T/probes" "$EVENHAND" devices -v > "$log" 2>&1
grep -q '^sensors: linux ' "$log"
ok $? "a refused copy of a probe does not hide the installed one" "$log"
EVENHAND_PROBE_PATH="$T/probes" "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 --executions 1 -o "$T/second-probe" > "$log" 2>&1
grep -q '"probe":"linux"' "$T/second-probe/run.journal"
ok $? "and a run reads the installed one" "$log"

# A run of everything: what misses its driver has one line together, what is wrong by itself its own.
own=$T/prefix
mkdir -p "$own/bin" "$own/lib/evenhand/backends"
cp "$EVENHAND" "$own/bin"
cp -r "$BUILD/share" "$own"
cp -r "$BUILD/lib/evenhand/workloads" "$own/lib/evenhand"
cp "$BUILD/lib/evenhand/backends/cuda.so" "$BUILD/lib/evenhand/backends/levelzero.so" "$own/lib/evenhand/backends"
cp "$bin/bad_magic.so" "$good" "$own/lib/evenhand/backends"
chmod 666 "$own/lib/evenhand/backends/bad_start.so"
if "$own/bin/evenhand" devices 2>/dev/null | grep -q '^cuda .*cannot be opened'; then
	(cd "$T" && "$own/bin/evenhand" run "$SRC/tests/protocols/tiny.ini" -o all) > "$log" 2>&1
	rc=$?
	[ $rc -eq 5 ] && [ "$(grep -c 'left out' "$log")" -eq 3 ] && grep -q 'left out.*: cuda.*evenhand devices' "$log" &&
		grep -q 'bad_magic is left out: .*magic' "$log" && grep -q 'bad_start is left out: .*others can write' "$log"
	ok $? "a run of everything names what is left out, and why" "$log"
else
	skip "a run of everything names what is left out, and why" "the CUDA driver is here"
fi

# Who can replace the program is trusted with its plugins: an installation of another account, one
# that a group maintains.
if [ "$(id -u)" = 0 ]; then
	chmod 644 "$own/lib/evenhand/backends/bad_start.so"
	mkdir "$own/elsewhere"
	cp "$good" "$own/elsewhere"
	chown -R 12345 "$own"
	"$own/bin/evenhand" plugin list > "$log" 2>&1
	grep -q '^ *bad_start *$' "$log" && ! grep -q 'belongs to user' "$log"
	ok $? "the program's owner may own its plugins" "$log"
	refused "$own/elsewhere/bad_start.so" "belongs to user 12345"
	chown -R 0:12345 "$own"
	chmod -R g+w "$own"
	"$own/bin/evenhand" plugin list > "$log" 2>&1
	grep -q '^ *bad_start *$' "$log" && ! grep -q 'others can write' "$log"
	ok $? "a group that can replace the program may write its plugins" "$log"
	refused "$own/elsewhere/bad_start.so" "others can write to "
	chmod -R o+w "$own"
	"$own/bin/evenhand" plugin list > "$log" 2>&1
	grep -q 'others can write to ' "$log"
	ok $? "everybody may not" "$log"
else
	for i in 1 2 3 4 5; do skip "an installation of another account ($i)" "only root can make one"; done
fi
echo "1..$n"
exit $bad
