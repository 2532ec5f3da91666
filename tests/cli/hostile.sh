#!/bin/sh
# Another user of the machine, who makes names in the folders where root runs evenhand: root's files
# stay as they are, and nothing of theirs is loaded or executed.
set -u
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
check() { # status text [file to show]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 30 "$3" >&2; fi
}
skip_all() { echo "1..1"; echo "ok 1 - a hostile user # skip $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip_all "only root can be two users"
command -v setpriv > /dev/null || skip_all "setpriv is missing (package util-linux)"
umask 022
H=$(mktemp -d /tmp/evenhand-hostile-XXXXXX) || exit 1
attacker=
stop() { [ -z "$attacker" ] || { kill -9 "$attacker"; wait "$attacker"; } 2> /dev/null; attacker=; }
trap 'stop; rm -rf "$H"' EXIT
chmod 755 "$H"
cp "$SRC/tests/cli/hostile.py" "$H"
chmod 644 "$H/hostile.py"
as_stranger() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
# The first python3 of the PATH may be one that only root reaches.
python=
for folder in $(echo "$PATH" | tr : ' '); do
	if [ -x "$folder/python3" ] && as_stranger "$folder/python3" -c 'import ctypes' 2> /dev/null; then python=$folder/python3; break; fi
done
[ -n "$python" ] || skip_all "no python3 that another user may start"
attack() { # what folder victim: in the background, once it is ready
	: > "$T/attack"
	(exec setpriv --reuid 65534 --regid 65534 --clear-groups "$python" "$H/hostile.py" "$@") > "$T/attack" 2> "$T/attack.err" &
	attacker=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -q ready "$T/attack" && return
		sleep 0.2
	done
	check 1 "the other user does not get to $1" "$T/attack.err"
}
log=$T/log
tiny=$SRC/tests/protocols/tiny.ini

# What must stay as it is, and what must never run.
mkdir "$H/safe" "$H/safe/folder"
echo alive > "$H/safe/canary"
echo alive > "$H/safe/folder/canary"
echo alive > "$H/safe/folder/manifest.json"
chmod 600 "$H/safe/canary" "$H/safe/folder/canary"
chmod 700 "$H/safe/folder"
state() { (cd "$H/safe" && find . -printf '%p %m %U %l\n' | sort && cat canary folder/canary); }
state > "$T/before"
unharmed() { # text
	state > "$T/after"
	cmp -s "$T/before" "$T/after" && [ ! -e "$H/pwned" ]
	check $? "$1: root's files stay as they are, and nothing of the other user's runs" "$T/after"
}
mkdir "$H/theirs"
cat > "$H/theirs/kernel.c" << C
#include <fcntl.h>
__attribute__((constructor)) static void run(void) { open("$H/pwned", O_CREAT | O_WRONLY, 0600); }
C
"$CC" -shared -fPIC -o "$H/theirs/kernel.so" "$H/theirs/kernel.c"
cp "$H/theirs/kernel.so" "$H/theirs/bad_start.so"
chown -R 65534:65534 "$H/theirs"

# ---- names that can be guessed ---------------------------------------------------------------------

name=$("$EVENHAND" devices 2> /dev/null | grep -m 1 -o '^host:[^ ]*' | tr : -)
[ -n "$name" ]
check $? "there is a device of the host"
for mode in 1777 0777; do
	out=$H/out$mode
	mkdir "$out"
	chmod "$mode" "$out"
	as_stranger "$python" "$H/hostile.py" plant "$out" "$H/safe/canary" run.journal "$name.json" && [ -L "$out/$name.json" ]
	check $? "mode $mode: links are planted"
	rm -f "$out/run.journal"
	EVENHAND_CACHE_DIR=$T/cache "$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$out" --quiet > "$log" 2>&1
	[ -f "$out/run.journal" ] && [ ! -L "$out/run.journal" ] && [ "$(stat -c %u "$out/run.journal")" = 0 ] &&
		[ -f "$out/$name.json" ] && [ ! -L "$out/$name.json" ] && [ "$(stat -c %u "$out/$name.json")" = 0 ]
	check $? "mode $mode: journal and result are root's own files among planted links" "$log"
	unharmed "links under names that can be guessed, mode $mode"
done
out=$H/journal
mkdir "$out"
ln -s "$H/safe/canary" "$out/run.journal"
chown -h 65534 "$out/run.journal"
"$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$out" --quiet > "$log" 2>&1
[ $? -eq 4 ] && grep -q 'already holds a run' "$log"
check $? "a planted link is no place for a journal" "$log"
"$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$H/roots" --quiet > "$log" 2>&1
echo torn >> "$H/roots/run.journal"
cp "$H/roots/run.journal" "$T/roots.journal"
as_stranger mkdir "$H/theirs/open"
as_stranger ln -s "$H/roots/run.journal" "$H/theirs/open/run.journal"
as_stranger ln -s "$H/roots" "$H/theirs/folder"
for folder in open folder; do
	for salvage in '' --salvage; do
		# shellcheck disable=SC2086
		"$EVENHAND" run --resume "$H/theirs/$folder" $salvage --quiet > "$log" 2>&1
		[ $? -eq 5 ] && grep -q 'link' "$log" && cmp -s "$H/roots/run.journal" "$T/roots.journal"
		check $? "a journal of root's is not cut through a planted link, $folder $salvage" "$log"
	done
done
ln -s roots "$H/mine"
"$EVENHAND" run --resume "$H/mine" --quiet > "$log" 2>&1
grep -q 'is cut off' "$log" && ! cmp -s "$H/roots/run.journal" "$T/roots.journal"
check $? "a folder may be reached through a link of one's own" "$log"
chmod 777 "$H/out0777"
as_stranger ln -s "$H/safe/folder" "$H/out0777/folder"
"$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$H/out0777/folder" --quiet > "$log" 2>&1
[ $? -eq 5 ] && grep -q 'out0777/folder belongs to user 65534, and links of others are not followed' "$log"
check $? "somebody else's link is no output folder" "$log"
unharmed "a planted output folder"

# ---- caches ----------------------------------------------------------------------------------------

for mode in 1777 0777; do
	out=$H/cache$mode
	mkdir "$out"
	chmod "$mode" "$out"
	as_stranger ln -s "$H/safe/folder" "$out/host"
	EVENHAND_CACHE_DIR=$out "$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$T/cached$mode" --quiet > "$log" 2>&1
	rc=$?
	[ $rc -ne 5 ] && grep -q 'compiled kernels are not cached: .*host' "$log" && ls "$T/cached$mode"/*.json > /dev/null
	check $? "mode $mode: a planted cache folder is not used, and the run goes on" "$log"
	unharmed "a planted cache folder, mode $mode"
done

# ---- kernels compiled ahead ------------------------------------------------------------------------

if [ -f "$BUILD/lib/evenhand/host-kernels/compiler" ]; then
	mkdir -p "$H/ahead/host-kernels" "$H/nothing"
	for so in "$BUILD/lib/evenhand/host-kernels"/*.so; do cp "$H/theirs/kernel.so" "$H/ahead/host-kernels/${so##*/}"; done
	chown 65534 "$H/ahead/host-kernels"/*.so
	timeout=$(command -v timeout)
	PATH=$H/nothing "$timeout" 60 "$EVENHAND" run "$tiny" --on host:prebuilt --executions 1 -o "$T/ahead" --quiet --set "host.library-dir=$H/ahead" > "$log" 2>&1
	[ $? -eq 7 ] && grep -q 'host-kernels/.*\.so is not used because .* belongs to user 65534' "$T/ahead/host-prebuilt.json"
	check $? "kernels compiled ahead that are somebody else's are not loaded, and the rows say why" "$log"
	unharmed "kernels of the other user"
else
	n=$((n + 1))
	echo "ok $n - kernels compiled ahead # skip none were built here"
fi

# ---- exchanging what is made -----------------------------------------------------------------------

out=$H/race
mkdir "$out"
chmod 777 "$out"
attack replace "$out" "$H/theirs"
for i in 1 2; do
	TMPDIR=$out EVENHAND_CACHE_DIR=$T/race$i "$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$out/run$i" --quiet > "$log$i" 2>&1
	for json in "$out/run$i"/*.json; do
		[ ! -L "$json" ] || check 1 "$json is a link" "$log$i"
	done
done
stop
ls -d "$out"/evenhand-cc-*.taken > /dev/null 2>&1
check $? "folders of compilers were exchanged while they were used" "$T/attack.err"
unharmed "exchanged folders of compilers"
out=$H/racing
mkdir "$out"
chmod 777 "$out"
attack replace "$out" "$H/safe"
for _ in 1 2 3; do
	"$EVENHAND" kernels -o "$out" > "$log" 2>&1
	"$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$out" --quiet > "$log" 2>&1
	rm -f "$out/run.journal" "$out"/*.json
done
stop
unharmed "exchanged files"

out=$H/unpacking
mkdir "$out"
chmod 777 "$out"
mkdir "$T/packed"
cp "$SRC/tests/golden/host-gcc-12.json" "$T/packed"
"$EVENHAND" bundle "$T/packed" -o "$T/packed.evenhand" > "$log" 2>&1
check $? "a bundle to unpack" "$log"
attack lead "$out" "$H/safe/folder"
wrong=0 refused=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$EVENHAND" bundle "$T/packed.evenhand" --unpack "$out/made$i" > "$log" 2>&1
	case $? in
	0) ;;
	5) grep -q -e 'somebody else exchanges' -e 'cannot make the folder' "$log" && refused=$((refused + 1)) ;;
	*) wrong=$((wrong + 1)) ;;
	esac
done
stop
# Those under their hidden names, too.
[ $wrong -eq 0 ] && [ -n "$(find "$out" -maxdepth 1 -name '*.taken')" ]
check $? "folders that a bundle is unpacked to were exchanged ($refused of 12 refused)" "$log"
unharmed "exchanged folders of a bundle"

# ---- between the look at a plugin and its use ------------------------------------------------------

out=$H/plugins
mkdir -p "$out/good" "$out/evil"
cp "$BUILD/tests/backends/bad_start.so" "$out/good"
cp "$H/theirs/bad_start.so" "$out/evil"
chown -R 65534 "$out/evil"
chmod 777 "$out"
attack swap "$out" -
refused=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	"$EVENHAND" plugin check "$out/good/bad_start.so" > "$log" 2>&1
	grep -q 'plugin/load .*others can write to' "$log" && refused=$((refused + 1))
done
stop
[ "$refused" -eq 40 ]
check $? "a plugin that somebody exchanges is refused every time ($refused of 40)" "$log"
unharmed "an exchanged plugin"

# ---- what killed processes leave -------------------------------------------------------------------

mkdir "$T/killed"
for delay in 0.1 0.2 0.3 0.4 0.5 0.7; do
	TMPDIR=$T/killed EVENHAND_CACHE_DIR=$T/killed-cache$delay setsid "$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$T/killed-run" --quiet > "$log" 2>&1 &
	victim=$!
	sleep "$delay"
	kill -9 "$victim"
	wait "$victim" 2> /dev/null
	rm -f "$T/killed-run/run.journal"
done
left() { for p in /proc/[0-9]*; do case $(readlink "$p/cwd") in "$T/killed/"*) echo "$p $(tr '\0' ' ' < "$p/cmdline")" ;; esac; done; }
for _ in 1 2 3 4 5 6 7 8 9 10; do
	left > "$T/left" 2> /dev/null
	[ -s "$T/left" ] || break
	sleep 0.2
done
[ ! -s "$T/left" ]
check $? "no compiler outlives a killed evenhand" "$T/left"
TMPDIR=$T/killed EVENHAND_CACHE_DIR=$T/killed-cache "$EVENHAND" run "$tiny" --on host:0 --executions 1 -o "$T/killed-run" --quiet > "$log" 2>&1
find "$T/killed" "$T/killed-run" -name 'evenhand-*' -o -name '.evenhand-*' > "$T/left"
[ ! -s "$T/left" ]
check $? "the next run removes what killed ones left" "$T/left"

# ---- without /proc ---------------------------------------------------------------------------------

if unshare -m true 2> /dev/null; then
	mkdir "$H/current"
	printf '#!/bin/sh\ntouch "%s/pwned"\nexit 1\n' "$H" > "$H/current/evenhand"
	chmod 755 "$H/current/evenhand"
	bare() { # folder command...
		# shellcheck disable=SC2016
		EVENHAND_BACKEND_PATH=$BUILD/lib/evenhand/backends unshare -m sh -c 'mount -t tmpfs none /proc && cd "$0" && exec "$@"' "$@" > "$log" 2>&1
	}
	bare "$H/current" "$EVENHAND" devices
	grep -q '^host:' "$log"
	check $? "without /proc the program starts itself by its whole path" "$log"
	ln -s "$EVENHAND" "$H/current/own"
	bare "$H/current" ./own devices
	code=$?
	# A sanitizer that finds no /proc has an exit code of its own.
	{ [ -n "${SANITIZE:-}" ] || [ $code -eq 5 ]; } && grep -q 'without /proc it knows its own file only when' "$log"
	check $? "started by a relative path it says that it cannot" "$log"
	unharmed "a program called evenhand in the current folder"
else
	n=$((n + 1))
	echo "ok $n - without /proc # skip mounts need more rights"
fi
echo "1..$n"
exit $bad
