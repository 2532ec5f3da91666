#!/bin/sh
# Debian packages of the commit that is checked out, or of the release tarball that was unpacked:
# evenhand and evenhand-dev.  Leaves them in BUILD-FOLDER and prints their paths.  The same commit
# on the same system gives the same bytes.
# usage: deb.sh SOURCE-FOLDER BUILD-FOLDER
# Environment: DEB_BUILD_OPTIONS, as Debian's policy defines it.
set -eu
fail() { echo "deb: $1" >&2; exit 5; }
src=$(cd "$1" && pwd -P)
mkdir -p "$2"
build=$(cd "$2" && pwd -P)
version=$(cat "$src/VERSION")

command -v dpkg-query >/dev/null 2>&1 ||
	fail "this is no Debian system; run make deb on one, or install by make install"
work=$(mktemp -d "$build/deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
# The kernels for Level Zero are made by clang and llvm-spirv of one LLVM: a pair that is here, else the
# newest that this release has.
pair=$(sh "$src/build-aux/llvm-pair.sh")
llvm=$(printf '%s\n' "${pair##*-}" | grep -x '[0-9][0-9]*') ||
	llvm=$(apt-cache pkgnames llvm-spirv- | sed -n 's/^llvm-spirv-\([0-9]*\)$/\1/p' | sort -rn | while read -r n; do
		if apt-cache pkgnames clang- | grep -qx "clang-$n"; then echo "$n"; break; fi
	done)
[ -n "$llvm" ] || fail "apt knows no llvm-spirv-NUMBER with its clang-NUMBER: run apt-get update, then make deb again"
control=$work/control
sed "s/@LLVM@/$llvm/" "$src/build-aux/deb/control" >"$control"
if command -v dpkg-checkbuilddeps >/dev/null 2>&1; then
	missing=$(LC_ALL=C dpkg-checkbuilddeps "$control" 2>&1 | sed -n 's/.*[Uu]nmet build dependencies: //p')
else
	missing="build-essential $(sed -n '/^Build-Depends:/,/^[^ B]/s/^ \(.*\)/\1/p' "$control" | tr -d '\n')"
fi
[ -f "$src/COMMIT" ] || command -v git >/dev/null 2>&1 || missing="git $missing"
missing=$(printf '%s\n' "$missing" | sed 's/([^)]*)//g; s/:native//; s/,/ /g; s/debhelper-compat/debhelper/; s/  */ /g; s/ $//')
[ -z "$missing" ] || fail "packages are missing; install them with: apt-get install $missing"

tree=$work/evenhand-$version
mkdir "$tree"
git() { command git -c safe.directory="$src" -C "$src" "$@"; }
if [ -f "$src/COMMIT" ]; then
	# The tarball gives every file the time of the commit.
	epoch=$(stat -c %Y "$src/COMMIT")
	(cd "$src" && tar -cf - COMMIT LICENSE Makefile README.md VERSION config.mk.in configure.ac \
		backends build-aux core docs plugins protocols tests workloads) | tar -xf - -C "$tree"
elif [ -e "$src/.git" ] && commit=$(git rev-parse HEAD); then
	epoch=$(git log -1 --format=%ct)
	[ -z "$(git status --porcelain)" ] ||
		echo "deb: warning: the packages are made of commit $commit; what is not committed is left out" >&2
	git archive --format=tar HEAD | tar -xf - -C "$tree"
	printf '%s\n' "$commit" >"$tree/COMMIT"
else
	fail "$src is neither a git checkout nor an unpacked release tarball"
fi
cp -r "$tree/build-aux/deb" "$tree/debian"
cp "$control" "$tree/debian/control"
cat >"$tree/debian/changelog" <<END
evenhand ($version) unstable; urgency=medium

  * Made from commit $(cat "$tree/COMMIT").

 -- $(sed -n 's/^Maintainer: //p' "$control")  $(LC_ALL=C date -u -R -d "@$epoch")
END

# Flags and settings of the caller, or of a make around this script, are not the packages'.
log=$build/deb.log
(cd "$tree" && env -i PATH="$PATH" HOME="$work" LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH="$epoch" \
	DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage --sanitize-env -b -us -uc) >"$log" 2>&1 ||
	{ tail -n 20 "$log" >&2; fail "dpkg-buildpackage failed; all that it said is in $log"; }
for deb in "$work"/*.deb; do
	mv "$deb" "$build/"
	echo "$build/$(basename "$deb")"
done
