#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every kernel text in every precision through every compiler that is here: gcc and clang for the
# host, clang for OpenCL C (SPIR target) and HIP, NVRTC for CUDA.  No device is needed.
set -u
if [ -n "${SANITIZE:-}" ]; then
	printf 'ok 1 - kernels and compilers # SKIP nothing of the program runs, so a sanitizer has nothing to see\n1..1\n'
	exit 0
fi
dialect=$SRC/workloads/dialect.h
tests=0

say() { # STATUS TEXT
	tests=$((tests + 1))
	printf '%s %d - %s\n' "$1" "$tests" "$2"
}

# The cases: name of the kernel text, then its defines.
cat > "$T/cases" <<'END'
stream EH_S_OPERATION=0 EH_S_ITEMS=4 EH_S_GROUP=256 EH_S_PRECISION=F32 EH_S_REAL=float EH_S_ELEMENT=float
stream EH_S_OPERATION=1 EH_S_ITEMS=4 EH_S_GROUP=256 EH_S_PRECISION=F64 EH_S_REAL=double EH_S_ELEMENT=double
stream EH_S_OPERATION=2 EH_S_ITEMS=1 EH_S_GROUP=256 EH_S_PRECISION=F16 EH_S_REAL=float EH_S_ELEMENT=eh_f16
stream EH_S_OPERATION=3 EH_S_ITEMS=16 EH_S_GROUP=256 EH_S_PRECISION=BF16 EH_S_REAL=float EH_S_ELEMENT=eh_bf16
stream EH_S_OPERATION=3 EH_S_ITEMS=4 EH_S_GROUP=256 EH_S_PRECISION=F64 EH_S_REAL=double EH_S_ELEMENT=double
stream EH_S_OPERATION=4 EH_S_ITEMS=16 EH_S_GROUP=256 EH_S_PRECISION=F32 EH_S_REAL=float EH_S_ELEMENT=float
stream EH_S_OPERATION=4 EH_S_ITEMS=32 EH_S_GROUP=256 EH_S_PRECISION=F64 EH_S_REAL=double EH_S_ELEMENT=double
stream EH_S_OPERATION=5 EH_S_ITEMS=32 EH_S_GROUP=256 EH_S_PRECISION=F16 EH_S_REAL=float EH_S_ELEMENT=eh_f16
stream EH_S_OPERATION=6 EH_S_ITEMS=4 EH_S_GROUP=256 EH_S_PRECISION=F32 EH_S_REAL=float EH_S_ELEMENT=float
stream EH_S_OPERATION=6 EH_S_ITEMS=4 EH_S_GROUP=256 EH_S_PRECISION=BF16 EH_S_REAL=float EH_S_ELEMENT=eh_bf16
coldstart EH_C_FIRST=1u EH_C_SECOND=4294967295u
launch EH_L_ARGUMENTS=0
launch EH_L_ARGUMENTS=5
launch EH_L_ARGUMENTS=16
fma EH_F_REAL=float EH_F_VECTOR=eh_f32x16 EH_F_CHAINS=12
fma EH_F_REAL=float EH_F_VECTOR=eh_f32x1 EH_F_CHAINS=8
fma EH_F_REAL=double EH_F_VECTOR=eh_f64x8 EH_F_CHAINS=12
fma EH_F_REAL=double EH_F_VECTOR=eh_f64x2 EH_F_CHAINS=4
fma EH_F_REAL=float EH_F_VECTOR=eh_f32x1 EH_F_CHAINS=24 EH_F_ACCUMULATE=1 EH_F_WIDTH=1
fma EH_F_REAL=float EH_F_VECTOR=eh_f32x16 EH_F_CHAINS=12 EH_F_ACCUMULATE=1 EH_F_WIDTH=16
fma EH_F_REAL=double EH_F_VECTOR=eh_f64x4 EH_F_CHAINS=8 EH_F_ACCUMULATE=1 EH_F_WIDTH=4
fma EH_F_REAL=eh_half EH_F_VECTOR=eh_f16x16 EH_F_CHAINS=12 EH_F_SCALAR=float
fma EH_F_REAL=eh_half EH_F_VECTOR=eh_f16x2 EH_F_CHAINS=16 EH_F_SCALAR=float EH_F_ACCUMULATE=1 EH_F_WIDTH=2
gemm EH_G_PRECISION=F32 EH_G_ELEMENT=float EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16
gemm EH_G_PRECISION=F32 EH_G_ELEMENT=float EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x4 EH_G_WIDTH=4 EH_G_VECTORS=2 EH_G_ROWS=4 EH_G_DEPTH=32 EH_G_GUARD=1 EH_G_TURN_A=1
gemm EH_G_PRECISION=F32 EH_G_ELEMENT=float EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16 EH_G_GUARD=1 EH_G_LOOSE=1 EH_G_TURN_B=1
gemm EH_G_PRECISION=F64 EH_G_ELEMENT=double EH_G_OUT=F64 EH_G_OUTPUT=double EH_G_REAL=double EH_G_VECTOR=eh_f64x4 EH_G_WIDTH=4 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16
gemm EH_G_PRECISION=F16 EH_G_ELEMENT=eh_f16 EH_G_OUT=F16 EH_G_OUTPUT=eh_f16 EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16 EH_G_NARROW=1 EH_G_TURN_A=1 EH_G_TURN_B=1
gemm EH_G_PRECISION=BF16 EH_G_ELEMENT=eh_bf16 EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16
gemm EH_G_PRECISION=E4M3 EH_G_ELEMENT=eh_e4m3 EH_G_OUT=BF16 EH_G_OUTPUT=eh_bf16 EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16 EH_G_NARROW=1
gemm EH_G_PRECISION=E5M2Z EH_G_ELEMENT=eh_e5m2z EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16 EH_G_TURN_B=1
gemm EH_G_PRECISION=I8 EH_G_ELEMENT=eh_i8 EH_G_OUT=I32 EH_G_OUTPUT=int EH_G_REAL=int EH_G_VECTOR=eh_i32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16 EH_G_GUARD=1
gemm EH_G_PRECISION=BF16 EH_G_ELEMENT=eh_bf16 EH_G_OUT=BF16 EH_G_OUTPUT=eh_bf16 EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=8 EH_G_DEPTH=16 EH_G_TURN_B=1 EH_G_GROUPED=1 EH_G_NARROW=1
gemm EH_G_PRECISION=F16 EH_G_ELEMENT=eh_f16 EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x4 EH_G_WIDTH=4 EH_G_VECTORS=2 EH_G_ROWS=1 EH_G_DEPTH=16 EH_G_TURN_B=1 EH_G_GROUPED=1 EH_G_GUARD=1 EH_G_LOOSE=1
gemm EH_G_PRECISION=F32 EH_G_ELEMENT=float EH_G_OUT=F32 EH_G_OUTPUT=float EH_G_REAL=float EH_G_VECTOR=eh_f32x8 EH_G_WIDTH=8 EH_G_VECTORS=1 EH_G_ROWS=4 EH_G_DEPTH=16 EH_G_TURN_B=1 EH_G_GROUPED=1
fused EH_U_OPERATION=0 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=4096
fused EH_U_OPERATION=1 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=4096
fused EH_U_OPERATION=2 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=1 EH_U_GROUP=256 EH_U_ITEMS=8 EH_U_GUARD=1
fused EH_U_OPERATION=3 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=1 EH_U_GROUP=8 EH_U_ITEMS=8 EH_U_GUARD=1 EH_U_WIDTH=64 EH_U_ROWS=32 EH_U_HEADS=40
fused EH_U_OPERATION=4 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=4096
fused EH_U_OPERATION=0 EH_U_PRECISION=F16 EH_U_ELEMENT=eh_f16 EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=4096
fused EH_U_OPERATION=4 EH_U_PRECISION=BF16 EH_U_ELEMENT=eh_bf16 EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=4096
fma EH_F_REAL=float EH_F_VECTOR=eh_f32x4 EH_F_CHAINS=8
numerics EH_N_REAL=float EH_N_ELEMENT=float EH_N_LOAD=EH_LOAD_F32 EH_N_TERMS=4
numerics EH_N_REAL=double EH_N_ELEMENT=double EH_N_LOAD=EH_LOAD_F64 EH_N_TERMS=4
numerics EH_N_REAL=float EH_N_ELEMENT=eh_e4m3 EH_N_LOAD=EH_LOAD_E4M3 EH_N_TERMS=4
numerics EH_N_REAL=int EH_N_ELEMENT=eh_i8 EH_N_LOAD=EH_LOAD_I8 EH_N_TERMS=4
attention EH_A_PRECISION=F32 EH_A_ELEMENT=float EH_A_HEAD=64 EH_A_SCALE=0.125f EH_A_VECTOR=eh_f32x8 EH_A_WIDTH=8 EH_A_VECTORS=2 EH_A_ROWS=4 EH_A_QUERIES=64 EH_A_KEYS=64
attention EH_A_PRECISION=F32 EH_A_ELEMENT=float EH_A_HEAD=128 EH_A_SCALE=0.088388348f EH_A_VECTOR=eh_f32x4 EH_A_WIDTH=4 EH_A_VECTORS=1 EH_A_ROWS=8 EH_A_QUERIES=64 EH_A_KEYS=32 EH_A_CAUSAL=1 EH_A_TAIL_Q=1 EH_A_TAIL_K=1
attention EH_A_PRECISION=BF16 EH_A_ELEMENT=eh_bf16 EH_A_HEAD=64 EH_A_SCALE=0.125f EH_A_VECTOR=eh_f32x8 EH_A_WIDTH=8 EH_A_VECTORS=2 EH_A_ROWS=4 EH_A_QUERIES=64 EH_A_KEYS=64 EH_A_NAIVE=1 EH_A_CAUSAL=1
attention_decode EH_A_PRECISION=F16 EH_A_ELEMENT=eh_f16 EH_A_HEAD=128 EH_A_SCALE=0.088388348f EH_A_SHARE=8 EH_A_BATCH=2
fused EH_U_OPERATION=0 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=0 EH_U_GROUP=32 EH_U_WIDTH=17
fused EH_U_OPERATION=1 EH_U_PRECISION=BF16 EH_U_ELEMENT=eh_bf16 EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=100008
fused EH_U_OPERATION=3 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=0 EH_U_GROUP=9 EH_U_ITEMS=1 EH_U_GUARD=0 EH_U_WIDTH=9 EH_U_ROWS=28 EH_U_HEADS=1
fused EH_U_OPERATION=4 EH_U_PRECISION=F32 EH_U_ELEMENT=float EH_U_WIDE=1 EH_U_GROUP=256 EH_U_WIDTH=100000
numerics EH_N_REAL=float EH_N_ELEMENT=eh_e5m2z EH_N_LOAD=EH_LOAD_E5M2Z EH_N_TERMS=4
linear EH_W_BITS=16 EH_W_GROUP=0 EH_W_FORMAT=BF16 EH_W_SCALE=F32 EH_W_PRECISION=BF16 EH_W_X_BYTES=2 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=1 EH_W_UNROLL=4 EH_W_WIDE=1
linear EH_W_BITS=16 EH_W_GROUP=0 EH_W_FORMAT=F16 EH_W_SCALE=F32 EH_W_PRECISION=F16 EH_W_X_BYTES=2 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=4 EH_W_UNROLL=2 EH_W_WIDE=1
linear EH_W_BITS=32 EH_W_GROUP=0 EH_W_FORMAT=F32 EH_W_SCALE=F32 EH_W_PRECISION=F32 EH_W_X_BYTES=4 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=1 EH_W_UNROLL=4 EH_W_WIDE=1
linear EH_W_BITS=8 EH_W_GROUP=1 EH_W_FORMAT=E4M3 EH_W_SCALE=F32 EH_W_PRECISION=BF16 EH_W_X_BYTES=2 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=8 EH_W_UNROLL=1 EH_W_WIDE=1
linear EH_W_BITS=8 EH_W_GROUP=1 EH_W_FORMAT=I8 EH_W_SCALE=F32 EH_W_PRECISION=F32 EH_W_X_BYTES=4 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=2 EH_W_UNROLL=1 EH_W_WIDE=1 EH_W_TAIL_N=1 EH_W_TAIL_M=1
linear EH_W_BITS=4 EH_W_GROUP=128 EH_W_FORMAT=I4 EH_W_SCALE=F16 EH_W_PRECISION=F16 EH_W_X_BYTES=2 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=1 EH_W_UNROLL=1 EH_W_WIDE=1
linear EH_W_BITS=4 EH_W_GROUP=32 EH_W_FORMAT=E2M1 EH_W_SCALE=E8M0 EH_W_PRECISION=BF16 EH_W_X_BYTES=2 EH_W_K=4096 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=8 EH_W_UNROLL=1 EH_W_WIDE=1
linear EH_W_BITS=8 EH_W_GROUP=1 EH_W_FORMAT=E4M3 EH_W_SCALE=F32 EH_W_PRECISION=BF16 EH_W_X_BYTES=2 EH_W_K=333 EH_W_ROWS=4 EH_W_ITEMS=128 EH_W_TOKENS=5 EH_W_UNROLL=1 EH_W_WIDE=0 EH_W_TAIL_N=1
block EH_B_PRECISION=BF16 EH_B_ELEMENT=eh_bf16 EH_B_HEAD=128 EH_B_SCALE=0.088388348f EH_B_HEADS=32 EH_B_KV=8 EH_B_ROWS=4 EH_B_TOKENS=1 EH_B_UNROLL=4 EH_B_GROUP=4
block EH_B_PRECISION=F32 EH_B_ELEMENT=float EH_B_HEAD=64 EH_B_SCALE=0.125f EH_B_HEADS=6 EH_B_KV=2 EH_B_ROWS=4 EH_B_TOKENS=8 EH_B_UNROLL=1 EH_B_GROUP=3
block EH_B_PRECISION=F16 EH_B_ELEMENT=eh_f16 EH_B_HEAD=64 EH_B_SCALE=0.125f EH_B_HEADS=4 EH_B_KV=4 EH_B_ROWS=4 EH_B_TOKENS=3 EH_B_UNROLL=2 EH_B_GROUP=1
block EH_B_PRECISION=BF16 EH_B_ELEMENT=eh_bf16 EH_B_HEAD=128 EH_B_SCALE=0.088388348f EH_B_HEADS=32 EH_B_KV=8 EH_B_ROWS=8 EH_B_PREFILL=1
block EH_B_PRECISION=F32 EH_B_ELEMENT=float EH_B_HEAD=64 EH_B_SCALE=0.125f EH_B_HEADS=4 EH_B_KV=2 EH_B_ROWS=1 EH_B_PREFILL=1
block EH_B_PRECISION=F16 EH_B_ELEMENT=eh_f16 EH_B_HEAD=64 EH_B_SCALE=0.125f EH_B_HEADS=4 EH_B_KV=1 EH_B_ROWS=4 EH_B_PREFILL=1
canary
conformance CF_VALUE=7
END

# One program text per case, and a list of them.
n=0
while read -r kernel defines; do
	n=$((n + 1))
	text=$SRC/workloads/${kernel%%_*}/$kernel.k
	[ -f "$text" ] || text=$SRC/workloads/$kernel.k
	[ -f "$text" ] || text=$SRC/plugins/$kernel/$kernel.k
	{
		for d in $defines; do
			printf '#define %s %s\n' "${d%%=*}" "${d#*=}"
		done
		cat "$dialect" "$text"
	} > "$T/$n.c"
	cp "$T/$n.c" "$T/$n.cl"
	cp "$T/$n.c" "$T/$n.hip"
done < "$T/cases"
count=$n

# Every text is in the cases.
missing=
for text in "$SRC"/workloads/*.k "$SRC"/workloads/*/*.k "$SRC"/plugins/*/*.k; do
	name=$(basename "$text" .k)
	grep -q "^$name\( \|\$\)" "$T/cases" || missing="$missing $name"
done
if [ -z "$missing" ]; then
	say ok "every kernel text is tried"
else
	say "not ok" "not tried:$missing"
fi

# Whether text number $1 has arithmetic of halves, which the host's branch of the dialect does not offer.
of_halves() { sed -n "${1}p" "$T/cases" | grep -q eh_half; }

# try TITLE SUFFIX COMMAND...: COMMAND with each text appended; with the suffix host-c, those for the host.
try() {
	title=$1 suffix=$2 tried=0
	shift 2
	bad=
	i=0
	while [ "$i" -lt "$count" ]; do
		i=$((i + 1))
		[ "$suffix" != host-c ] || ! of_halves "$i" || continue
		tried=$((tried + 1))
		if ! "$@" "$T/$i.${suffix#host-}" > "$T/log" 2>&1; then
			bad=$i
			sed 's/^/# /' "$T/log" | head -n 20
			break
		fi
	done
	if [ -z "$bad" ]; then
		say ok "$title: $tried texts"
	else
		say "not ok" "$title: $(sed -n "${bad}p" "$T/cases")"
	fi
}

skip() { say ok "$1 # SKIP $2"; }

gcc=$(command -v gcc)
clang=$(sh "$SRC/build-aux/newest.sh" clang | head -n 1)
for cc in $gcc $clang; do
	for flags in "-march=native" ""; do
		# shellcheck disable=SC2086
		try "$cc $flags" host-c "$cc" -std=gnu11 -O1 $flags -fPIC -shared -Wall -Wextra \
			-Wno-unused-parameter -Werror -o "$T/out.so"
	done
done
[ -n "$gcc" ] || skip "gcc" "gcc is not installed (package gcc)"

# A compiler without double, as accelerators have: the texts of single precision name none.
if [ -n "$gcc" ]; then
	bad=
	i=1
	while [ "$i" -le "$count" ]; do
		if ! sed -n "${i}p" "$T/cases" | grep -q 'double\|f64\|eh_half' &&
			! "$gcc" -std=gnu11 -fsyntax-only -DEH_NO_FP64 -Ddouble=no_such_type "$T/$i.c" > "$T/log" 2>&1; then
			bad="$bad $i"
			sed 's/^/# /' "$T/log" | head -n 5
		fi
		i=$((i + 1))
	done
	if [ -z "$bad" ]; then
		say ok "without double: the texts of single precision"
	else
		say "not ok" "without double: texts$bad"
	fi
fi

if [ -n "$clang" ]; then
	for std in CL1.1 CL3.0; do
		if echo 'kernel void k(global int *a) { a[get_global_id(0)] = 1; }' > "$T/probe.cl" &&
			"$clang" -x cl "-cl-std=$std" -target spir64 -Xclang -finclude-default-header \
				-c -emit-llvm -o "$T/out.bc" "$T/probe.cl" > /dev/null 2>&1; then
			try "$clang OpenCL $std" cl "$clang" -x cl "-cl-std=$std" -target spir64 \
				-Xclang -finclude-default-header -O1 -emit-llvm -c -o "$T/out.bc"
		else
			skip "OpenCL $std" "$clang has no OpenCL headers"
		fi
	done
	if echo '__attribute__((global)) void k(int *a) { *a = 1; }' > "$T/probe.hip" &&
		"$clang" -x hip --offload-arch=gfx90a --cuda-device-only -nogpuinc -nogpulib -O1 -S \
			-o "$T/out.s" "$T/probe.hip" > /dev/null 2>&1; then
		try "$clang HIP gfx90a" hip "$clang" -x hip --offload-arch=gfx90a --cuda-device-only \
			-nogpuinc -nogpulib -O1 -S -o "$T/out.s"
	else
		skip "HIP" "$clang has no AMD target"
	fi
else
	skip "clang, OpenCL and HIP" "clang is not installed (package clang)"
fi

# NVRTC is a library: a small program calls it.  NVRTC opens its builtins as the loader finds them.
[ -z "${CUDA_HOME:-}" ] || export LD_LIBRARY_PATH="$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
nvrtc() { "$T/nvrtc" "$1" compute_90; }
if "$CC" -std=gnu17 -o "$T/nvrtc" "$SRC/tests/drivers/nvrtc_ptx.c" -ldl > "$T/log" 2>&1; then
	"$T/nvrtc"
	if [ $? -eq 77 ]; then
		skip "NVRTC compute_90" "NVRTC is not installed: sh build-aux/nvidia-compilers.sh DIR, then CUDA_HOME=DIR"
	else
		try "NVRTC compute_90" c nvrtc
	fi
else
	say "not ok" "the NVRTC caller compiles: $(head -n 1 "$T/log")"
fi

echo "1..$tests"
