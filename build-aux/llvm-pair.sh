#!/bin/sh
# Prints the newest clang and llvm-spirv of PATH that are of one LLVM and work together, as
# "CLANG TRANSLATOR"; a translator refuses the bitcode of another version.  Nothing where there is no such pair.
# usage: llvm-pair.sh
here=$(dirname "$0")
work=$(mktemp -d) || exit 5
trap 'rm -rf "$work"' EXIT
echo 'kernel void k(global int *p) { p[get_global_id(0)] = 1; }' >"$work/k.cl"
major() { "$1" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p; s/.*clang version \([0-9]*\).*/\1/p' | head -n 1; }
for translator in $(sh "$here/newest.sh" llvm-spirv); do
	version=$(major "$translator")
	for clang in "clang-$version" clang; do
		[ -n "$version" ] || continue
		if [ "$(major "$clang")" = "$version" ] && "$clang" -x cl -cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -O1 -Xclang -disable-llvm-passes \
			-emit-llvm -c "$work/k.cl" -o "$work/k.bc" >/dev/null 2>&1 &&
			"$translator" --spirv-max-version=1.0 "$work/k.bc" -o "$work/k.spv" >/dev/null 2>&1; then
			printf '%s %s %s\n' "$version" "$clang" "$translator"
			break
		fi
	done
done | sort -s -k1,1nr | sed -n '1s/^[0-9]* //p'
