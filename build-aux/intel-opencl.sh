#!/bin/sh
# Fetches Intel's OpenCL runtime for processors from PyPI into DIR: OpenCL 3.1 with half precision on any
# x86 processor.  270 MB are fetched, DIR takes 405 MB; nothing else is changed.  Its licence is Intel's End
# User License Agreement for Developer Tools.  DIR/vendors holds its .icd file beside links to those of
# the system, for OCL_ICD_VENDORS; the last line says how.  A second call finds it there.
# usage: intel-opencl.sh DIR
# 5: it cannot be fetched or does not run here, for the reason that is named.
set -u
[ $# -eq 1 ] || { sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "$0" >&2; exit 2; }
packages="intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0"
cannot() { echo "intel-opencl: $1" >&2; exit 5; }
show() { echo "export OCL_ICD_VENDORS=$to/vendors"; exit 0; }
mkdir -p "$1" || exit 5
to=$(cd "$1" && pwd -P)
[ ! -f "$to/complete" ] || [ "$(cat "$to/complete")" != "$packages" ] || show
[ "$(uname -m)" = x86_64 ] || cannot "the runtime is for x86_64, and this is $(uname -m)"
python3 -m pip --version >/dev/null 2>&1 || cannot "there is no pip (package python3-pip)"
rm -rf "${to:?}/complete" "${to:?}/lib" "$to/vendors" "$to/work"
trap 'rm -rf "$to/work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$to/lib" "$to/vendors" "$to/work" || exit 5
# shellcheck disable=SC2086
python3 -m pip download --quiet --disable-pip-version-check --retries 1 --no-deps --only-binary=:all: \
	--platform manylinux_2_28_x86_64 --dest "$to/work" $packages >"$to/work/log" 2>&1 ||
	cannot "it could not be fetched from PyPI: $(grep -m 1 ERROR "$to/work/log" || tail -n 1 "$to/work/log")"
for wheel in "$to/work"/*.whl; do
	python3 -m zipfile -e "$wheel" "$to/work/all" || cannot "$wheel cannot be unpacked"
done
mv "$to/work/all"/*.data/data/lib/* "$to/lib" || cannot "the packages hold no libraries"
# A wheel has no links: each library is there under all of its names.  The compiler's plugin for the
# linker and the tracer are not part of the runtime.
rm -f "$to/lib"/icx-lto.so "$to/lib"/libxpti* "$to/lib"/libze_* "$to/lib"/libOpenCL*
for whole in "$to/lib"/*.so; do
	for other in "$whole".*; do
		[ -f "$other" ] && cmp -s "$whole" "$other" && ln -f "$whole" "$other"
	done
done
for icd in /etc/OpenCL/vendors/*.icd; do [ ! -e "$icd" ] || ln -s "$icd" "$to/vendors"; done
echo "$to/lib/libintelocl.so" >"$to/vendors/intel-cpu.icd"
echo "$packages" >"$to/complete"
show
