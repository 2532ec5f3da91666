#!/bin/sh
# configure and the Makefile on a tree of a few lines: what is missing is said, what changes is made
# again and nothing else, what is made no more goes away, install and uninstall keep to what is theirs.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 30 "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
MAKE=${MAKE:-make}
log=$T/log
unset MAKEFLAGS MFLAGS MAKELEVEL CONFIG_SITE DESTDIR CFLAGS LDFLAGS CPPFLAGS HOST_EVENHAND
# An ordinary user works in it further below, who may not enter $T everywhere.
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
tree=$place/tree
mkdir -p "$tree/core/cli" "$tree/core/executor" "$tree/core/page" "$tree/backends/host" "$tree/backends/shared" "$tree/workloads/one" \
	"$tree/workloads/two" "$tree/plugins/probes/linux" "$tree/plugins/probes/shared" "$tree/plugins/skeleton" "$tree/plugins/conformance" "$tree/tests/judge" \
	"$tree/protocols/claims" "$tree/docs" "$tree/tests/unit" "$tree/tests/backends" "$T/bin"
for f in Makefile VERSION configure configure.ac config.mk.in LICENSE build-aux core/include core/module.mk \
	backends/module.mk workloads/module.mk plugins/probes/module.mk plugins/conformance/module.mk protocols/module.mk tests/module.mk; do
	cp -Rp "$SRC/$f" "$tree/$f" || exit 1
done
cat >"$tree/core/cli/main.c" <<'C'
#include <stdio.h>
#include <string.h>
#include "version.h"
int main(int argc, char **argv)
{
	char path[200];
	FILE *f;

	if (argc >= 3 && strcmp(argv[1], "kernels") == 0) {
		snprintf(path, sizeof(path), "%s/0123.c", argv[2]);
		f = fopen(path, "w");
		return f == NULL || fputs("int kernel;\n", f) < 0 || fclose(f) != 0;
	}
	return printf("evenhand %s (commit %s, %d)\n", EVENHAND_VERSION, EVENHAND_COMMIT, EVENHAND_DIRTY) < 0;
}
C
echo 'int first(void); int first(void) { return 1; }' >"$tree/backends/host/first.c"
echo 'int second(void); __attribute__((visibility("default"))) int second(void) { return 2; }' >"$tree/backends/host/second.c"
for f in backends/shared/shared workloads/one/one workloads/two/two plugins/probes/linux/linux plugins/probes/shared/common \
	plugins/conformance/one_test plugins/conformance/conformance_main; do
	echo "static const int unused __attribute__((unused)) = 1;" >"$tree/$f.c"
done
for f in core/executor/makers.ini core/page/page.css core/page/page.js workloads/one/one.k workloads/dialect.h protocols/a.ini protocols/b.ini protocols/claims/c.ini \
	docs/page.md docs/schema.json docs/evenhand.1 plugins/skeleton/skeleton.c \
	tests/backends/plusplus.cc; do
	echo "# $f" >"$tree/$f"
done
build=$tree/build
made() { "$MAKE" --no-print-directory -C "$tree" "$@" >"$log" 2>&1; }
lines() { grep -c "^  $1 " "$log"; }

# ---- configure ---------------------------------------------------------------------------------

configure() { # arguments; in a folder of its own
	rm -rf "$T/configured"
	mkdir -p "$T/configured"
	(cd "$T/configured" && "$tree/configure" --without-opencl --without-cuda --without-hip --without-levelzero "$@" >"$log" 2>&1)
}
refused() { # text, words of the sentence, arguments
	text=$1 words=$2
	shift 2
	configure "$@"
	[ $? -eq 1 ] && [ "$(grep -c '^configure: error: ' "$log")" -eq 1 ] && grep -q "^configure: error: .*$words" "$log"
	check $? "$text" "$log"
}
program() { # name, lines of sh
	printf '#!/bin/sh\n%s\n' "$2" >"$T/bin/$1"
	chmod +x "$T/bin/$1"
}
configure CC="$CC" --cache-file="$T/cache"
check $? "a tree of a few lines is configured" "$log"
# What it found serves the others, which have other settings.
sed -e '/ac_cv_env_/d' -e '/ac_cv_path_/d' -e '/ac_cv_prog_\(ac_ct_\)*CC/d' "$T/cache" >"$T/site"
export CONFIG_SITE="$T/site"
program old-cc "for a; do shift; case \$a in -std=gnu17) a=-std=gnu11 ;; esac; set -- \"\$@\" \"\$a\"; done; exec $CC \"\$@\""
refused "a compiler without C17 is refused" "old-cc does not compile C17" CC="$T/bin/old-cc"
# Pointers of four bytes, as far as the question goes.
program small-cc "exec $CC '-Dsizeof(x)=4' \"\$@\""
refused "a 32-bit target is refused" "32-bit targets are not supported" CC="$T/bin/small-cc"
pkg_config=$(command -v pkg-config)
program old-cjson "case \"\$*\" in *modversion*libcjson*) echo 1.7.10 ;; *exists*libcjson*) exit 1 ;; *) exec $pkg_config \"\$@\" ;; esac"
refused "an old library is refused, with its version and the packages of three distributions" \
	"libcjson 1.7.13 or newer is missing (there is 1.7.10): install libcjson-dev (Debian), cjson-devel (Fedora) or cjson (Arch)" \
	CC="$CC" PKG_CONFIG="$T/bin/old-cjson"
program no-crypto "case \"\$*\" in *libcrypto*) exit 1 ;; *) exec $pkg_config \"\$@\" ;; esac"
refused "so is a missing one" "libcrypto 3.0 or newer is missing: install libssl-dev (Debian), openssl-devel (Fedora) or openssl (Arch)" \
	CC="$CC" PKG_CONFIG="$T/bin/no-crypto"
refused "an old C library is refused" "no strerrorname_np: the GNU C library 2.32" \
	CC="$CC" ac_cv_func_strerrorname_np=no
mkdir -p "$T/a b"
(cd "$T/a b" && "$tree/configure" CC="$CC" >"$log" 2>&1)
[ $? -eq 1 ] && grep -q 'error: make cannot work in a folder whose path has a space' "$log"
check $? "a folder with a space in its path is refused" "$log"

# ---- LLVM --------------------------------------------------------------------------------------

# shellcheck disable=SC2016
llvm() { # clang, translator, version, whether the translator works
	mkdir -p "$T/llvm"
	printf '#!/bin/sh\n[ "$1" = --version ] && echo "clang version %s.1" && exit 0\nexit 0\n' "$3" >"$T/llvm/$1"
	printf '#!/bin/sh\n[ "$1" = --version ] && echo "  LLVM version %s.1" && exit 0\nexit %s\n' "$3" "$4" >"$T/llvm/$2"
	chmod +x "$T/llvm/$1" "$T/llvm/$2"
}
pair() { # expected
	found=$(PATH="$T/llvm:/usr/bin:/bin" sh "$SRC/build-aux/llvm-pair.sh")
	[ "$found" = "$1" ]
	check $? "of clang and llvm-spirv the pair is: $1 ($2)"
	[ "$found" = "$1" ] || echo "found: $found" >&2
}
llvm clang-140 llvm-spirv-140 140 0
llvm clang-139 llvm-spirv-139 139 0
pair "clang-140 llvm-spirv-140" "the newest"
llvm clang-140 llvm-spirv-140 140 1
pair "clang-139 llvm-spirv-139" "the newest that works"
llvm clang llvm-spirv 150 0
pair "clang llvm-spirv" "names without a number"
llvm clang-149 llvm-spirv 149 0
pair "clang-149 llvm-spirv" "of one version"

# ---- make --------------------------------------------------------------------------------------

(umask 002 && "$MAKE" --no-print-directory -C "$tree" CONFIGURE_FLAGS="CC='$CC' --without-opencl \
	--without-cuda --without-hip --without-levelzero" >"$log" 2>&1)
check $? "it is built" "$log"
found=$(find "$build/lib/evenhand/backends" "$build/lib/evenhand/workloads" "$build/share/evenhand" \( -type f -o -type d \) -perm /022)
[ -z "$found" ] && [ -f "$build/lib/evenhand/host-kernels/0123.so" ]
check $? "others can write to no plugin and no kernel text, whatever the umask" "$log"
made && ! grep -q . "$log"
check $? "and nothing is made twice" "$log"
srcdir=/none B=/none DATA=none PLUGINS=none OBJECTS=none ALWAYS='' host_kernels=none CDPATH=/ KERNEL_PROGRAM=none \
	"$MAKE" --no-print-directory -C "$tree" >"$log" 2>&1 && ! grep -q . "$log"
check $? "names in the environment are none of the Makefile's" "$log"
made LDFLAGS=-Wl,-O1 && [ "$(lines CC)" -eq 0 ] && [ "$(lines LD)" -eq 7 ] && [ "$(lines AR)" -eq 2 ]
check $? "other flags of linking link all again, and compile nothing" "$log"
made && made CFLAGS=-O1 && [ "$(lines CC)" -eq 10 ]
check $? "other flags of compiling compile all again" "$log"
made
nm -D "$build/lib/evenhand/backends/host.so" | grep -q ' second$'
check $? "the backend has the symbol of its second source"
rm "$tree/backends/host/second.c"
made && ! nm -D "$build/lib/evenhand/backends/host.so" | grep -q ' second$' && [ ! -e "$build/obj/backends/host/second.o" ]
check $? "and no more when that source is gone" "$log"
rm -r "$tree/workloads/two" "$tree/protocols/b.ini"
echo mine >"$build/share/evenhand/protocols/mine.ini"
made && [ ! -e "$build/lib/evenhand/workloads/two.so" ] && [ ! -e "$build/share/evenhand/protocols/b.ini" ] &&
	[ -f "$build/lib/evenhand/workloads/one.so" ] && [ -f "$build/share/evenhand/protocols/mine.ini" ]
check $? "a plugin and a protocol whose sources are gone are gone, and nothing else" "$log"
made && ! grep -q . "$log"
check $? "then nothing is made again" "$log"

# ---- cross-compiling ---------------------------------------------------------------------------

cross="--host=x86_64-other-linux-gnu --build=x86_64-pc-linux-gnu"
# shellcheck disable=SC2086
configure CC="$CC" $cross && grep -q 'cross-compiling without HOST_EVENHAND=.*no kernels are built ahead' "$log" &&
	"$MAKE" -C "$T/configured" >"$log" 2>&1 && [ ! -e "$T/configured/lib/evenhand/host-kernels" ] &&
	"$MAKE" -C "$T/configured" install DESTDIR="$T/other" >"$log" 2>&1 && [ -x "$T/other/usr/local/bin/evenhand" ]
check $? "cross-compiling runs nothing of the target's, and says which kernels are left out" "$log"
"$MAKE" -C "$T/configured" check >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'what is built here is for another machine' "$log"
check $? "nor can it be tested here" "$log"
# shellcheck disable=SC2086
refused "a HOST_EVENHAND of another version is refused" "HOST_EVENHAND=.* is not evenhand .* that runs here" CC="$CC" $cross HOST_EVENHAND=/bin/true
# shellcheck disable=SC2086
configure CC="$CC" $cross HOST_EVENHAND="$build/bin/evenhand" && "$MAKE" -C "$T/configured" >"$log" 2>&1 &&
	[ -f "$T/configured/lib/evenhand/host-kernels/0123.so" ]
check $? "HOST_EVENHAND writes the kernels that are built ahead" "$log"

# ---- install and uninstall -----------------------------------------------------------------------

root=$T/root
mkdir -p "$root/opt/eh/bin"
(umask 077 && "$MAKE" --no-print-directory -C "$tree" install DESTDIR="$root" prefix=/opt/eh >"$log" 2>&1)
check $? "it is installed" "$log"
wrong=$(find "$root/opt/eh" -type d ! -perm 755; find "$root/opt/eh" -type f \( -path '*/bin/*' -o -name '*.so' \) ! -perm 755
	find "$root/opt/eh" -type f ! -path '*/bin/*' ! -name '*.so' ! -perm 644)
[ -z "$wrong" ]
check $? "with modes of its own, whatever the umask$wrong"
grep -q '^prefix=/opt/eh$' "$root/opt/eh/lib/pkgconfig/evenhand.pc" && ! grep -q '@' "$root/opt/eh/lib/pkgconfig/evenhand.pc"
check $? "evenhand.pc names the prefix"
echo mine >"$root/opt/eh/lib/evenhand/backends/mine.so"
echo 'protocol' >"$tree/protocols/late.ini"
made install DESTDIR="$root" prefix=/opt/eh
rm "$tree/protocols/late.ini"
[ -f "$root/opt/eh/share/evenhand/protocols/late.ini" ] && made install DESTDIR="$root" prefix=/opt/eh &&
	[ ! -e "$root/opt/eh/share/evenhand/protocols/late.ini" ] && [ -f "$root/opt/eh/lib/evenhand/backends/mine.so" ]
check $? "an install removes what an earlier one put there and it does not, and nobody else's" "$log"
made uninstall DESTDIR="$root" prefix=/opt/eh
left=$(cd "$root" && find . | sort | tr '\n' ' ')
[ "$left" = ". ./opt ./opt/eh ./opt/eh/bin ./opt/eh/lib ./opt/eh/lib/evenhand ./opt/eh/lib/evenhand/backends ./opt/eh/lib/evenhand/backends/mine.so " ]
check $? "uninstall removes what was installed and leaves what is not its own: $left" "$log"
made uninstall DESTDIR="$root" prefix=/opt/eh
[ $? -eq 2 ] && grep -q 'there is no .*/installed, which would say what was installed' "$log"
check $? "where nothing was installed it says so" "$log"

# ---- several makes and goals at once ---------------------------------------------------------------

failed=0
for round in 1 2 3 4 5; do
	pids=
	for root in a b c; do
		"$MAKE" --no-print-directory -C "$build" -j8 all install DESTDIR="$T/at-once/$root" >"$log.$root" 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do wait "$pid" || failed=$((failed + 1)); done
done
cat "$log.a" "$log.b" "$log.c" >"$log"
for left in "$build"/flags.* "$build"/links.* "$build"/version.h.*; do [ ! -e "$left" ] || failed=$((failed + 1)); done
[ $failed -eq 0 ]
check $? "of 15 makes in one build folder, three at a time, $failed fail: round $round" "$log"
rm -rf "$build"
made -j8 all install DESTDIR="$T/fresh" prefix=/opt/eh && "$T/fresh/opt/eh/bin/evenhand" >"$log" && [ -f "$T/fresh/opt/eh/share/evenhand/installed" ]
check $? "make -j8 all install from nothing" "$log"
(cd "$build" && rm -rf bin lib obj share)
"$MAKE" --no-print-directory -C "$build" -j8 install all DESTDIR="$T/within" >"$log" 2>&1 && [ -x "$T/within/usr/local/bin/evenhand" ]
check $? "and in the build folder itself, in the other order" "$log"

# ---- a user builds, root installs ------------------------------------------------------------------

text="root installs what a user built"
if ! command -v git >/dev/null 2>&1; then
	skip "$text" "git is not installed (package git)"
elif [ "$(id -u)" != 0 ] || ! setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	skip "$text" "only root can try"
else
	user() { (cd "$tree" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$place" "$@" >"$log" 2>&1); }
	printf 'build/\nconfigure\n' >"$tree/.gitignore"
	chown -R 65534:65534 "$place"
	user sh -c 'git init -q && git add -A && git -c user.name=n -c user.email=e commit -qm first' && user make all
	check $? "a user builds a checkout" "$log"
	commit=$(git -c safe.directory="$tree" -C "$tree" rev-parse HEAD)
	built() { find "$tree" -path "$tree/.git" -prune -o -printf '%p %U %T@\n' | sort | sha256sum; }
	before=$(built)
	made install DESTDIR="$T/root2" && [ "$(built)" = "$before" ] &&
		[ "$("$T/root2/usr/local/bin/evenhand")" = "evenhand $(cat "$tree/VERSION") (commit $commit, 0)" ] &&
		[ -z "$(find "$T/root2" ! -uid 0)" ]
	check $? "$text: its commit, nothing made again, all files root's" "$log"
	made uninstall DESTDIR="$T/root2" && [ ! -e "$T/root2" ] && [ "$(built)" = "$before" ]
	check $? "and removes it" "$log"
	sed -i 's/evenhand %s/Evenhand %s/' "$tree/core/cli/main.c"
	before=$(built)
	made install DESTDIR="$T/root2"
	[ $? -eq 2 ] && grep -q "belongs to another user and is not up to date: run make there" "$log" &&
		[ "$(built)" = "$before" ] && [ ! -e "$T/root2" ]
	check $? "but nothing that is not up to date" "$log"
	rm -rf "$place/b"
	made B="$place/b" CONFIGURE_FLAGS="CC='$CC' --without-opencl --without-cuda --without-hip --without-levelzero" &&
		"$place/b/bin/evenhand" >"$log" && grep -q "commit $commit, 1" "$log" && [ -z "$(find "$tree/.git" -uid 0)" ]
	check $? "root's own build of the user's tree knows its commit, and leaves no file in the repository" "$log"
	release=evenhand-$(cat "$tree/VERSION")
	user git checkout -q . && user make dist && tar -xzf "$build/$release.tar.gz" -C "$T"
	check $? "the user makes a release tarball" "$log"
	program autoconf 'exit 99'
	PATH=$T/bin:$PATH "$MAKE" -C "$T/$release" CONFIGURE_FLAGS="CC='$CC' --without-opencl --without-cuda --without-hip \
		--without-levelzero" >"$log" 2>&1 && "$T/$release/build/bin/evenhand" >"$log" && grep -q "commit $commit, 0" "$log"
	check $? "which is built without autoconf and git, and knows its commit" "$log"
fi

# ---- packages ------------------------------------------------------------------------------------

for line in "4 dnf install" "5 pacman -S --needed"; do
	column=${line%% *} command=${line#* }
	names=$(awk -v c="$column" '!/^#/ && ($2 == "need" || $2 == "want") && $c != "-" && !seen[$c]++ { printf " %s", $c }' "$SRC/build-aux/packages")
	grep -qxF "$command$names" "$SRC/README.md"
	check $? "README.md has: $command$names"
done
echo "1..$n"
exit $bad
