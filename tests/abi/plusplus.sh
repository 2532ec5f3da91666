#!/bin/sh
# A backend in C++ is built as docs/writing-a-backend.md says, exports one symbol, and passes the
# suite.
: "${T:?}" "${EVENHAND:?}" "${SRC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 40 "$3" >&2; fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
cd "$T" || exit 1
log=$T/log
cp "$SRC/tests/backends/plusplus.cc" "$SRC/plugins/skeleton/backend.map" .
# As evenhand.pc says it where the headers are installed.
printf 'Name: evenhand\nDescription: headers\nVersion: 1\nCflags: -I%s\n' "$SRC/core/include" >evenhand.pc
# shellcheck disable=SC2016 # back quotes of the page
sed -n '/^## In C++/,/^- /p' "$SRC/docs/writing-a-backend.md" | sed -n '/^```sh/,/^```$/p' | sed '/^```/d; s/mine/plusplus/g' >documented
grep -q '^g++ .*\\$' documented && grep -q 'version-script=backend.map .*plusplus.cc' documented
ok $? "the page has the command" documented

built() { # compiler, an edit of the command
	rm -f plusplus.so
	sed "s/^g++ /$1 -Werror /; $2" documented >command.sh
	PKG_CONFIG_PATH=$T sh -e command.sh >"$log" 2>&1
}
checked() { "$EVENHAND" plugin check ./plusplus.so "$@" >"$log" 2>&1; }

for cxx in g++ clang++; do
	text="$cxx: the documented command builds a backend without a warning"
	if [ -n "${SANITIZE:-}" ]; then
		skip "$text" "sanitizers: plugins are built like the program"
		continue
	elif ! echo 'int main() { return 0; }' | "$cxx" -x c++ -std=c++17 -fsyntax-only - 2>/dev/null; then
		case $cxx in g++) package=g++ ;; *) package=clang ;; esac
		skip "$text" "there is no $cxx here (package $package)"
		continue
	fi
	built "$cxx" ''
	ok $? "$text" "$log"
	checked && grep -q '^  pass  plugin/one-symbol' "$log" && grep -q '^[6-9][0-9] passed, [0-9]* skipped, 0 failed$' "$log"
	ok $? "$cxx: it passes the conformance suite" "$log"
	built "$cxx" 's/-shared/& -static-libstdc++ -static-libgcc/' && ! objdump -p plusplus.so | grep -q 'NEEDED.*stdc++'
	ok $? "$cxx: it links the C++ library statically, too" "$log"
	checked --only plugin/
	ok $? "$cxx: and then exports one symbol as well" "$log"
	built "$cxx" 's/-Wl,--version-script=[^ ]*//' && ! checked --only plugin/ &&
		grep -q '^  fail  plugin/one-symbol .*_ZNSt.*backend\.map' "$log"
	ok $? "$cxx: without backend.map it exports parts of the C++ library, and the suite says so" "$log"
done

echo "1..$n"
exit $bad
