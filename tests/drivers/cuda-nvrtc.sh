#!/bin/sh
# Which NVRTC the cuda backend takes: found in long paths, chosen for each device, not taken from
# where others can write, with the builtins beside it; and its files are part of the key of what it
# compiled.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 40 "$3" >&2; fi
}
finish() {
	echo "1..$n"
	exit $bad
}
skip() {
	n=$((n + 1))
	echo "ok $n - which NVRTC is taken # SKIP $1"
	finish
}
log=$T/log
driver=$BUILD/tests/drivers/cuda
so=$BUILD/lib/evenhand/backends/cuda.so
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS CUDA_VISIBLE_DEVICES
[ -f "$so" ] || skip "it was switched off"
[ -f "$driver/libcuda.so.1" ] ||
	skip "the test driver is built only where cuda.h is: install the CUDA toolkit (package nvidia-cuda-toolkit)"
real=
for folder in "${CUDA_HOME:-/usr/local/cuda}/lib64" /usr/local/cuda/lib64 $(ldconfig -p | sed -n 's,.*=> \(/.*\)/libnvrtc\.so\.13$,\1,p'); do
	[ -f "$folder/libnvrtc.so.13" ] && real=$(readlink -f "$folder") && break
done
[ -n "$real" ] || skip "NVRTC of CUDA 13 is not installed: sh build-aux/nvidia-compilers.sh DIR, then CUDA_HOME=DIR"
unset CUDA_HOME
LD_LIBRARY_PATH=$driver EVENHAND_TEST_CACHE=$driver/cache
export LD_LIBRARY_PATH EVENHAND_TEST_CACHE
umask 022

# The folders of a toolkit, by links, so that nothing is copied.
toolkit() { # folder
	mkdir -p "$1/lib64"
	ln -sf "$real/libnvrtc.so.13" "$real"/libnvrtc-builtins.so.13.* "$1/lib64"
}
names() { # file of devices -v: the versions of NVRTC of the devices
	sed -n 's/^compiler *NVRTC *\([0-9.]*\).*/\1/p' "$1"
}

# A path as Spack and EasyBuild make them.
long=$T/opt/spack/linux-debian12-x86_64_v4/gcc-12.2.0/cuda-13.0.1-7qgkvzt3w5l6tcv2mhtp4eexnbpljz7a
toolkit "$long"
toolkit "$long with blanks"
for home in "$long" "$long with blanks"; do
	rm -rf "$T/found"
	CUDA_HOME=$home "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on cuda:0 -q -o "$T/found" > "$log" 2>&1
	grep -q "\"path\": *\"$home/lib64/libnvrtc.so.13\"" "$T/found/cuda-0.json"
	ok $? "NVRTC is found in $(printf %s "$home/lib64/libnvrtc.so.13" | wc -c) characters" "$log"
done
CUDA_HOME=$(printf '/%04095d' 0) LD_LIBRARY_PATH=$driver:$real "$EVENHAND" devices -v > "$log" 2>&1
names "$log" | grep -q '^13'
ok $? "a path that is too long for a file hides no other" "$log"

# Two versions: an old device takes the older one, a new one the newer.  Nothing but the folder leads
# to the builtins of the older one.
toolkit "$T/two"
"$CC" -shared -fPIC -w -Wl,-soname,libnvrtc.so.12 -o "$T/two/lib64/libnvrtc.so.12" "$SRC/tests/drivers/nvrtc/older_nvrtc.c" \
	-Wl,--no-as-needed "$real/libnvrtc.so.13" -Wl,-rpath,"$real" -ldl > "$log" 2>&1 &&
	"$CC" -shared -fPIC -Wl,-soname,libnvrtc-builtins.so.12.4 -o "$T/two/lib64/libnvrtc-builtins.so.12.4" -x c /dev/null \
		-x none -Wl,--no-as-needed "$real"/libnvrtc-builtins.so.13.? -Wl,-rpath,"$real" >> "$log" 2>&1
ok $? "an older NVRTC can be built" "$log"
CUDA_HOME=$T/two
export CUDA_HOME
EVENHAND_TEST_CUDA_COMPUTE=70 EVENHAND_TEST_CUDA_COMPUTE_1=90 "$EVENHAND" devices -v > "$log" 2>&1
[ "$(names "$log" | tr '\n' ' ')" = "12.4 13.0 " ] && ! grep -q 'Only what needs no kernel' "$log"
ok $? "each device has the newest NVRTC that compiles for it" "$log"
EVENHAND_TEST_CUDA_COMPUTE=70 "$EVENHAND" plugin check "$so" --device 0 --only kernel/ --deadline 60s > "$log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^  pass' "$log"
ok $? "kernels compile and run on the old device, by the builtins beside its NVRTC" "$log"
EVENHAND_TEST_CUDA_COMPUTE=70 EVENHAND_TEST_CUDA_COMPUTE_1=90 "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" \
	--on cuda -q -o "$T/out" > "$log" 2>&1
python3 - "$T"/out/cuda-0.json "$T"/out/cuda-1.json > "$T/facts" 2>&1 <<'PY'
import json, sys
for path, version, target in zip(sys.argv[1:], ("12.4", "13.0"), ("sm_70", "sm_90")):
    r = json.load(open(path))
    text = json.dumps(r)
    compilers = [l for l in r["executor"]["layers"] if l["layer"] == "compiler"]
    assert [l["version"] for l in compilers] == [version], compilers
    assert target in text, target
PY
ok $? "the record of each names its NVRTC and its target" "$T/facts"
CUDA_HOME=$long EVENHAND_TEST_CUDA_COMPUTE=70 "$EVENHAND" devices > "$log" 2>&1
grep -q '^cuda .*compute capability 7.0, and NVRTC 13.0 .* compiles for 7.5 and later: install an older NVRTC' "$log" &&
	grep -q '^cuda:0 ' "$log"
ok $? "without the older one the devices stay, and a note says which to install" "$log"
EVENHAND_TEST_CUDA_COMPUTE=70 "$EVENHAND" --set "cuda.nvrtc=$real/libnvrtc.so.13" devices > "$log" 2>&1
grep -q '^cuda .*compute capability 7.0, and NVRTC 13.0' "$log"
ok $? "an NVRTC that the user names is the only one" "$log"

# A folder that others can write to.
chmod 777 "$T/two/lib64"
LD_LIBRARY_PATH=$driver:$real EVENHAND_TEST_CUDA_COMPUTE=70 "$EVENHAND" devices -v > "$log" 2>&1
grep -q "^cuda .*An NVRTC is left out: $T/two/lib64/libnvrtc.so.12 is not used because others can write to $T/two/lib64" "$log"
ok $? "an NVRTC of \$CUDA_HOME that others can change is not opened, and a note says so" "$log"
! names "$log" | grep -q '^12'
ok $? "and no device has it" "$log"
EVENHAND_TEST_CUDA_COMPUTE=70 "$EVENHAND" --set "cuda.nvrtc=$T/two/lib64/libnvrtc.so.12" devices -v > "$log" 2>&1
names "$log" | grep -q '^12.4'
ok $? "unless the user names it" "$log"
LD_LIBRARY_PATH=$driver:$T/two/lib64 EVENHAND_TEST_CUDA_COMPUTE=70 "$EVENHAND" devices -v > "$log" 2>&1
names "$log" | grep -q '^12.4'
ok $? "or the loader finds it" "$log"
chmod 755 "$T/two/lib64"

# The key of the cache is made of the files of NVRTC, not of their names and versions.
rm -rf "$T/own" && mkdir -p "$T/own/lib64"
cp "$real/libnvrtc.so.13" "$real"/libnvrtc-builtins.so.13.? "$T/own/lib64"
compile() { # name: how many kernels are kept then
	rm -rf "$T/kept-$1"
	CUDA_HOME=$T/own EVENHAND_CACHE_DIR=$T/cache "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on cuda:0 -q -o "$T/kept-$1" > "$log" 2>&1
	find "$T/cache" -name '*.cuda' | wc -l > "$T/kept-$1.count"
}
mkdir -p "$T/cache" && chmod 700 "$T/cache"
compile first
compile again
[ "$(cat "$T/kept-first.count")" -gt 0 ] && [ "$(cat "$T/kept-again.count")" -eq "$(cat "$T/kept-first.count")" ]
ok $? "what was compiled is taken from the cache" "$log"
printf 'x' >> "$T/own/lib64/libnvrtc.so.13"
compile library
[ "$(cat "$T/kept-library.count")" -eq $((2 * $(cat "$T/kept-first.count"))) ]
ok $? "not with another library under the same name" "$log"
for f in "$T"/own/lib64/libnvrtc-builtins.so.13.?; do printf 'x' >> "$f"; done
compile builtins
[ "$(cat "$T/kept-builtins.count")" -eq $((3 * $(cat "$T/kept-first.count"))) ]
ok $? "nor with other builtins beside it" "$log"
finish
