#!/bin/sh
# The script for device machines: it never ends half-way in silence, keeps to its time, and says why
# what did not run; it finds whose devices there are; and its steps run on AMD's and Intel's test
# drivers.  What it runs is tested elsewhere.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
log=$T/log

# No time at all: every step is there as skipped, and the end is reached.
BUILD=$BUILD sh "$SRC/tests/device/run.sh" "$T/none" 0 > "$log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^skip  devices: no time is left of 0 minutes' "$log" && grep -q ' 0 failed, .*everything is in ' "$log"
ok $? "without time it skips, says so, and ends" "$log"
[ -f "$T/none/summary.txt" ] && [ -f "$T/none/replay/proc/cpuinfo" ] && [ -f "$T/none/replay/proc/sys/kernel/osrelease" ] &&
	[ -f "$T/none/replay/sys/devices/system/cpu/isolated" ]
ok $? "and keeps what the machine says of itself" "$log"

# A program that does not start.
mkdir -p "$T/broken/bin"
printf '#!/bin/sh\necho "version GLIBC_9.99 not found"\nexit 1\n' > "$T/broken/bin/evenhand"
chmod +x "$T/broken/bin/evenhand"
BUILD=$T/broken sh "$SRC/tests/device/run.sh" "$T/cannot" 1 > "$log" 2>&1
[ $? -eq 2 ] && grep -q 'does not start: version GLIBC_9.99' "$log" && grep -q 'build on a system as old' "$log"
ok $? "a program that does not start is told from one that fails" "$log"

# A program whose every command hangs or fails: every step is a failure of its own, and the last is reached.
mkdir -p "$T/hangs/bin" "$T/hangs/lib/evenhand/backends" "$T/hangs/share/evenhand/protocols"
for name in gpu-quick ai-quick numerics-1; do
	: > "$T/hangs/share/evenhand/protocols/$name.ini"
done
cat > "$T/hangs/bin/evenhand" <<'HANGS'
#!/bin/sh
case $1 in
version) echo "evenhand of a test" ;;
devices) [ $# -gt 1 ] || echo "cuda:0 TEST"; [ "${2:-}" != -v ] || exit 3 ;;
run) exit 7 ;;
*) exit 1 ;;
esac
HANGS
chmod +x "$T/hangs/bin/evenhand"
: > "$T/hangs/lib/evenhand/backends/cuda.so"
BUILD=$T/hangs sh "$SRC/tests/device/run.sh" "$T/failing" 2 > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL  conformance-cuda: exit code 1' "$log" && grep -q '^FAIL  workloads-cuda: exit code 7' "$log" &&
	grep -q '^FAIL  probes: exit code 3' "$log" && grep -q ' passed, [1-9][0-9]* failed' "$log"
ok $? "steps that fail are named, and the others still run" "$log"
[ "$(sed -n 's/^FAIL  \([a-z0-9-]*\)-cuda: exit code 7.*/\1/p' "$log" | tr '\n' ' ')" = "workloads ai-quick numerics-1 gpu-quick " ]
ok $? "what models do and what arithmetic does come before the other protocols" "$log"

# Whose devices are on the bus, what they say of themselves, and which of the vendors' tools are missing.
pci() { # ADDRESS CLASS VENDOR MODULE
	mkdir -p "$T/sys/bus/pci/devices/$1/driver" "$T/sys/module/$4"
	echo "$2" > "$T/sys/bus/pci/devices/$1/class"
	echo "$3" > "$T/sys/bus/pci/devices/$1/vendor"
	echo 16 > "$T/sys/bus/pci/devices/$1/current_link_width"
	echo "6.1-$4" > "$T/sys/module/$4/version"
	ln -sf "../../../module/$4" "$T/sys/bus/pci/devices/$1/driver/module"
}
pci 0000:03:00.0 0x038000 0x1002 amdgpu
pci 0000:4d:00.0 0x120000 0x8086 xe
pci 0000:00:1f.0 0x060100 0x8086 lpc
mkdir -p "$T/sys/class/kfd/kfd/topology/nodes/1" "$T/tools"
echo 'simd_count 440' > "$T/sys/class/kfd/kfd/topology/nodes/1/properties"
printf '#!/bin/sh\necho "Name: gfx90a"\n' > "$T/tools/rocminfo"
chmod +x "$T/tools/rocminfo"
for name in sh env dirname basename cat mkdir date tee timeout head grep cut readlink ln rm sed stat uname; do
	ln -sf "$(command -v $name)" "$T/tools/$name"
done
PATH=$T/tools DEVICE_SYS=$T/sys BUILD=$T/hangs sh "$SRC/tests/device/run.sh" "$T/whose" 2 rocm smi > "$log" 2>&1
rc=$?
[ $rc -eq 0 ] && grep -q '^pass  rocminfo' "$log" && grep -q '^skip  rocm-smi: rocm-smi is not installed' "$log" &&
	grep -q '^skip  xpu-smi: xpu-smi is not installed' "$log" && ! grep -q 'nvidia-smi' "$log"
ok $? "the tools of AMD and Intel are asked where they have devices, and NVIDIA's where it has" "$log"
! grep -q 'conformance\|workloads\|probes' "$log" && grep -q '^pass  devices ' "$log"
ok $? "only the steps that were named run, and the devices" "$log"
replay=$T/whose/replay/sys
[ "$(cat "$replay/module/amdgpu/version")" = 6.1-amdgpu ] && [ -f "$replay/class/kfd/kfd/topology/nodes/1/properties" ] &&
	[ "$(cat "$replay/bus/pci/devices/0000:4d:00.0/current_link_width")" = 16 ] &&
	[ "$(readlink "$replay/bus/pci/devices/0000:03:00.0/driver/module")" = ../../../module/amdgpu ] &&
	[ ! -e "$replay/bus/pci/devices/0000:00:1f.0" ]
ok $? "what the bus says of accelerators is kept, of nothing else" "$log"

# Steps of the real program on the test drivers.
steps() { # TEXT BACKEND STEP...
	text=$1 backend=$2
	shift 2
	rm -rf "${T:?}/$backend"
	DEVICE_SYS=$T/none EVENHAND_TEST_PROGRESS=20 BUILD=$BUILD sh "$SRC/tests/device/run.sh" "$T/$backend" 5 "$@" > "$log" 2>&1
	rc=$?
	for name in devices "$@"; do
		grep -q "^pass  $name " "$log" || rc=1
	done
	[ $rc -eq 0 ] && grep -q "\"$backend\"" "$T/$backend/replay/devices.json"
	ok $? "$text" "$log"
}
skipped() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
drivers=$BUILD/tests/drivers
text="on AMD's test runtime the backend is found, and checked with its compiler in a child"
if [ ! -f "$drivers/hip7/libamdhip64.so.7" ]; then
	skipped "$text" "the test runtime of HIP was not built (package libamdhip64-dev)"
elif ! echo 'int main(){return 0;}' | $CC -x c++ -c -o "$T/probe.o" - 2>/dev/null; then
	skipped "$text" "$CC knows no C++, which the test hiprtc needs (package g++)"
else
	EVENHAND_TEST_CACHE=$drivers/hip-cache
	export EVENHAND_TEST_CACHE
	mkdir -p "$EVENHAND_TEST_CACHE" && chmod 700 "$EVENHAND_TEST_CACHE"
	LD_LIBRARY_PATH=$drivers/hip7${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	steps "$text" hip devices-json conformance-hip-apart
fi
text="on NVIDIA's test driver the library of products is called directly, too"
if [ ! -f "$drivers/cuda/libcublasLt.so.12" ]; then
	skipped "$text" "the test driver of CUDA was not built (CUDA's headers)"
elif [ -n "${SANITIZE:-}" ]; then
	skipped "$text" "the program that calls it has no sanitizer, which its library needs first"
else
	kept=${LD_LIBRARY_PATH:-} LD_LIBRARY_PATH=$drivers/cuda DIRECT="bf16 64 e4m3 64"
	export LD_LIBRARY_PATH DIRECT
	steps "$text" cuda devices-json direct-cuda
	[ "$(grep -c '64: algorithm 13, ' "$T/cuda/logs/direct-cuda.txt")" = 2 ]
	ok $? "each product has a line with the algorithm that was offered first and can be used" "$T/cuda/logs/direct-cuda.txt"
	LD_LIBRARY_PATH=$kept
fi
text="on Intel's test driver the backend is found, and checked with regular lists and with barriers"
EVENHAND_TEST_TRANSLATOR=$(sh "$SRC/build-aux/llvm-pair.sh")
EVENHAND_TEST_TRANSLATOR=${EVENHAND_TEST_TRANSLATOR#* }
export EVENHAND_TEST_TRANSLATOR
if [ ! -f "$drivers/levelzero/libze_test.so" ] || [ -z "$EVENHAND_TEST_TRANSLATOR" ] ||
	[ ! -f /etc/OpenCL/vendors/pocl.icd ] || ! ldconfig -p | grep -q libze_loader; then
	skipped "$text" "the test driver (package libze-dev), its loader, translator or PoCL is not there"
else
	ZE_ENABLE_ALT_DRIVERS=$drivers/levelzero/libze_test.so OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
	export ZE_ENABLE_ALT_DRIVERS OCL_ICD_VENDORS
	steps "$text" levelzero devices-json conformance-levelzero-regular conformance-levelzero-barriers
fi

# What is packed is checked before it is packed.
! sh "$SRC/tests/device/pack.sh" "$T/hangs/nothing" "$T/pack" > "$log" 2>&1 && [ ! -e "$T/pack" ]
ok $? "a folder without a build is not packed" "$log"
! sh "$SRC/tests/device/pack.sh" "$T/broken" "$T/pack" > "$log" 2>&1 && [ ! -e "$T/pack" ] &&
	grep -q 'without a backend for accelerators' "$log"
ok $? "nor is a build without a backend for accelerators" "$log"
mkdir -p "$T/amd/bin" "$T/amd/share/evenhand/protocols" "$T/amd/lib/evenhand/backends"
cp "$T/hangs/bin/evenhand" "$T/amd/bin/"
: > "$T/amd/lib/evenhand/backends/hip.so"
NVRTC=$T sh "$SRC/tests/device/pack.sh" "$T/amd" "$T/pack" > "$log" 2>&1 && grep -q ' MiB, for hip$' "$log" &&
	tar tzf "$T/pack.tar.gz" | grep -q '^pack/tree/lib/evenhand/backends/hip.so$' && [ -f "$T/pack/run.sh" ]
ok $? "one for AMD is packed without NVRTC" "$log"

# The libraries of C++ that are packed: for a program that needs a version of them which the target has,
# the target's own are taken, because its drivers were made for those; else the packed ones.
mkdir -p "$T/newer" "$T/target" "$T/cxx/share/evenhand/protocols" "$T/cxx/lib/evenhand/backends" "$T/cxx/bin"
echo 'int newer_one(void) { return 0; }' > "$T/newer.c"
echo 'NEWER_9.9 { newer_one; };' > "$T/newer.map"
$CC -shared -fPIC -Wl,-soname,libstdc++.so.6 -Wl,--version-script="$T/newer.map" -o "$T/newer/libstdc++.so.6" "$T/newer.c" &&
	$CC -shared -fPIC -Wl,-soname,libstdc++.so.6 -o "$T/target/libstdc++.so.6" "$T/newer.c"
cat > "$T/cxx.c" <<'CXX'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int newer_one(void);
int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "devices") == 0)
		puts(getenv("LD_LIBRARY_PATH"));
	return NEEDED;
}
CXX
cp "$T/amd/lib/evenhand/backends/hip.so" "$T/cxx/lib/evenhand/backends/"
packed() { # NEEDED: the program's use of the newer version
	rm -rf "$T/cxx-pack" "$T/cxx-pack.tar.gz" "$T/cxx-out"
	$CC -DNEEDED="$1" -o "$T/cxx/bin/evenhand" "$T/cxx.c" -Wl,--no-as-needed "$T/newer/libstdc++.so.6" &&
		LD_LIBRARY_PATH=$T/newer sh "$SRC/tests/device/pack.sh" "$T/cxx" "$T/cxx-pack" > "$log" 2>&1 &&
		[ -f "$T/cxx-pack/libraries/cxx/libstdc++.so.6" ] && [ ! -e "$T/cxx-pack/libraries/libstdc++.so.6" ] &&
		DEVICE_SYS=$T/none LD_LIBRARY_PATH=$T/target sh "$T/cxx-pack/run.sh" "$T/cxx-out" 2 devices >> "$log" 2>&1 &&
		grep -q '^pass  devices ' "$log"
}
packed 0 && [ "$(cat "$T/cxx-out/logs/devices.txt")" = "$T/cxx-pack/libraries:$T/target" ]
ok $? "the target's own libraries of C++ go before the packed ones" "$log"
packed 'newer_one()' && [ "$(cat "$T/cxx-out/logs/devices.txt")" = "$T/cxx-pack/libraries/cxx:$T/cxx-pack/libraries:$T/target" ]
ok $? "where the target's are too old, the packed ones are taken" "$log"
echo "1..$n"
exit $bad
