#!/bin/sh
# Fetches NVIDIA's compilers from PyPI into DIR, laid out as a CUDA toolkit: NVRTC with its builtins in
# lib64/, ptxas in bin/, cuda.h and nvrtc.h in include/.  No device or driver is needed.  130 MB are fetched,
# DIR takes 155 MB; nothing else is changed.  The licence is NVIDIA's End User License Agreement.  The
# last line says how it is used.  A second call finds it there.
# usage: nvidia-compilers.sh DIR
# 5: it cannot be fetched or does not run here, for the reason that is named.
set -u
[ $# -eq 1 ] || { sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "$0" >&2; exit 2; }
packages="nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.96"
cannot() { echo "nvidia-compilers: $1" >&2; exit 5; }
show() { echo "export CUDA_HOME=$to"; exit 0; }
umask 022 # a folder that others can write to is not searched
mkdir -p "$1" || exit 5
to=$(cd "$1" && pwd -P)
[ ! -f "$to/complete" ] || [ "$(cat "$to/complete")" != "$packages" ] || show
[ "$(uname -m)" = x86_64 ] || cannot "the packages are for x86_64, and this is $(uname -m)"
python3 -m pip --version >/dev/null 2>&1 || cannot "there is no pip (package python3-pip)"
rm -rf "${to:?}/complete" "${to:?}/bin" "${to:?}/lib64" "${to:?}/include" "$to/work"
trap 'rm -rf "$to/work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$to/bin" "$to/lib64" "$to/include" "$to/work" || exit 5
# shellcheck disable=SC2086
python3 -m pip download --quiet --disable-pip-version-check --retries 1 --no-deps --only-binary=:all: \
	--platform manylinux2010_x86_64 --platform manylinux2014_x86_64 --dest "$to/work" $packages >"$to/work/log" 2>&1 ||
	cannot "they could not be fetched from PyPI: $(grep -m 1 ERROR "$to/work/log" || tail -n 1 "$to/work/log")"
for wheel in "$to/work"/*.whl; do
	python3 -m zipfile -e "$wheel" "$to/work/all" || cannot "$wheel cannot be unpacked"
done
from=$to/work/all/nvidia/cu13
mv "$from/bin/ptxas" "$to/bin" && mv "$from/include/cuda.h" "$from/include/nvrtc.h" "$to/include" &&
	mv "$from/lib/libnvrtc.so.13" "$from/lib"/libnvrtc-builtins.so.13.? "$to/lib64" || missing=yes
[ -z "${missing:-}" ] || cannot "the packages do not hold what they should"
chmod +x "$to/bin/ptxas"
"$to/bin/ptxas" --version >/dev/null 2>&1 || cannot "ptxas does not run here"
echo "$packages" >"$to/complete"
show
