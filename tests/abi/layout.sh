#!/bin/sh
# The installed headers compile alone, as C11, C17 and C++17, with every warning an error, with gcc and clang;
# and the structs lie in memory as version 1 of the ABI says.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

common="-fsyntax-only -pedantic-errors -Wall -Wextra -Werror -Wshadow -Wundef -Wpointer-arith -Wconversion -Wsign-conversion -Wcast-qual -Wwrite-strings -Wformat=2 -I $SRC/core/include"
inc=$SRC/core/include/evenhand
try() { # text, command...
	what=$1
	shift
	if "$@" 2> "$T/log"; then ok 0 "$what"; else ok 1 "$what"; cat "$T/log" >&2; fi
}
first_of() { # the first that is installed
	for c; do command -v "$c" 2>/dev/null && return; done
}

# Names without blanks, a word each.
# shellcheck disable=SC2046
for pair in "gcc $(first_of gcc) $(first_of g++)" \
	"clang $(first_of clang $(sh "$SRC/build-aux/newest.sh" clang)) $(first_of clang++ $(sh "$SRC/build-aux/newest.sh" clang++))"; do
	# shellcheck disable=SC2086
	set -- $pair
	name=$1 cc=${2:-} cxx=${3:-}
	for std in c11 c17; do
		if [ -z "$cc" ]; then skip "$name $std" "there is no $name here (package $name)"; continue; fi
		strict="-Wstrict-prototypes -Wmissing-prototypes -Wc++-compat"
		# The flags are lists of words on purpose.
		# shellcheck disable=SC2086
		{
			try "$name -std=$std: backend.h stands alone" "$cc" -std=$std $common $strict "$SRC/tests/abi/alone.c"
			try "$name -std=$std: all headers" "$cc" -std=$std $common $strict -DWITH_WORKLOAD "$SRC/tests/abi/alone.c"
			try "$name -std=$std: the layout is that of version 1" "$cc" -std=$std $common $strict "$SRC/tests/abi/layout.c"
		}
	done
	if [ -z "$cc" ]; then skip "$name -std=c++17" "there is no $name here (package $name)"; continue; fi
	# A C++ compiler may be missing where the C compiler knows the language.
	[ -n "$cxx" ] || cxx=$cc
	if ! echo 'int main(){return 0;}' | "$cxx" -x c++ -std=c++17 -fsyntax-only - 2>/dev/null; then
		skip "$name -std=c++17" "$name knows no C++ here (package g++)"
		continue
	fi
	# shellcheck disable=SC2086
	{
		try "$name -std=c++17: backend.h stands alone" "$cxx" -x c++ -std=c++17 $common "$SRC/tests/abi/alone.c"
		try "$name -std=c++17: all headers" "$cxx" -x c++ -std=c++17 $common -DWITH_WORKLOAD "$SRC/tests/abi/alone.c"
		try "$name -std=c++17: the layout is that of version 1" "$cxx" -x c++ -std=c++17 $common "$SRC/tests/abi/layout.c"
	}
done

# The check can fail: a header with one member moved.
# shellcheck disable=SC2046
cc=$(first_of gcc clang $(sh "$SRC/build-aux/newest.sh" clang))
mkdir -p "$T/evenhand"
cp "$inc"/*.h "$T/evenhand"
sed 's/^\tuint32_t compute_units;/\tuint64_t compute_units;/' "$inc/backend.h" > "$T/evenhand/backend.h"
! cmp -s "$inc/backend.h" "$T/evenhand/backend.h" && ! "$cc" -std=c17 -fsyntax-only -I "$T" "$SRC/tests/abi/layout.c" 2> "$T/log"
ok $? "a widened member of eh_device_info is noticed"
grep -q 'eh_device_info.compute_units' "$T/log"
ok $? "and named"

# Every member of every struct is in the list, so that an appended one cannot be forgotten.
missing=$(awk '
	/^typedef struct [a-z_]+ \{/ { s = $3; next }
	/^\}/ { s = "" }
	s != "" {
		line = $0
		gsub(/\/\*.*$/, "", line)
		if (match(line, /\(\*[a-z0-9_]+\)\(/)) { print s, substr(line, RSTART + 2, RLENGTH - 4); next }
		if (line !~ /^\t(const |char|u?int|double|eh_|void)[^(]*;/) next
		gsub(/\[[^]]*\]/, "", line); gsub(/;.*/, "", line)
		count = split(line, parts, ",")
		for (i = 1; i <= count; i++) { k = split(parts[i], w, /[ \t*]+/); print s, w[k] }
	}' "$inc/backend.h" "$inc/workload.h" "$inc/probe.h" "$inc/extensions.h" "$inc/conformance.h" | while read -r s member; do
		grep -q "^AT($s, $member, " "$SRC/tests/abi/layout.c" || echo "$s.$member"
	done)
[ -z "$missing" ]
ok $? "every member of the headers is checked"
[ -z "$missing" ] || echo "$missing" >&2
echo "1..$n"
exit $bad
