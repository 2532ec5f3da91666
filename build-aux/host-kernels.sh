#!/bin/sh
# Compiles the kernels of the released protocols ahead of time, for machines without a compiler,
# and leaves a note of what compiled them, which the host backend discloses.
# usage: host-kernels.sh PROGRAM SOURCE-FOLDER OUTPUT-FOLDER CC FLAGS
set -eu
program=$1 sources=$2 out=$3 cc=$4 flags=$5
rm -rf "$sources"
mkdir -p "$sources" "$out"
"$program" kernels "$sources" --without-fp16 >/dev/null
# The compiler and its flags are lists of words on purpose.
# shellcheck disable=SC2086
note=$(printf 'version=%s\nflags=%s\ntarget=baseline' "$($cc --version | head -n 1)" "$flags")
if [ "$note" != "$(cat "$out/compiler" 2>/dev/null)" ]; then
	rm -f "$out"/*.so "$out/compiler"
fi
for old in "$out"/*.so; do
	[ -e "$sources/$(basename "$old" .so).c" ] || rm -f "$old"
done
# The name is the digest of the text: what is there is up to date.
export cc flags out
# shellcheck disable=SC2016 # they expand inside; the compiler and its flags are lists of words on purpose
printf '%s\n' "$sources"/*.c | xargs -P "$(nproc)" -I{} sh -euc '
	so=$out/$(basename "$1" .c).so
	[ ! -e "$so" ] || exit 0
	$cc $flags -Wno-psabi -o "$so.tmp" "$1" -lm
	mv "$so.tmp" "$so"
' sh {}
printf '%s\n' "$note" > "$out/compiler"
