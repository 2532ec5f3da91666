#!/bin/sh
# What the hip backend says when a part is missing; every workload on the test runtime; the very texts
# that ran there through the real clang, for AMD's architectures, and through the real hiprtc.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 40 "$3" >&2; fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
finish() {
	echo "1..$n"
	exit $bad
}
log=$T/log
so=$BUILD/lib/evenhand/backends/hip.so
drivers=$BUILD/tests/drivers
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS EVENHAND_TEST_TEXTS EVENHAND_TEST_HIP_ARCH EVENHAND_TEST_HIP_DEVICES
unset HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES ROCM_PATH
if [ ! -f "$so" ]; then
	skip "the hip backend" "it was switched off"
	finish
fi

if { ldconfig -p; ls /opt/rocm/lib; } 2>/dev/null | grep -q 'libamdhip64\.so'; then
	skip "advice without a runtime" "there is one here"
else
	"$EVENHAND" devices > "$log" 2>&1
	grep -q '^hip .*looked for libamdhip64.so.7, .6, .5.*install AMD.s ROCm' "$log"
	ok $? "without a runtime, the names looked for and what to install" "$log"
fi
"$EVENHAND" --set hip.library=/none/libamdhip64.so.6 devices > "$log" 2>&1
grep -q '^hip .*/none/libamdhip64.so.6 cannot be opened.*install AMD.s ROCm' "$log"
ok $? "a file that is not there is named, with what to install" "$log"
"$EVENHAND" --set hip.library=libm.so.6 devices > "$log" 2>&1
grep -q '^hip .*libm.so.6 has no hipInit; .*update ROCm' "$log"
ok $? "a library that is no runtime is refused by the first function it lacks" "$log"
"$EVENHAND" --set hip.schedule=never devices > "$log" 2>&1
grep -q '^hip .*hip.schedule is never, and it can be auto, spin, yield or block' "$log"
ok $? "a setting that is no word of it is refused" "$log"
"$EVENHAND" --set hip.compile=elsewhere devices > "$log" 2>&1
grep -q '^hip .*hip.compile is elsewhere, and it can be here or apart' "$log"
ok $? "another setting that is no word of it is refused" "$log"
[ "$(nm -D --defined-only "$so" | grep -c ' [TDB] ')" -eq 1 ] && ! readelf -d "$so" | grep NEEDED | grep -q 'hip\|hsa'
ok $? "one exported symbol, and no vendor library linked"

if [ ! -f "$drivers/hip7/libamdhip64.so.7" ]; then
	skip "the hip backend on the test runtime" "the test runtime is built only where hip/hip_runtime_api.h is (package libamdhip64-dev)"
	finish
fi
if ! echo 'int main(){return 0;}' | $CC -x c++ -c -o "$T/probe.o" - 2>/dev/null; then
	skip "the hip backend on the test runtime" "$CC knows no C++, which the test hiprtc needs (package g++)"
	finish
fi
mine=$drivers/hip7${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
EVENHAND_TEST_CACHE=$drivers/hip-cache
export EVENHAND_TEST_CACHE
mkdir -p "$EVENHAND_TEST_CACHE" && chmod 700 "$EVENHAND_TEST_CACHE"
mkdir -p "$T/texts"
LD_LIBRARY_PATH=$mine "$EVENHAND" devices -v > "$log" 2>&1
grep -q '^runtime *HIP runtime  *7\.2' "$log" && grep -q '^compiler *hiprtc *9\..* of HIP 7\.2' "$log"
ok $? "its layers name runtime and hiprtc with versions" "$log"
# The L2 that the runtime reports is not the last level.
LD_LIBRARY_PATH=$mine "$EVENHAND" --set "hip.root=$SRC/tests/replay/mi300x" devices -v > "$log" 2>&1
grep -q '^hip:0 .*last-level cache 256MiB$' "$log" && grep -q '^hip:1 .*last-level cache unknown$' "$log"
ok $? "the last-level cache is the one in the kernel's list, or unknown" "$log"
LD_LIBRARY_PATH=$mine "$EVENHAND" --set hip.hiprtc=/none/libhiprtc.so devices > "$log" 2>&1
grep -q '^hip .*Only what needs no kernel can run.*/none/libhiprtc.so' "$log" && grep -q '^hip:0 ' "$log"
ok $? "without hiprtc the devices stay, and a note says what cannot run" "$log"

# With a cache of its own, so that every text is compiled and kept.
LD_LIBRARY_PATH=$mine EVENHAND_CACHE_DIR=$T/cache EVENHAND_TEST_TEXTS=$T/texts \
	"$EVENHAND" run "$SRC/tests/drivers/hip-backend.ini" --on hip:0 -o "$T/results" \
	--set "hip.root=$SRC/tests/replay/mi300x" > "$log" 2>&1
rc=$?
[ $rc -eq 0 ]
ok $? "every workload runs and verifies" "$log"
result=$(find "$T/results" -name 'hip-*.json' | head -n 1)
python3 -B - "$result" "$SRC/tests/drivers" > "$T/facts" 2>&1 <<'PY'
import json, sys
sys.path.insert(0, sys.argv[2])
import rows
r = json.load(open(sys.argv[1]))
text = json.dumps(r)
assert '"simulated"' in text, "not marked simulated"
assert '"hsaco"' in text, "the binary is not recorded"
assert 'hiprtc' in text, "the compiler is not recorded"
assert 'gfx90a:sramecc+:xnack-' in text, "the target is not recorded"
assert '"architecture": {"value": "gfx90a' in text, "the hardware layer lacks its facts"
assert '"last-level-cache-source": {"value": "kfd' in text, "the source of the cache's size is not recorded"
assert r["executor"]["device"]["numa_node"] == 0, "the memory node is not recorded"
cases = r["cases"]
assert len(cases) == 44, len(cases)
wrong = rows.accused(cases)
assert not wrong, wrong
PY
ok $? "the result says simulated, hsaco and for which architecture" "$T/facts"

# Copies to the other device: access is on for direct rows alone, and nowhere afterwards.
. "$SRC/tests/drivers/peers"
LD_LIBRARY_PATH=$mine
export LD_LIBRARY_PATH
peers_of "$result"
peers_say 'with 1 (TEST.*direct: peer access on, performance rank 7, native atomics 1' \
	'with 1 (TEST.*staged: peer access off, performance rank 7, native atomics 1'
ok $? "rows of copies name the other device, the way, and what is told of the link" "$T/peers"
peers_access hip:0 hip-backend hipDeviceEnablePeerAccess hipDeviceDisablePeerAccess hipMemcpyPeerAsync
ok $? "peer access is on for direct copies alone" "$log"
EVENHAND_TEST_HIP_PEER=0
export EVENHAND_TEST_HIP_PEER
peers_run hip:0 hip-backend
peers_say 'unsupported .* do not reach each other.s memory' 'staged: peer access not offered'
ok $? "without access direct copies are unsupported, and staged ones say that it is not offered" "$log"
unset EVENHAND_TEST_HIP_PEER
EVENHAND_TEST_HIP_DEVICES=1
export EVENHAND_TEST_HIP_DEVICES
peers_run hip:0 hip-backend
peers_say 'unsupported The backend sees only one device' 'unsupported The backend sees only one device'
ok $? "with one device both are unsupported" "$log"
unset EVENHAND_TEST_HIP_DEVICES
LD_LIBRARY_PATH=${mine#"$drivers/hip7"}
LD_LIBRARY_PATH=${LD_LIBRARY_PATH#:}

# Long paths, as Spack and EasyBuild make them; folders that others can write to.
umask 022
long=$T/opt/spack/linux-debian12-x86_64_v4/gcc-12.2.0/hip-7.2.1-7qgkvzt3w5l6tcv2mhtp4eexnbpljz7a/lib
alone=$T/alone/lib rocm=$T/rocm
mkdir -p "$long" "$alone" "$rocm/lib"
ln -sf "$drivers/hip7/libamdhip64.so.7" "$drivers/hip7/libhiprtc.so.7" "$long"
ln -sf "$drivers/hip7/libamdhip64.so.7" "$alone"
cp "$drivers/hip7/libhiprtc.so.7" "$rocm/lib"
"$EVENHAND" --set "hip.library=$long/libamdhip64.so.7" devices -v > "$log" 2>&1
grep -q '^hip:0 ' "$log" && grep -q '^compiler *hiprtc *9\..* of HIP 7\.2' "$log"
ok $? "hiprtc is found beside a runtime in a path of $(printf %s "$long" | wc -c) characters" "$log"
ROCM_PATH=$rocm "$EVENHAND" --set "hip.library=$alone/libamdhip64.so.7" devices -v > "$log" 2>&1
grep -q '^compiler *hiprtc *9\..* of HIP 7\.2' "$log"
ok $? "hiprtc is found in \$ROCM_PATH" "$log"
chmod 777 "$rocm"
ROCM_PATH=$rocm "$EVENHAND" --set "hip.library=$alone/libamdhip64.so.7" devices > "$log" 2>&1
grep -q "^hip .*run-time compiler hiprtc cannot be used: $rocm/lib/libhiprtc.so.7 is not used because others can write to $rocm: .*--set hip.hiprtc=PATH" "$log"
ok $? "not when others can change it, and a note says so" "$log"
chmod 755 "$rocm"

# Another compiler in the same place has no entries in the cache.
compile() { # how many kernels are kept then
	ROCM_PATH=$rocm EVENHAND_CACHE_DIR=$T/keys "$EVENHAND" --set "hip.library=$alone/libamdhip64.so.7" \
		plugin check "$so" --device 0 --only kernel/values --deadline 60s > "$log" 2>&1
	find "$T/keys" -name '*.hsaco' | wc -l
}
first=$(compile)
again=$(compile)
printf x >> "$rocm/lib/libhiprtc.so.7"
changed=$(compile)
[ "$first" -gt 0 ] && [ "$again" -eq "$first" ] && [ "$changed" -eq $((2 * first)) ]
ok $? "another hiprtc of the same name and version compiles again ($first, $again, $changed kept)" "$log"

# The same texts for real architectures.
clang=$(sh "$SRC/build-aux/newest.sh" clang | head -n 1)
hip() { # text, architecture, output
	$clang -x hip "--offload-arch=$2" --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib -O3 -c "$1" -o "$3" 2> "$log"
}
count=$(find "$T/texts" -name '*.hip' | wc -l)
for arch in gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100; do
	what="the $count texts compile for $arch"
	if [ -z "$clang" ]; then
		skip "$what" "clang is not installed (package clang)"
		continue
	fi
	echo '__attribute__((global)) void k(int *p) { *p = 1; }' > "$T/probe.hip"
	if ! hip "$T/probe.hip" $arch "$T/probe.o"; then # it is too old, or has no lld beside it
		skip "$what" "$clang cannot: $(head -n 1 "$log" | tr '#' ' ')"
		continue
	fi
	rc=0
	for text in "$T"/texts/*.hip; do
		hip "$text" $arch "$T/$(basename "$text" .hip).$arch.o" || { rc=1; break; }
	done
	[ $rc -eq 0 ] && [ "$count" -gt 8 ]
	ok $? "$what" "$log"
done

# What the backend reads in a real code object: as many arguments as the dialect's entry says.
some=$(find "$T" -maxdepth 1 -name '*.gfx90a.o' | head -n 1)
if [ -z "$some" ]; then
	skip "the arguments of real code objects are counted" "no clang with an AMD target made one (package clang)"
else
	rc=0 kernels=0
	for object in "$T"/*.gfx90a.o; do
		text=$T/texts/$(basename "$object" .gfx90a.o).hip
		for kernel in $(nm "$object" | sed -n 's/.* T \([a-z][a-z0-9_]*\)$/\1/p'); do
			# The preprocessor's choice: a text has one kernel under several conditions.
			want=$($clang -E -P -x c++ -D__HIP__ -D__device__= -D__global__=kernel_ -D__shared__= "$text" 2>/dev/null |
				tr '\n' ' ' | sed -n "s/.* $kernel(\([^)]*\)).*/\1/p" | tr -cd , | wc -c)
			kernels=$((kernels + 1))
			got=$("$drivers/hip_real" arguments "$object" "$kernel")
			[ "$got" -eq $((want + 1)) ] || { echo "$kernel: $got, want $((want + 1))" > "$log"; rc=1; }
		done
	done
	[ $rc -eq 0 ] && [ $kernels -gt 4 ]
	ok $? "the arguments of $kernels kernels in real code objects are counted" "$log"
fi

# The real hiprtc, by the backend's own code.  One text: it takes seconds.
text=$(grep -l 'eh_gemm' "$T"/texts/*.hip | sort | head -n 1)
[ -n "$text" ] || text=$(find "$T/texts" -name '*.hip' | sort | head -n 1)
"$drivers/hip_real" compile "$text" gfx90a apart > "$log" 2>&1
rc=$?
if [ $rc -eq 3 ]; then
	skip "the real hiprtc compiles for gfx90a in a child" "$(head -n 1 "$log" | cut -c1-120 | tr '#' ' ')"
else
	ok $rc "the real hiprtc compiles for gfx90a in a child" "$log"
	timeout 60 "$drivers/hip_real" compile "$text" gfx1100 apart > "$log" 2>&1
	rc=$?
	[ $rc -eq 0 ] || { [ $rc -eq 1 ] && grep -q 'gfx1100' "$log"; }
	ok $? "for gfx1100 it compiles, or its death is one error" "$log"
fi
finish
