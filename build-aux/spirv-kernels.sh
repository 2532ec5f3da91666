#!/bin/sh
# Compiles the kernels of the released protocols to SPIR-V ahead of time, for machines without clang
# and its translator, and leaves a note of what compiled them, which the levelzero backend discloses.
# Every module must pass spirv-val where that is installed.  The flags are those that the backend uses
# at run time.
# usage: spirv-kernels.sh PROGRAM SOURCE-FOLDER OUTPUT-FOLDER CLANG TRANSLATOR VALIDATOR
set -eu
program=$1 sources=$2 out=$3 clang=$4 translator=$5 validator=$6
flags="-cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header -ffp-contract=off -O1 -Xclang -disable-llvm-passes"
rm -rf "$sources"
mkdir -p "$sources" "$out"
"$program" kernels "$sources" >/dev/null
note=$(printf 'version=%s\ntranslator=%s\nflags=%s' "$($clang --version | head -n 1)" \
	"$($translator --version | sed -n 's/^ *\(.*[0-9].*\)/\1/p' | head -n 1)" "$flags")
if [ "$note" != "$(cat "$out/compiler" 2>/dev/null)" ]; then
	rm -f "$out"/*.spv "$out/compiler"
fi
for old in "$out"/*.spv; do
	[ -e "$sources/$(basename "$old" .spv).c" ] || rm -f "$old"
done
# The name is the digest of the text: what is there is up to date.
export clang flags translator validator out
# shellcheck disable=SC2016 # they expand inside; the flags are a list of words on purpose
printf '%s\n' "$sources"/*.c | xargs -P "$(nproc)" -I{} sh -euc '
	spv=$out/$(basename "$1" .c).spv
	[ ! -e "$spv" ] || exit 0
	$clang -x cl $flags -emit-llvm -c "$1" -o "$spv.bc"
	$translator --spirv-max-version=1.0 --spirv-fp-contract=fast "$spv.bc" -o "$spv.tmp"
	rm -f "$spv.bc"
	[ -z "$validator" ] || "$validator" --target-env opencl1.2 "$spv.tmp"
	mv "$spv.tmp" "$spv"
' sh {}
printf '%s\n' "$note" > "$out/compiler"
