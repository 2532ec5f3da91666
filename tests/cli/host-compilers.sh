#!/bin/sh
# The host backend seen from the command line: machines without a compiler, with one that does
# not work or hangs, and with a cache that cannot be used.
set -u
n=0 bad=0
check() { # status text [file to show]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 20 "$3" >&2; fi
}
real=$(command -v gcc || command -v clang)
if [ -z "$real" ] || [ ! -f "$BUILD/lib/evenhand/backends/host.so" ]; then
	echo "ok 1 - host compilers # SKIP needs gcc or clang, and the host backend (package gcc)"
	echo "1..1"
	exit 0
fi
# Nothing but what a compiler calls.
mkdir "$T/bin"
for tool in as ld sleep; do ln -s "$(command -v $tool)" "$T/bin/$tool"; done
timeout=$(command -v timeout)
alone() { env PATH="$T/bin" EVENHAND_BACKEND_PATH="$T/none" "$timeout" 60 "$@"; }
compiler() { rm -f "$T/bin/gcc"; printf '#!/bin/sh\n%s\n' "$1" > "$T/bin/gcc"; chmod +x "$T/bin/gcc"; }

# Two programs: the portable triad, which every installation has built, and one that none has.
cat > "$T/two.ini" <<'INI'
[protocol]
name = two
version = 1
intent = one program that is prebuilt and one that is not
executions = 1
seed = 1
canary = no
[measure]
warmup-min = 1ms
warmup-max = 2ms
samples-min = 10
samples-max = 20
time-min = 1ms
time-max = 50ms
proof = 1ms
; A second attempt at a case would find what the first one compiled.
repeats = 0
[case known]
workload = stream
operation = triad
precision = f32
bytes = 32MiB
[case other]
workload = stream
operation = triad
precision = f32
bytes = 96KiB
items = 1
INI

export EVENHAND_CACHE_DIR="$T/cache"
alone "$EVENHAND" devices > "$T/out" 2> "$T/err"
check $? "devices without a compiler" "$T/err"
grep -q '^host:prebuilt' "$T/out" && ! grep -q '^host:[gc]' "$T/out"
check $? "the prebuilt kernels are the only host device" "$T/out"
grep -q 'No working C compiler.*install gcc or clang' "$T/out"
check $? "and a note names the remedy" "$T/out"

alone "$EVENHAND" run "$T/two.ini" --on host:prebuilt -o "$T/prebuilt" > "$T/out" 2> "$T/err"
check "$([ -s "$T/prebuilt/host-prebuilt.json" ]; echo $?)" "a run on prebuilt kernels leaves a result" "$T/err"
grep -q 'was not compiled at installation' "$T/prebuilt/host-prebuilt.json"
check $? "the program that was not prebuilt says so" "$T/err"
[ "$(grep -o '"binary_sha256"' "$T/prebuilt/host-prebuilt.json" | wc -l)" -eq 1 ]
check $? "and the other one ran" "$T/prebuilt/host-prebuilt.json"

# A kernel that others can change is not loaded, wherever the user says that it lies.
mkdir "$T/ahead"
cp -r "$BUILD/lib/evenhand/host-kernels" "$T/ahead"
chmod 644 "$T/ahead/host-kernels"/*
elsewhere() { alone "$EVENHAND" run "$T/two.ini" --on host:prebuilt --set "host.library-dir=$T/ahead" -o "$T/$1" > "$T/out" 2> "$T/err"; }
elsewhere mine
grep -q '"binary_sha256"' "$T/mine/host-prebuilt.json"
check $? "kernels in a folder that the user names run" "$T/err"
chmod o+w "$T/ahead/host-kernels"/*.so
elsewhere everybodys
grep -q 'is not used because others can write to it: run chmod go-w' "$T/everybodys/host-prebuilt.json" && ! grep -q '"binary_sha256"' "$T/everybodys/host-prebuilt.json"
check $? "and those that others can change do not" "$T/err"

# What is named is measured, or nothing is: prebuilt kernels do not stand in for a compiler.
refused() { # exit code, two texts of the message, text
	[ $status -eq "$1" ] && grep -q "$2" "$T/err" && grep -q "$3" "$T/err" && [ ! -e "$T/named" ]
	check $? "$4" "$T/err"
}
on() { alone "$EVENHAND" run "$T/two.ini" --on "$1" -o "$T/named" > "$T/out" 2> "$T/err"; status=$?; }
on host:gcc
refused 4 "no executor matches 'host:gcc'; usable here: host:prebuilt" 'No working C compiler' "a compiler that is not there is not replaced"
on host:prebuilt,host:gcc
refused 4 "host:gcc" 'No working C compiler' "nor when another executor is named with it"
ln -s "$real" "$T/bin/gcc"
mkdir "$T/full"
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # they expand inside
	full() { unshare -m sh -c 'mount -t tmpfs -o size=4k none "$0" && head -c 4096 /dev/zero >"$0/fill"; shift 0; exec "$@"' "$T/full" "$@"; }
	status=0
	TMPDIR=$T/full EVENHAND_CACHE_DIR=$T/full/cache full env PATH="$T/bin" EVENHAND_BACKEND_PATH="$T/none" \
		"$timeout" 60 "$EVENHAND" run "$T/two.ini" --on "host:${real##*/}" -o "$T/named" > "$T/out" 2> "$T/err" || status=$?
	refused 5 'host:[gc].* is there but cannot be used' 'cannot be written' "with a full TMPDIR a compiler is not replaced"
else
	echo "ok $((n += 1)) - a full TMPDIR # SKIP needs root and a mount of its own"
fi
rm "$T/bin/gcc"

compiler "case \"\$*\" in *-dM*) exec $real \"\$@\";; esac; echo 'kernel.c:1: fatal error: no headers here' >&2; exit 1"
alone "$EVENHAND" devices > "$T/out" 2> "$T/err"
check $? "devices with a compiler that cannot compile" "$T/err"
grep -q 'no headers here' "$T/out" && grep -q '^host:prebuilt' "$T/out"
check $? "the compiler's complaint is shown, and prebuilt kernels serve" "$T/out"

compiler 'exec sleep 100'
began=$(date +%s)
alone "$EVENHAND" devices > "$T/out" 2> "$T/err"
status=$?
[ $status -eq 0 ] && [ $(($(date +%s) - began)) -lt 20 ] && grep -q 'did not finish in time' "$T/out"
check $? "a compiler that hangs costs seconds and is named" "$T/out"

rm "$T/bin/gcc"
ln -s "$real" "$T/bin/gcc"
host=$(alone "$EVENHAND" devices 2>/dev/null | sed -n 's/^\(host:[a-z]*-[0-9]*\) .*/\1/p')
[ -n "$host" ]
check $? "one compiler is one device"
result=$(printf %s "$host" | tr : -).json
sane() { # folder text
	[ "$(grep -o '"binary_sha256"' "$1/$result" 2>/dev/null | wc -l)" -eq 2 ]
	check $? "$2" "$T/err"
}
alone "$EVENHAND" run "$T/two.ini" --on host -o "$T/first" > "$T/out" 2> "$T/err"
sane "$T/first" "both programs are compiled and run"
for so in "$T"/cache/host/*.so; do printf x | dd of="$so" bs=1 seek=2000 conv=notrunc 2>/dev/null; done
alone "$EVENHAND" run "$T/two.ini" --on host -o "$T/damaged" > "$T/out" 2> "$T/err"
sane "$T/damaged" "a damaged cache is compiled again"
[ -s "$T/damaged/$result" ] && ! grep -q '"from_cache": *true' "$T/damaged/$result"
check $? "and nothing damaged was used" "$T/damaged/$result"
alone "$EVENHAND" run "$T/two.ini" --on host -o "$T/again" > "$T/out" 2> "$T/err"
grep -q '"from_cache": *true' "$T/again/$result"
check $? "what was compiled again is used" "$T/err"
: > "$T/file"
EVENHAND_CACHE_DIR="$T/file/cache" alone "$EVENHAND" run "$T/two.ini" --on host -o "$T/nocache" > "$T/out" 2> "$T/err"
sane "$T/nocache" "a cache that cannot be written stops nothing"

# Variables that name other programs and libraries for a compiler: it calls its own.
mkdir -p "$T/other"
for tool in as ld collect2 cc1 ld.lld; do
	printf '#!/bin/sh\ntouch "%s/called"\nexit 1\n' "$T" > "$T/other/$tool"
	chmod +x "$T/other/$tool"
done
echo 'not a library' > "$T/other/libm.so"
env COMPILER_PATH="$T/other" LIBRARY_PATH="$T/other" LPATH="$T/other" GCC_EXEC_PREFIX="$T/other/" EVENHAND_BACKEND_PATH="$T/none" \
	EVENHAND_CACHE_DIR="$T/others" "$EVENHAND" plugin check "$BUILD/lib/evenhand/backends/host.so" --device 0 --only program/ > "$T/log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^  pass' "$T/log" && [ ! -e "$T/called" ]
check $? "no other programs and libraries come in by the environment" "$T/log"
rm "$T/other/cc1" "$T/other/collect2"
PATH="$T/other:$PATH" "$real" -o "$T/program" -x c - <<'C' > "$T/log" 2>&1
int main(void) { return 0; }
C
[ -e "$T/called" ]
check $? "an assembler of a folder of PATH is called by a compiler" "$T/log"
rm -f "$T/called"
env PATH="$T/other:$PATH" EVENHAND_BACKEND_PATH="$T/none" EVENHAND_CACHE_DIR="$T/by-path" \
	"$EVENHAND" plugin check "$BUILD/lib/evenhand/backends/host.so" --device 0 --only program/ > "$T/log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^  pass' "$T/log" && [ ! -e "$T/called" ]
check $? "but by none that evenhand starts" "$T/log"
# A compiler in a folder of its own has its assembler there.
mkdir "$T/own"
printf '#!/bin/sh\ntouch "%s/own-called"\nexec "%s" "$@"\n' "$T" "$(command -v as)" > "$T/own/as"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$real" > "$T/own/gcc"
chmod +x "$T/own/as" "$T/own/gcc"
env PATH="$T/own" EVENHAND_BACKEND_PATH="$T/none" EVENHAND_CACHE_DIR="$T/own-cache" "$timeout" 60 \
	"$EVENHAND" run "$T/two.ini" --on host -o "$T/of-its-own" > "$T/out" 2> "$T/err"
[ -e "$T/own-called" ] && grep -q '"binary_sha256"' "$T"/of-its-own/*.json
check $? "what lies beside a compiler is called" "$T/err"

echo "1..$n"
exit $bad
