#!/bin/sh
# The shipped cuda backend on the test driver with the real NVRTC: extensions, every workload, what is
# said when a part is missing, and errors that stay errors.
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
so=$BUILD/lib/evenhand/backends/cuda.so
driver=$BUILD/tests/drivers/cuda
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS CUDA_VISIBLE_DEVICES
if [ ! -f "$so" ]; then
	skip "the cuda backend" "it was switched off"
	finish
fi

# Without the driver: one sentence that names what was looked for and what to install.
if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
	skip "advice without a driver" "there is a driver here"
else
	"$EVENHAND" devices > "$log" 2>&1
	grep -q '^cuda .*looked for libcuda.so.1.*install the NVIDIA driver' "$log"
	ok $? "without a driver, the name looked for and what to install" "$log"
fi
"$EVENHAND" --set cuda.library=libm.so.6 devices > "$log" 2>&1
grep -q '^cuda .*libm.so.6 has no cuInit; .*update the NVIDIA driver' "$log"
ok $? "a library that is no driver is refused by the first function it lacks" "$log"
"$EVENHAND" --set cuda.schedule=never devices > "$log" 2>&1
grep -q '^cuda .*cuda.schedule is never, and it can be auto, spin, yield or block' "$log"
ok $? "a setting that is no word of it is refused" "$log"

if [ ! -f "$driver/libcuda.so.1" ]; then
	skip "the cuda backend on the test driver" "the test driver is built only where cuda.h is: install the CUDA toolkit (package nvidia-cuda-toolkit)"
	finish
fi
LD_LIBRARY_PATH=$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
"$EVENHAND" devices -v > "$log" 2>&1
grep -q '^cuda:0 .*TEST .*simulated' "$log"
ok $? "the test driver's device is found and marked simulated" "$log"
grep -q '^runtime *CUDA driver API  *[1-9]' "$log" && grep -q '^compiler *NVRTC' "$log"
ok $? "its layers name the driver API and NVRTC with versions" "$log"

# What a real machine's kernel module says of itself (tests/replay/h100).
cat > "$T/recorded.c" <<'RECORDED'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
static FILE *open_recorded(const char *name, const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *) = (FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, name);

	return next(strcmp(path, "/proc/driver/nvidia/version") == 0 ? RECORDED : path, mode);
}
FILE *fopen(const char *path, const char *mode) { return open_recorded("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_recorded("fopen64", path, mode); }
RECORDED
"${CC:-cc}" -shared -fPIC -DRECORDED="\"$SRC/tests/replay/h100/proc/driver/nvidia/version\"" -o "$T/recorded.so" "$T/recorded.c" -ldl &&
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" LD_PRELOAD=$T/recorded.so \
		"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on cuda:0 -o "$T/recorded" > "$log" 2>&1
python3 - "$T"/recorded/cuda-*.json >> "$log" 2>&1 <<'PY'
import json, sys
layers = json.load(open(sys.argv[1]))["executor"]["layers"]
module = [x for x in layers if x["layer"] == "driver" and x["name"] == "NVIDIA kernel module"]
assert [x["version"] for x in module] == ["580.159.04"], module
assert module[0]["fields"]["flavour"] == {"value": "open", "source": "queried"}, module
PY
ok $? "the kernel module's version and flavour are read as an H100's machine has them" "$log"

"$EVENHAND" --set cuda.nvrtc=/none/libnvrtc.so devices > "$log" 2>&1
grep -q '^cuda .*Only what needs no kernel can run.*/none/libnvrtc.so' "$log" && grep -q '^cuda:0 ' "$log"
ok $? "without NVRTC the devices stay, and a note says what cannot run" "$log"
if "$EVENHAND" devices 2>/dev/null | grep -q 'Only what needs no kernel can run'; then
	skip "kernels on the test driver" "NVRTC is not installed (package nvidia-cuda-toolkit)"
	finish
fi

# The whole suite runs in cuda.sh; here, what must not have been skipped.
for part in graph/ peer/ transfer/shared kernel/scalar-arguments kernel/local-whole; do
	"$EVENHAND" plugin check "$so" --only "$part" --deadline 60s > "$log" 2>&1 && grep -q '^  pass' "$log" &&
		! grep -q '^  skip' "$log"
	ok $? "$part passes on every test device, and nothing of it is skipped" "$log"
done

"$EVENHAND" run "$SRC/tests/drivers/cuda-backend.ini" --on cuda:0 -o "$T/results" > "$log" 2>&1
rc=$?
[ $rc -eq 0 ]
ok $? "every workload runs and verifies" "$log"
result=$(find "$T/results" -name 'cuda-*.json' | head -n 1)
python3 -B - "$result" "$SRC/tests/drivers" > "$T/facts" 2>&1 <<'PY'
import json, sys
sys.path.insert(0, sys.argv[2])
import rows
r = json.load(open(sys.argv[1]))
text = json.dumps(r)
assert '"simulated"' in text, "not marked simulated"
assert '"ptx"' in text, "the IR is not recorded"
assert 'NVRTC' in text, "the compiler is not recorded"
assert 'from PTX by the driver' in text, "the target does not say who compiled last"
assert 'compute-capability' in text, "the hardware layer lacks its facts"
cases = r["cases"]
assert len(cases) == 74, len(cases)
wrong = rows.accused(cases)
assert not wrong, wrong
PY
ok $? "the result says simulated, PTX and who compiled it" "$T/facts"

# Copies to the other device: access is on for direct rows alone, and nowhere afterwards.
. "$SRC/tests/drivers/peers"
peers_of "$result"
peers_say 'with 1 (TEST.*direct: peer access on, performance rank 7, native atomics 1' \
	'with 1 (TEST.*staged: peer access off, performance rank 7, native atomics 1'
ok $? "rows of copies name the other device, the way, and what is told of the link" "$T/peers"
peers_access cuda:0 cuda-backend cuCtxEnablePeerAccess cuCtxDisablePeerAccess cuMemcpyPeerAsync
ok $? "peer access is on for direct copies alone" "$log"
EVENHAND_TEST_CUDA_PEER=0
export EVENHAND_TEST_CUDA_PEER
peers_run cuda:0 cuda-backend
peers_say 'unsupported .* do not reach each other.s memory' 'staged: peer access not offered'
ok $? "without access direct copies are unsupported, and staged ones say that it is not offered" "$log"
unset EVENHAND_TEST_CUDA_PEER
EVENHAND_TEST_CUDA_DEVICES=1
export EVENHAND_TEST_CUDA_DEVICES
peers_run cuda:0 cuda-backend
peers_say 'unsupported The backend sees only one device' 'unsupported The backend sees only one device'
ok $? "with one device both are unsupported" "$log"
unset EVENHAND_TEST_CUDA_DEVICES

# Tiles of 69 KiB: on a device that offers them, and on one that does not.
cat > "$T/tiles.ini" <<'END'
[protocol]
name = tiles
version = 1
intent = a product whose tiles need more than static local memory
executions = 1
seed = 42

[measure]
warmup-min = 1ms
warmup-max = 5ms
samples-min = 6
samples-max = 6
time-min = 1ms
time-max = 5ms
half-width = 50%
margin = 50%
proof = 2ms
timeout = 60s

[case gemm]
workload = gemm
precision = f32
m = 16
n = 256
k = 64
rows = 1
width = 8
vectors = 2
depth = 64
END
gemm_is() { # exit code, statuses of the row, options: runs it and looks
	rm -rf "$T/tiles"
	code=$1 statuses=$2
	shift 2
	"$EVENHAND" "$@" run "$T/tiles.ini" --on cuda:0 -o "$T/tiles" > "$log" 2>&1
	[ $? -eq "$code" ] && python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))["cases"][0]
print(c["status"], c.get("reasons"))
sys.exit(c["status"] not in sys.argv[2].split())' "$T/tiles/cuda-0.json" "$statuses" >> "$log" 2>&1
}
gemm_is 0 'valid not-converged'
ok $? "a product with 69 KiB of local memory in a group runs and verifies" "$log"
EVENHAND_TEST_CUDA_SHARED=48
export EVENHAND_TEST_CUDA_SHARED
gemm_is 7 unsupported
rc=$?
unset EVENHAND_TEST_CUDA_SHARED
ok $rc "on a device with 48 KiB it is unsupported" "$log"

# The same with static tiles, which NVRTC's assembler refuses, or the driver's.
mkdir -p "$T/static"
cp "$BUILD/lib/evenhand/workloads/gemm.so" "$T/static/"
{
	printf '#undef EH_LOCAL_AT\n#define EH_LOCAL_AT(T, name, count, at) EH_LOCAL(T, name[count])\n'
	cat "$SRC/workloads/gemm/gemm.k"
} > "$T/static/gemm.k"
EVENHAND_WORKLOAD_PATH=$T/static
export EVENHAND_WORKLOAD_PATH
for code in cubin ptx; do
	gemm_is 7 unsupported --set "cuda.code=$code" && grep -q 'more static local memory than' "$log"
	ok $? "cuda.code=$code: static tiles of that size are unsupported, with the remedy" "$log"
done
unset EVENHAND_WORKLOAD_PATH

# Errors, each planted in the driver.
planted() { # fault, part of test names, words that must be said
	EVENHAND_TEST_FAULT=$1 timeout 60 "$EVENHAND" plugin check "$so" --device 0 --only "$2" --deadline 20s > "$log" 2>&1
	rc=$?
	[ $rc -ne 0 ] && [ $rc -lt 124 ] && grep -q "$3" "$log"
	ok $? "$1: $3" "$log"
}
planted 'cuMemAlloc_v2@1+=2' buffer/alignment 'cuMemAlloc returned CUDA_ERROR_OUT_OF_MEMORY (2).*nvidia-smi'
planted 'cuLaunchKernel@1=700' kernel/values 'CUDA_ERROR_ILLEGAL_ADDRESS (700).*new process'
planted 'cuStreamCreate@1+=802' queue/two-queues 'CUDA_ERROR_SYSTEM_NOT_READY (802).*nvidia-fabricmanager'
planted 'cuInit=803' device/info 'CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803).*two versions'
EVENHAND_TEST_FAULT='cuInit=100' "$EVENHAND" devices > "$log" 2>&1
grep -q '^cuda .*sees no device.*nvidia-smi' "$log"
ok $? "a driver without a device is a note, not an error" "$log"
finish
