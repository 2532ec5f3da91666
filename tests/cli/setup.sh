#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What build-aux/setup.sh installs for CI where older compilers are there already.
: "${T:?}" "${SRC:?}"
mkdir -p "$T/bin"
fake() { # NAME: a program, from standard input
	{ echo '#!/bin/sh'; cat; } >"$T/bin/$1"
	chmod +x "$T/bin/$1"
}
fake dpkg-query <<'END'
for p in clang-14 lld-14 clang-15 llvm-spirv-15; do echo "$p install ok installed"; done
END
fake apt-cache <<'END'
printf '%s\n' clang-14 lld-14 clang-15 lld-15 llvm-spirv-15 clang-19 lld-19 clang-22
END
fake apt-get <<END
echo "\$*" >>"$T/asked"
END
echo 'echo 0' | fake id
PATH=$T/bin:$PATH sh "$SRC/build-aux/setup.sh" --ci >"$T/log" 2>&1
n=0
ok() { # status text
	n=$((n + 1))
	[ "$1" -eq 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	cat "$T/asked" "$T/log" >&2
}
asked() { grep -q "^install .* $1 " "$T/asked"; }
asked clang-19 && asked lld-19
ok $? "the newest pair that apt has, beside an older one: it knows more GPUs"
! asked clang-22 && ! asked lld-14
ok $? "not one whose other half is missing, nor what is there"
! asked clang-15 && ! asked llvm-spirv-15
ok $? "nothing where the newest pair is installed"
echo "1..$n"
