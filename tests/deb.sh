#!/bin/sh
# The Debian packages, from the tree to the user: builds them in a bare root, twice with the same
# bytes, has lintian read them, installs them with apt in another bare root without a compiler, uses
# them there as an ordinary user, and removes them again.
# usage: deb.sh [SUITE]    a release that tests/bare.sh takes, bookworm without one; some ten minutes
# Needs what tests/bare.sh needs.  Ends with 0, or at the first thing that is wrong with its status.
set -eu
suite=${1:-bookworm}
here=$(cd "$(dirname "$0")" && pwd -P)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/evenhand-deb.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM HUP

# Commands run in other shells: their variables are theirs.
# shellcheck disable=SC2016
BARE_ROOT=$work/root sh "$here/bare.sh" "$suite" \
	'apt-get -qq update' \
	'! make deb 2>/tmp/said || { echo "make deb does not say what is missing" >&2; exit 1; }
	 cat /tmp/said; test "$(grep -c "^deb: packages are missing; install them with: " /tmp/said)" = 1' \
	"DEBIAN_FRONTEND=noninteractive sh -c \"\$(sed -n 's/^deb: .* install them with: //p' /tmp/said) -y -qq --no-install-recommends\" >/dev/null" \
	'user:umask 002; make deb' \
	'user:make dist >/dev/null && mkdir ~/elsewhere && tar -xf build/evenhand-*.tar.gz -C ~/elsewhere &&
	 cd ~/elsewhere/evenhand-* && CFLAGS=-O0 make deb B=other' \
	'user:for deb in build/*.deb; do cmp "$deb" ~/elsewhere/evenhand-*/other/"${deb##*/}"; done &&
	 echo "the release tarball gives the same bytes as the checkout"' \
	'user:test "$(ls build/*.deb | wc -l)" = 2 && test -z "$(find build -maxdepth 1 -name "deb.?*" ! -name deb.log)"' \
	'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends lintian >/dev/null' \
	'user:lintian --fail-on error build/*.deb'
mkdir "$work/put"
mv "$work"/root/home/user/evenhand/build/*.deb "$work/put"
rm -rf --one-file-system "$work/root"

# shellcheck disable=SC2016
BARE_PUT=$(echo "$work"/put/*.deb) sh "$here/bare.sh" "$suite" \
	'apt-get -qq update' \
	'apt-get install -y -qq --no-install-recommends /put/evenhand_*.deb' \
	'! command -v cc || { echo "there is a compiler: this tests nothing" >&2; exit 1; }' \
	'user:evenhand version && evenhand version | grep -q "$(git rev-parse --short=12 HEAD)"' \
	'user:mkdir ~/empty && cd ~/empty && evenhand devices' \
	'user:cd ~/empty && for backend in /usr/lib/*/evenhand/backends/*.so; do
	   evenhand devices --json | grep -qF "\"path\": \"$backend\"" || { echo "$backend is not found" >&2; exit 1; }
	 done' \
	'user:cd ~/empty && for run in one two; do evenhand run quick -o $run || test $? = 7; done' \
	'user:cd ~/empty && { evenhand compare one two >report || test $? -le 3; } && cat report && grep -q "faster/slower/equal/open:" report' \
	'user:bash -c '\''. /usr/share/bash-completion/completions/evenhand
	   COMP_WORDS=(evenhand comp) COMP_CWORD=1; _evenhand; test "${COMPREPLY[*]}" = compare'\' \
	'apt-get install -y -qq --no-install-recommends man-db >/dev/null 2>&1' \
	'user:man -w evenhand && man evenhand | grep -q "^SYNOPSIS"' \
	'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq /put/evenhand-dev_*.deb >/dev/null' \
	'user:cp -r /usr/share/doc/evenhand/skeleton ~/mine && cd ~/mine && make && evenhand plugin check ./skeleton.so >said && tail -n 1 said' \
	'user:cd ~/mine && make install-user && cd ~/empty && evenhand devices >list && cat list && grep -q ^host:gcc list && grep -q ^skeleton: list' \
	'apt-get purge -y -qq evenhand evenhand-dev' \
	'left=$(find / -xdev \( -path /root -o -path /home -o -path /put -o -path /proc \) -prune -o -name "*evenhand*" -print | grep -v "^/tmp/\|^/var/cache/apt/")
	 test -z "$left" || { echo "purged, and still there: $left" >&2; exit 1; }'
echo "deb.sh: the packages of $suite are fine"
