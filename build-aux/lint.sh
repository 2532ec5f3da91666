#!/bin/sh
# Static analysis: cppcheck over C, clang-tidy's bug finders, shellcheck over every script.
# A finding is a failure; a linter that is not installed is one too, since a skipped check checks nothing.
# usage: lint.sh SOURCE-FOLDER BUILD-FOLDER
# Environment: EVENHAND_LINT_NODES: how many states of a function clang's analyzer visits, 50000 unless set; its own
# default, 225000, takes four times as long.
set -u
src=$1 build=$2
bad=0
for tool in cppcheck clang-tidy shellcheck; do
	command -v $tool >/dev/null 2>&1 || { echo "lint: $tool is missing: run build-aux/setup.sh --ci" >&2; exit 5; }
done
cd "$src" || exit 5
folders="core workloads plugins backends"
# Those that take one processor run beside the one that takes all.
others() {
	bad=0
	# shellcheck disable=SC2046
	shellcheck -x $(find . -path './build*' ! -path './build-aux*' -prune -o -name '*.sh' -print) build-aux/completions/evenhand .ci/run || bad=1
	# shellcheck disable=SC2086
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability \
		--suppress=missingIncludeSystem --suppress=unknownMacro --suppress='*:*/workloads/dialect.h' \
		-D__GNUC__=12 -I core/include -I core -I backends -I "$build" $folders || bad=1
	return $bad
}
echo "lint: shellcheck, cppcheck, clang-tidy"
others &
# shellcheck disable=SC2086,SC2046
find $folders -name '*.c' -print0 | xargs -0 -P "$(nproc)" -I{} clang-tidy --quiet --warnings-as-errors='*' \
	--header-filter='backends/shared/stream_' \
	--checks='-*,bugprone-*,clang-analyzer-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result,-bugprone-assignment-in-if-condition,-bugprone-sizeof-expression,-bugprone-macro-parentheses,-clang-analyzer-optin.portability.UnixAPI,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling' \
	{} -- -Xclang -analyzer-config -Xclang "max-nodes=${EVENHAND_LINT_NODES:-50000}" -std=gnu17 -D_GNU_SOURCE -I core/include -I core -I backends -I "$build" \
	-DEVENHAND_LIBRARY_DIR='""' -DEVENHAND_DATA_DIR='""' -DEVENHAND_POSTGRES=1 $(pkg-config --cflags libpq) 2>/dev/null || bad=1
wait $! || bad=1
[ $bad -eq 0 ] && echo "lint: clean"
exit $bad
