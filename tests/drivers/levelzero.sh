#!/bin/sh
# The levelzero backend, as shipped, behind the real loader on the test driver: the conformance suite in
# every way of working, the loader's validation layer, the sweep that makes each call fail once, drivers
# that lie, and mistakes planted in the backend.
. "$SRC/tests/drivers/levelzero/setup"

# What is said when a part is missing.
says() { # setting, words
	"$EVENHAND" --set "levelzero.$1" devices > "$log" 2>&1
	grep -q "^levelzero .*$2" "$log"
	ok $? "$1: $2" "$log"
}
says library=/none/libze.so '/none/libze.so cannot be opened .*install the package libze1'
says library=libm.so.6 'libm.so.6 has no zeInit; .*update libze1'
says lists=never 'levelzero.lists is never, and it can be auto, regular or immediate'
says order=never 'levelzero.order is never, and it can be auto, list or barriers'
says compiler=never 'levelzero.compiler is never, and it can be auto, prebuilt, ocloc or clang'
nm -D --defined-only "$so" | grep -v ' eh_backend_entry_v1$' > "$log"
[ ! -s "$log" ]
ok $? "it exports one symbol" "$log"
! ldd "$so" | grep -q 'libze_loader'
ok $? "it links no library of a vendor"

# The SPIR-V that was made with the project.
if [ -f "$spirv/compiler" ] && command -v spirv-val >/dev/null 2>&1; then
	count=0
	: > "$log"
	for f in "$spirv"/*.spv; do
		count=$((count + 1))
		spirv-val --target-env opencl1.2 "$f" >> "$log" 2>&1 || echo "$f" >> "$log"
	done
	[ $count -gt 10 ] && [ ! -s "$log" ]
	ok $? "spirv-val accepts all prebuilt kernels" "$log"
	"$EVENHAND" kernels "$T/kernels" > "$log" 2>&1 && [ "$(find "$T/kernels" -name '*.c' | wc -l)" -eq $count ]
	ok $? "every kernel of the released protocols is among them" "$log"
else
	skip "spirv-val accepts all prebuilt kernels" "no SPIR-V was prebuilt, or the validator is not installed (package spirv-tools)"
fi

levelzero_driver
[ "$(grep -c '^levelzero:[0-9.]* .*TEST .*simulated' "$log")" -eq 4 ] && grep -q '^levelzero:0.1 .*tile 1' "$log"
ok $? "two devices and the two tiles of the first are listed and simulated" "$log"
grep -q '^driver *Level Zero driver  *1.2.345' "$log" && grep -q '^runtime *Level Zero loader  *[1-9]' "$log" &&
	grep -q '^compiler *clang + llvm-spirv' "$log"
ok $? "layers name driver, loader and compilers with versions" "$log"
grep -q '^sensors: sysman .*simulated.*levelzero:0.1' "$log"
ok $? "the sysman probe reads its sensors through the loader, and finds device and tiles" "$log"
"$EVENHAND" devices --json > "$log" 2>&1
grep -q '0000:4d:00.0' "$log" && grep -q '11111111-1111-1111-1111-111111110002' "$log"
ok $? "a tile has the address of its card and a UUID of its own" "$log"
EVENHAND_TEST_ZE=devices=0 "$EVENHAND" devices > "$log" 2>&1
grep -q '^levelzero .*finds no device: .*intel-level-zero-gpu' "$log"
ok $? "a loader without a device is a note that says what to install" "$log"

# The suite: it asks whether work begins although nobody waits, so the driver is told to do that.
suite() { # text, arguments
	text=$1
	shift
	EVENHAND_TEST_PROGRESS=20 "$EVENHAND" "$@" --deadline 60s > "$log" 2>&1
	rc=$?
	[ $rc -eq 0 ] && grep -q ' passed, .* 0 failed' "$log"
	ok $? "$text" "$log"
}
ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1
export ZE_ENABLE_VALIDATION_LAYER ZE_ENABLE_PARAMETER_VALIDATION
suite "the conformance suite passes under the loader's validation layer" plugin check "$so" --device 0
for test in graph/records graph/order peer/copy peer/wait-mark kernel/fp64 mark/clock mark/passed; do
	grep -q "^  pass  $test\$" "$log"
	ok $? "$test ran" "$log"
done
EVENHAND_TEST_ZE=api=109
export EVENHAND_TEST_ZE
suite "a flag that the loader does not know is done without" plugin check "$so" --device 0 --only queue/in-order
unset ZE_ENABLE_VALIDATION_LAYER ZE_ENABLE_PARAMETER_VALIDATION
for part in queue graph; do
	suite "$part in lists that keep order by themselves" plugin check "$so" --device 0 --only $part
done
unset EVENHAND_TEST_ZE
for part in queue graph mark; do
	suite "$part with regular lists" --set levelzero.lists=regular plugin check "$so" --device 0 --only $part
done
EVENHAND_TEST_FAULT='zeCommandListCreateImmediate@1+=unsupported'
export EVENHAND_TEST_FAULT
suite "regular lists are taken where there are no others" plugin check "$so" --device 0 --only queue/many
unset EVENHAND_TEST_FAULT
EVENHAND_TEST_ZE='peer=0 bits=26 api=101 hertz=12500000'
export EVENHAND_TEST_ZE
suite "copies through the host between devices that do not reach each other" plugin check "$so" --device 1 --only peer
suite "a clock of version 1.1 that begins again every 5 seconds" plugin check "$so" --device 3 --only mark/elapsed
EVENHAND_TEST_ZE='bits=12'
suite "a clock that begins again too often is not believed" plugin check "$so" --device 0 --only mark/wait
EVENHAND_TEST_ZE='bits=0'
suite "a device without a clock gives no times, and all else works" plugin check "$so" --device 0 --only mark
unset EVENHAND_TEST_ZE
"$EVENHAND" --set levelzero.compiler=clang plugin check "$so" --device 0 --only program --deadline 60s > "$log" 2>&1
ok $? "programs are built by clang and the translator" "$log"

# Intel's compiler is not here: a program that takes its arguments stands in for it.
mkdir -p "$T/bin"
cat > "$T/bin/ocloc" <<SH
#!/bin/sh
[ "\$1" = --version ] && echo "ocloc stand-in 1.0" && exit 0
[ "\$1 \$2 \$3 \$4 \$5 \$6" = "compile -q -file kernel.cl -device 0x0bd5" ] && [ "\$7 \$8" = "-spv_only -options" ] || exit 9
$clang -x cl "\$9" -target spir64 -Xclang -finclude-default-header -O1 -Xclang -disable-llvm-passes -emit-llvm -c kernel.cl -o k.bc &&
	$EVENHAND_TEST_TRANSLATOR --spirv-max-version=1.0 k.bc -o kernel_pvc.spv
SH
chmod +x "$T/bin/ocloc"
"$EVENHAND" --set levelzero.compiler=ocloc --set "levelzero.ocloc=$T/bin/ocloc" plugin check "$so" --device 0 --only program --deadline 60s > "$log" 2>&1
ok $? "programs are built by what is called like ocloc" "$log"
"$EVENHAND" --set levelzero.compiler=ocloc --set levelzero.ocloc=/none plugin check "$so" --device 0 --only program/macros > "$log" 2>&1
rc=$?
[ $rc -ne 0 ] && grep -q 'nothing here makes SPIR-V: install the package intel-ocloc' "$log"
ok $? "without a compiler, what to install" "$log"

# Pageable memory is given to the driver as it is, and copied by the engines that only copy.
copies() { # API
	EVENHAND_TEST_ZE=api=$1 EVENHAND_TEST_CALLS=$T/copies.$1 "$EVENHAND" plugin check "$so" --device 0 --only transfer --deadline 60s > "$log" 2>&1 &&
		grep -q '^copy of pageable memory$' "$T/copies.$1"
}
copies 104 && ! grep -q '^copy engine$' "$T/copies.104"
ok $? "a driver that does not know how to offload copies takes pageable memory" "$log"
copies 115 && grep -q '^copy engine$' "$T/copies.115"
ok $? "a driver that does is asked to use the engines that only copy" "$log"

# Each call fails once.
mkdir -p "$T/binaries"
EVENHAND_SWEEP_NO_PRODUCTS=1 "$BUILD/tests/drivers/sweep" "$so" "$SRC/workloads/dialect.h" "$T/binaries" "$driver" unknown \
	zeDeviceGetComputeProperties zeDeviceGetModuleProperties zeDeviceGetMemoryProperties \
	zeDeviceGetMemoryAccessProperties zeDeviceGetCacheProperties zeDevicePciGetPropertiesExt \
	zeDeviceGetSubDevices zeModuleGetNativeBinary zeModuleBuildLogGetString > "$T/sweep" 2>&1
ok $? "every call fails once: one error each or a fact unknown because of it, no crash, nothing left" "$T/sweep"
[ "$(grep -c '^ok' "$T/sweep")" -gt 45 ]
ok $? "the sweep meets more than 45 functions" "$T/sweep"
# oneDNN's take a status where the loader's take an error.
EVENHAND_TEST_ZE='api=107 tiles=0' EVENHAND_SWEEP_onednn=$BUILD/tests/drivers/onednn/ze/libdnnl.so.3 \
	EVENHAND_SWEEP_ONLY='dnnl_engine dnnl_matmul dnnl_memory dnnl_post dnnl_primitive dnnl_stream dnnl_ze' \
	"$BUILD/tests/drivers/sweep" "$so" "$SRC/workloads/dialect.h" "$T/binaries" "$driver" 5 > "$T/sweep" 2>&1
ok $? "so does every call of oneDNN" "$T/sweep"
[ "$(grep -c '^ok .*dnnl_' "$T/sweep")" -eq 21 ]
ok $? "all 21 that a product makes" "$T/sweep"

# Drivers that lie.
planted() { # fault, part of test names, words that must be said
	EVENHAND_TEST_FAULT=$1 timeout 60 "$EVENHAND" plugin check "$so" --device 0 --only "$2" --deadline 20s > "$log" 2>&1
	rc=$?
	[ $rc -ne 0 ] && [ $rc -lt 124 ] && grep -q "$3" "$log"
	ok $? "$1: $3" "$log"
}
planted 'zeMemAllocDevice@1+=oom' buffer/alignment 'zeMemAllocDevice returned ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY'
planted 'zeModuleCreate@1+=build' kernel/values 'zeModuleCreate returned ZE_RESULT_ERROR_MODULE_BUILD_FAILURE'
planted 'zeInit=0x70020000' device/info 'ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE.*libigc'
planted 'lost@1' transfer/copy 'ZE_RESULT_ERROR_DEVICE_LOST.*dmesg'
planted early transfer/copy '^  fail '
planted 'wrong@2+' transfer/copy '^  fail '
planted 'stale@2+' transfer/copy '^  fail '
planted 'clock@2=jump' mark/elapsed 'longer than the host saw'
# A host that is preempted behind its own call: the device's time is right, and stays so.
EVENHAND_TEST_FAULT='zeCommandListAppendWriteGlobalTimestamp@1+=linger:30'
export EVENHAND_TEST_FAULT
EVENHAND_TEST_PROGRESS=1 "$EVENHAND" plugin check "$so" --device 0 --only mark/elapsed --deadline 20s > "$log" 2>&1
ok $? "a host that is preempted between a mark and its clock gets the device's times" "$log"
unset EVENHAND_TEST_FAULT

# Mistakes planted in the backend must be found by the suite.
mistake() { # text, file, sed script, part of test names
	rm -rf "$T/planted"
	mkdir -p "$T/planted"
	sed "$3" "$SRC/backends/levelzero/$2" > "$T/planted/$2"
	if cmp -s "$SRC/backends/levelzero/$2" "$T/planted/$2"; then
		ok 1 "$1: nothing was planted"
		return
	fi
	others=$(find "$BUILD/obj/backends/levelzero" -name '*.o' ! -name "${2%.c}.o")
	# CC, SANITIZE and the list of objects may be several words.
	# shellcheck disable=SC2086
	$CC -std=gnu17 -D_GNU_SOURCE -w -O0 ${SANITIZE:-} -fPIC -shared -fvisibility=hidden -I"$SRC/core/include" -I"$SRC/backends" \
		-I"$SRC/backends/levelzero" -o "$T/planted/levelzero.so" "$T/planted/$2" $others "$BUILD/obj/backends/shared.a" > "$log" 2>&1 || {
		ok 1 "$1: does not compile" "$log"
		return
	}
	timeout 60 "$EVENHAND" plugin check "$T/planted/levelzero.so" --device 0 --only "$4" --deadline 20s > "$log" 2>&1
	rc=$?
	[ $rc -eq 1 ] && grep -q '^  fail ' "$log"
	ok $? "$1 is found" "$log"
}
mistake "a missing barrier between commands" lz_queue.c 's/|| !q->behind ||/|| q->behind ||/' queue/in-order
mistake "a missing wait" lz_events.c 's/rc = d->api->event_wait(event->handle, UINT64_MAX);/rc = ZE_RESULT_SUCCESS;/' transfer/upload
mistake "a missing reset of an event" lz_events.c 's/const ze_result_t rc = d->api->event_reset(event->handle);/const ze_result_t rc = ZE_RESULT_SUCCESS;/' transfer/upload
mistake "a graph that does not wait for what is before it" lz_graphs.c 's/rc = append_gate(q, graph->list, &graph->enter, &where);/rc = ZE_RESULT_SUCCESS;/' graph
mistake "a copy to the other device without its offset" lz_peers.c 's/to->address + to_offset/to->address/' peer/copy
finish
