#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What compilers make of the kernels, GPU by GPU, without a device: wide accesses, no spills, the
# multiply-adds that the hardware has.  kernel_code.py looks at it.
set -u
: "${T:?}" "${SRC:?}" "${EVENHAND:?}" "${CC:?}"

# The texts of these cases, as the workloads describe them.
XDG_DATA_HOME=$T/data
export XDG_DATA_HOME
mkdir -p "$XDG_DATA_HOME/evenhand/protocols" "$T/texts"
cp "$SRC/tests/protocols/kernel-code.ini" "$XDG_DATA_HOME/evenhand/protocols/"
"$EVENHAND" kernels "$T/texts" >"$T/log" 2>&1 || { cat "$T/log" >&2; exit 1; }
if [ -n "${SANITIZE:-}" ]; then
	printf 'ok 1 - code of the kernels # SKIP the program has done its part, so a sanitizer has nothing more to see\n1..1\n'
	exit 0
fi

# NVRTC opens its builtins as the loader finds them.
[ -z "${CUDA_HOME:-}" ] || export LD_LIBRARY_PATH="$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# ptxas stands in a folder of its own in many installations.
for folder in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda /usr/local/cuda-*; do
	[ ! -x "$folder/bin/ptxas" ] || { PATH=$folder/bin:$PATH; break; }
done
"$CC" -std=gnu17 -o "$T/nvrtc_ptx" "$SRC/tests/drivers/nvrtc_ptx.c" -ldl || exit 1
NVRTC_PTX=$T/nvrtc_ptx
HIP_CLANG=$(sh "$SRC/build-aux/newest.sh" clang | head -n 1)
SPIRV_PAIR=$(sh "$SRC/build-aux/llvm-pair.sh")
export PATH NVRTC_PTX HIP_CLANG SPIRV_PAIR
exec python3 "$SRC/tests/cli/kernel_code.py" "$T/texts" "$T"
