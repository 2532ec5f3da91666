#!/bin/sh
# Puts all that a machine without packages and network needs into one folder and one archive: the
# built tree, the shared libraries that it needs beside the C library, what the backends need to have
# kernels compiled there, and run.sh.  For cuda that is NVRTC, where it is found; for levelzero SPIR-V of
# device.ini's kernels, made here; hiprtc comes with ROCm, and an OpenCL driver has its compiler inside.
# usage: pack.sh BUILD [FOLDER]     FOLDER: device-pack unless given; its archive is FOLDER.tar.gz
# Environment: NVRTC, the folder of libnvrtc (default: beside CUDA_HOME, nvcc, /usr/local/cuda, or
# what ldconfig knows).  PACK_LIMIT, the size in MiB beyond which the archive is called too large (64).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: pack.sh BUILD [FOLDER]}
folder=${2:-device-pack}
limit=${PACK_LIMIT:-64}
build=$(cd "$build" && pwd)
fail() {
	echo "pack.sh: $*" >&2
	exit 1
}
[ -x "$build/bin/evenhand" ] || fail "$build holds no bin/evenhand: build it first (make all)"
backends=
for backend in cuda hip levelzero opencl; do
	[ ! -f "$build/lib/evenhand/backends/$backend.so" ] || backends="$backends $backend"
done
[ -n "$backends" ] || fail "$build was configured without a backend for accelerators: docs/cuda-backend.md," \
	"docs/hip-backend.md, docs/levelzero-backend.md say what each needs"
[ ! -e "$folder" ] || fail "$folder exists: remove it or name another folder"

mkdir -p "$folder/tree/lib" "$folder/libraries/cxx"
cp -R "$build/bin" "$build/share" "$folder/tree/"
cp -R "$build/lib/evenhand" "$folder/tree/lib/"
cp "$here/run.sh" "$here/device.ini" "$folder/"

# What the C library's package brings is the target's own; everything else travels.  The libraries of C++
# lie apart: the target's drivers need its own, which may be newer, and run.sh prefers those.
ldd "$build/bin/evenhand" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' |
	grep -v -E '^(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^ ]*)\.so' | while read -r name path; do
	case $name in
	libstdc++.so.* | libgcc_s.so.*) cp -L "$path" "$folder/libraries/cxx/$name" ;;
	*) cp -L "$path" "$folder/libraries/$name" ;;
	esac
done

find_nvrtc() {
	nvcc=$(command -v nvcc 2>/dev/null || true)
	[ -z "$nvcc" ] || nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
	for place in "${NVRTC:-}" "${CUDA_HOME:+$CUDA_HOME/lib64}" "${nvcc:+$nvcc/lib64}" /usr/local/cuda/lib64 \
		$(ldconfig -p 2>/dev/null | sed -n 's|.*libnvrtc\.so\.[0-9].* => \(.*\)/[^/]*$|\1|p'); do
		if [ -n "$place" ] && ls "$place"/libnvrtc.so.[0-9]* >/dev/null 2>&1; then
			echo "$place"
			return
		fi
	done
}
pack_nvrtc() {
	nvrtc=$(find_nvrtc)
	if [ -z "$nvrtc" ]; then
		echo "pack.sh: no libnvrtc.so was found: an NVIDIA device then needs one where it is; to pack it," \
			"install the package of NVRTC here or name its folder in NVRTC" >&2
		return
	fi
	for file in "$nvrtc"/libnvrtc.so.* "$nvrtc"/libnvrtc-builtins.so.*; do
		name=$(basename "$file")
		# The soname is what is opened; the full version beside it would be the same bytes again.
		[ "$name" = "$(objdump -p "$file" | awk '/SONAME/ { print $2 }')" ] || continue
		cp -L "$file" "$folder/libraries/$name"
	done
	ls "$folder"/libraries/libnvrtc.so.* >/dev/null 2>&1 || fail "$nvrtc holds no libnvrtc.so under its soname"
}
# Those of the released protocols are there; while device.ini is among them, so are its.
pack_spirv() {
	setting() { sed -n "s/^$1 *= *//p" "$build/config.mk"; }
	if [ -z "$(setting SPIRV_CLANG)" ] || [ ! -d "$folder/tree/lib/evenhand/spirv" ]; then
		echo "pack.sh: no SPIR-V was made with this build: an Intel device then needs ocloc or clang where it is" >&2
		return
	fi
	cp "$here/device.ini" "$folder/tree/share/evenhand/protocols/device.ini"
	sh "$here/../../build-aux/spirv-kernels.sh" "$folder/tree/bin/evenhand" "$folder/texts" \
		"$folder/tree/lib/evenhand/spirv" "$(setting SPIRV_CLANG)" "$(setting SPIRV_TRANSLATOR)" "$(setting SPIRV_VAL)"
	rm -rf "$folder/texts" "$folder/tree/share/evenhand/protocols/device.ini"
}
case " $backends " in *" cuda "*)
	pack_nvrtc
	${CC:-cc} -O2 -o "$folder/cublaslt" "$here/cublaslt.c" -ldl -lm || fail "the compiler ${CC:-cc} does not make cublaslt.c"
	;;
esac
case " $backends " in *" levelzero "*) pack_spirv ;; esac

"$build/bin/evenhand" version >"$folder/VERSION.txt"
find "$folder/tree/bin" "$folder/tree/lib" "$folder/libraries" -type f \( -name evenhand -o -name "*.so*" \) | while read -r file; do
	strip --strip-debug "$file" 2>/dev/null || true
done
tar -C "$(dirname "$folder")" -cf - "$(basename "$folder")" | gzip -9 >"$folder.tar.gz"
size=$(($(wc -c <"$folder.tar.gz") / 1048576 + 1))
echo "$folder.tar.gz: $size MiB, for$backends"
du -ck "$folder"/libraries/*.so* "$folder"/libraries/cxx/* 2>/dev/null | sort -rn | awk '{ printf "  %7.1f MiB  %s\n", $1 / 1024, $2 }'
if [ "$size" -gt "$limit" ]; then
	echo "pack.sh: more than $limit MiB; xz -9e of the tar is about a third smaller, where the target can unpack it" >&2
	exit 2
fi
