#!/bin/sh
# Runs what evenhand has to say about the accelerators of a machine with a driver but without
# packages or network: conformance suite, every workload, the released protocols; and keeps results,
# logs and what the devices say of themselves in one folder.  Works in what pack.sh made, and in a
# source tree with a build folder (BUILD).
# usage: run.sh [OUT] [MINUTES [STEP...]]
#        OUT: device-results; MINUTES: all of it takes at most so long (25); STEP: only `devices`, and
#        the steps with one of these words in their names
# Every step has a time limit, is written down with its outcome, and never ends the others.
# Environment: BUILD, DEVICE_SYS for another place than /sys, and DIRECT, the types and sizes of products
# that cuBLASLt makes when it is called directly (cublaslt.c).
# Exit code: 0 all steps passed or were skipped with a reason; 1 some failed; 2 nothing could start.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-device-results}
minutes=${2:-25}
words=
if [ $# -gt 2 ]; then
	shift 2
	words=$*
fi
sys=${DEVICE_SYS:-/sys}
# ROCm's tools lie where no PATH leads.
PATH=$PATH:/opt/rocm/bin
if [ -d "$here/tree" ]; then
	tree=$here/tree
	LD_LIBRARY_PATH=$here/libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	# This machine's libraries of C++, which its drivers were made for; ours where it has none, or too old ones.
	"$tree/bin/evenhand" version >/dev/null 2>&1 || LD_LIBRARY_PATH=$here/libraries/cxx:$LD_LIBRARY_PATH
else
	tree=${BUILD:-$here/../../build}
fi
evenhand=$tree/bin/evenhand
mkdir -p "$out/replay" "$out/logs" || exit 2
out=$(cd "$out" && pwd)
EVENHAND_CACHE_DIR=$out/cache
export EVENHAND_CACHE_DIR LC_ALL=C
began=$(date +%s)
end=$((began + minutes * 60))
failed=0 passed=0 skipped=0
: >"$out/summary.txt"

say() {
	echo "$*" | tee -a "$out/summary.txt"
}
left() { echo $((end - $(date +%s))); }
wanted() { # STEP
	[ -n "$words" ] && [ "$1" != devices ] || return 0
	for word in $words; do
		case $1 in *"$word"*) return 0 ;; esac
	done
	return 1
}
# step NAME SECONDS COMMAND...: stdout and stderr go to logs/NAME.txt, or stdout to the file $to
to=
step() {
	name=$1 limit=$2
	wanted "$name" || return 0
	shift 2
	[ "$limit" -le "$(left)" ] || limit=$(left)
	if [ "$limit" -lt 5 ]; then
		say "skip  $name: no time is left of $minutes minutes"
		skipped=$((skipped + 1))
		return 1
	fi
	start=$(date +%s)
	if [ -n "$to" ]; then
		timeout -k 10 "$limit" "$@" >"$to" 2>"$out/logs/$name.txt" </dev/null
	else
		timeout -k 10 "$limit" "$@" >"$out/logs/$name.txt" 2>&1 </dev/null
	fi
	rc=$?
	took=$(($(date +%s) - start))
	case $rc in
	0) say "pass  $name ($took s)" && passed=$((passed + 1)) ;;
	124 | 137) say "FAIL  $name: stopped after $limit s; logs/$name.txt" && failed=$((failed + 1)) ;;
	*) say "FAIL  $name: exit code $rc after $took s; logs/$name.txt" && failed=$((failed + 1)) ;;
	esac
	return $rc
}
skip() {
	wanted "$1" || return 0
	say "skip  $1: $2"
	skipped=$((skipped + 1))
}
finish() {
	rm -rf "$out/cache"
	say "$passed passed, $failed failed, $skipped skipped in $(($(date +%s) - began)) s; everything is in $out"
	[ "$failed" -eq 0 ]
	exit $?
}
# An interrupted run still says how far it came.
trap 'say "FAIL  interrupted"; failed=$((failed + 1)); finish' INT TERM

if ! "$evenhand" version >"$out/logs/version.txt" 2>&1; then
	say "FAIL  $evenhand does not start: $(head -n 1 "$out/logs/version.txt")"
	say "      A message about GLIBC means: build on a system as old as this one."
	exit 2
fi
say "$(head -n 1 "$out/logs/version.txt")"

# What the machine says of itself, in the form that tests/replay keeps.
keep() { # FILE [NAME THERE]
	[ -r "$1" ] || return 0
	mkdir -p "$out/replay$(dirname "${2:-$1}")"
	cat "$1" >"$out/replay${2:-$1}" 2>/dev/null
}
for file in /proc/cpuinfo /proc/meminfo /proc/stat /proc/loadavg /proc/cmdline /proc/1/cgroup /proc/version \
	/proc/sys/kernel/osrelease /proc/sys/kernel/version /proc/sys/kernel/randomize_va_space \
	/proc/sys/kernel/numa_balancing /proc/driver/nvidia/version /proc/driver/nvidia/params \
	/proc/driver/nvidia/gpus/*/information /etc/os-release /etc/debian_version /.dockerenv /run/.containerenv \
	/opt/rocm/.info/version; do
	keep "$file"
done
for file in kernel/mm/transparent_hugepage/enabled devices/system/cpu/smt/control devices/system/cpu/isolated \
	devices/system/clocksource/clocksource0/current_clocksource fs/cgroup/cpu.max fs/cgroup/memory.max; do
	keep "$sys/$file" "/sys/$file"
done
for module in nvidia amdgpu i915 xe; do
	keep "$sys/module/$module/version" "/sys/module/$module/version"
	keep "$sys/module/$module/srcversion" "/sys/module/$module/srcversion"
done
for node in "$sys"/class/kfd/kfd/topology/nodes/*; do # as AMD's compute driver numbers its devices
	keep "$node/properties" "/sys/class/kfd/kfd/topology/nodes/$(basename "$node")/properties"
done
# Displays and accelerators on the bus, and whose they are.
vendors=
for device in "$sys"/bus/pci/devices/*; do
	case $(cat "$device/class" 2>/dev/null) in 0x03* | 0x12*) ;; *) continue ;; esac
	there=/sys/bus/pci/devices/$(basename "$device")
	for file in vendor device subsystem_vendor subsystem_device revision class numa_node vbios_version \
		max_link_speed max_link_width current_link_speed current_link_width mem_info_vram_total; do
		keep "$device/$file" "$there/$file"
	done
	if module=$(readlink "$device/driver/module"); then
		mkdir -p "$out/replay$there/driver" && ln -sf "$module" "$out/replay$there/driver/module"
	fi
	case $(cat "$device/vendor" 2>/dev/null) in
	0x10de) vendors="$vendors nvidia" ;;
	0x1002) vendors="$vendors amd" ;;
	0x8086) vendors="$vendors intel" ;;
	esac
done
# What the vendor's own tools say; one that is missing where the vendor has a device is written down.
tool() { # VENDOR STEP SECONDS COMMAND...
	vendor=$1 name=$2
	shift 2
	if command -v "$2" >/dev/null 2>&1; then
		step "$name" "$@"
	else
		case " $vendors " in *" $vendor "*) skip "$name" "$2 is not installed" ;; esac
	fi
}
tool nvidia nvidia-smi 60 nvidia-smi -q
tool nvidia nvidia-smi-topology 30 nvidia-smi topo -m
tool amd rocminfo 60 rocminfo
tool amd rocm-smi 60 rocm-smi --showall
tool amd rocm-smi-topology 30 rocm-smi --showtopo
tool amd amd-smi 60 amd-smi static
tool intel xpu-smi 60 xpu-smi discovery
tool intel xpu-smi-topology 30 xpu-smi topology -m
# AMD's and Intel's devices are files, which belong to a group.
for file in /dev/kfd /dev/dri/renderD*; do
	[ ! -e "$file" ] || { [ -r "$file" ] && [ -w "$file" ]; } ||
		say "note  this user may not use $file: it needs the group $(stat -c %G "$file")"
done

step devices 120 "$evenhand" devices
step devices-fields 120 "$evenhand" devices --fields
step probes 120 "$evenhand" devices -v
to=$out/replay/devices.json
step devices-json 120 "$evenhand" devices -v --json
to=

usable=
for backend in cuda opencl hip levelzero; do
	so=$tree/lib/evenhand/backends/$backend.so
	if [ ! -f "$so" ]; then
		skip "$backend" "the tree was built without it"
	elif ! grep -q "^$backend:" "$out/logs/devices.txt" 2>/dev/null; then
		skip "$backend" "no device; $(grep "^$backend " "$out/logs/devices.txt" 2>/dev/null | head -n 1 | cut -c1-300)"
	else
		usable="$usable $backend"
	fi
done
for backend in $usable; do
	so=$tree/lib/evenhand/backends/$backend.so
	step "conformance-$backend" 420 "$evenhand" plugin check "$so" --deadline 60s
done
# The other ways in which a backend can be told to work.
variant() { # BACKEND NAME SETTING TESTS
	case " $usable " in *" $1 "*)
		step "conformance-$1-$2" 300 "$evenhand" --set "$1.$3" plugin check "$tree/lib/evenhand/backends/$1.so" \
			--only "$4" --device 0
		;;
	esac
}
variant cuda ptx code=ptx kernel/
variant hip apart compile=apart kernel/
variant levelzero regular lists=regular queue/
variant levelzero barriers order=barriers queue/
for backend in $usable; do
	# 152 cases, about 2 s each on an H100.
	step "workloads-$backend" 600 "$evenhand" run "$here/device.ini" --on "$backend" -o "$out/device-$backend"
done
# What rows of the vendor's tier are held against.
direct() {
	[ "$(left)" -ge 5 ] || { skip direct-cuda "no time is left of $minutes minutes" && return; }
	program=$here/cublaslt
	if [ ! -x "$program" ]; then
		program=$out/cublaslt
		cc -O2 -o "$program" "$here/cublaslt.c" -ldl -lm >"$out/logs/direct-cuda.txt" 2>&1 || {
			skip direct-cuda "cublaslt.c was not packed as a program, and cc does not compile it"
			return
		}
	fi
	for version in 13 12 11; do
		for place in "" "${CUDA_HOME:-/usr/local/cuda}/lib64/" /usr/local/cuda/lib64/; do
			timeout -k 5 30 "$program" "${place}libcublasLt.so.$version" >/dev/null 2>&1 || continue
			# shellcheck disable=SC2086 # each word is an argument
			step direct-cuda 60 "$program" "${place}libcublasLt.so.$version" \
				${DIRECT:-bf16 8192 bf16 4096 f16 4096 e4m3 8192 e4m3 4096 f32 4096}
			return
		done
	done
	skip direct-cuda "no cuBLASLt of CUDA 11 to 13 can be opened"
}
case " $usable " in *" cuda "*) ! wanted direct-cuda || direct ;; esac
for protocol in ai-quick numerics-1 gpu-quick quick ceilings-2 stream-2 gemm-2 system-3; do
	[ -f "$tree/share/evenhand/protocols/$protocol.ini" ] || continue
	limit=420
	case $protocol in
	numerics-1) limit=120 ;;
	ceilings-2) limit=600 ;; # its searches alone take 225 s
	esac
	for backend in $usable; do
		step "$protocol-$backend" "$limit" "$evenhand" run "$protocol" --on "$backend" -o "$out/$protocol-$backend"
	done
done
for result in "$out"/*/*.json; do
	case $result in */replay/*) continue ;; esac
	[ -f "$result" ] || continue
	name=$(basename "$(dirname "$result")")-$(basename "$result" .json)
	step "show-$name" 30 "$evenhand" show "$result"
done
[ -n "$usable" ] || say "note  no accelerator was usable: logs/devices.txt says why"
finish
