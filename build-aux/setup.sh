#!/bin/sh
# Installs what is missing with apt, from the table in build-aux/packages.  Without the rights, or on a
# system of dnf or pacman, it prints the one command to run and stops.
# usage: setup.sh [--ci]      --ci adds what only .ci/run needs: linters, sanitizers, more stacks
set -u
table=$(dirname "$0")/packages
if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
	column=3 install="apt-get update && apt-get install -y"
	have=$(dpkg-query -W -f='${Package} ${Status}\n' | sed -n 's/ .* installed$//p')
	installed() { printf '%s\n' "$have" | grep -qxF -e "$1"; }
elif command -v rpm >/dev/null 2>&1 && command -v dnf >/dev/null 2>&1; then
	column=4 install="dnf install -y"
	installed() { rpm -q --quiet --whatprovides "$1" 2>/dev/null; }
elif command -v pacman >/dev/null 2>&1; then
	column=5 install="pacman -S --needed"
	installed() { pacman -T "$1" >/dev/null 2>&1; }
else
	echo "setup: this system has neither apt, dnf nor pacman: install by hand what $table lists as need" >&2
	exit 0
fi
# The newest N of which all of these packages ("clang-N llvm-spirv-N") are among the names on standard input.
newest() {
	awk -v wanted="$1" '{ names[$0] = 1 }
		END {
			count = split(wanted, stems, " ")
			for (i = 1; i <= count; i++) sub(/N$/, "", stems[i])
			for (name in names) {
				n = substr(name, length(stems[1]) + 1)
				if (stems[1] n != name || n !~ /^[0-9]+$/ || n + 0 <= best) continue
				for (i = 2; i <= count && (stems[i] n) in names; i++) ;
				if (i > count) best = n + 0
			}
			if (best) print best
		}'
}
# The packages of a class, a word each.
packages() {
	awk -v class="$1" -v column=$column '!/^#/ && $2 == class && $column != "-" { print $1, $column }' "$table" |
		while read -r name p; do
			case $p in
			*-N)
				all=$(awk -v name="$name" '$1 == name { print $3 }' "$table" | tr '\n' ' ')
				n=$({ apt-cache pkgnames; printf '%s\n' "$have"; } | newest "$all")
				[ -n "$n" ] || { echo "setup: apt knows no ${p%N}NUMBER: going on without" >&2; continue; }
				p=${p%N}$n
				;;
			esac
			printf '%s\n' "$p"
		done | awk '!seen[$0]++'
}
missing_of() { # CLASS
	for p in $(packages "$1"); do installed "$p" || printf '%s ' "$p"; done
}
find_missing() {
	required=$(missing_of need)
	optional=$(missing_of want)
	[ $ci = no ] || optional="$optional$(missing_of ci)"
}

case "$*" in
'') ci=no ;;
--ci) ci=yes ;;
*)
	echo "setup: unknown argument '$*': usage: setup.sh [--ci]" >&2
	exit 4
	;;
esac
find_missing 2>/dev/null # lists that are not there yet know nothing
[ -z "$required$optional" ] && exit 0

apt="apt-get"
if [ $column != 3 ] || [ "$(id -u)" != 0 ]; then
	if [ $column = 3 ] && command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		apt="sudo -n apt-get"
	else
		if [ -n "$required" ]; then
			echo "setup: packages are missing, which this script may not install; run this, then make demo again:" >&2
			as="su -c"
			! command -v sudo >/dev/null 2>&1 || as="sudo sh -c"
			echo "  $as '$install $required$optional'" >&2
			exit 5
		fi
		echo "setup: going on without $optional(not installed; with them more executors and tests)" >&2
		exit 0
	fi
fi
export DEBIAN_FRONTEND=noninteractive
$apt update -qq || echo "setup: the package lists could not be refreshed; trying with the old ones" >&2
[ $ci = no ] || find_missing # of what the new lists know
echo "setup: installing $required$optional" >&2
# The lists are words on purpose.
# shellcheck disable=SC2086
if ! $apt install -y -qq --no-install-recommends $required $optional >/dev/null; then
	# shellcheck disable=SC2086
	if [ -n "$required" ] && ! $apt install -y -qq --no-install-recommends $required >/dev/null; then
		echo "setup: apt could not install $required: see its messages above" >&2
		exit 5
	fi
	# One that this release does not have need not cost the others.
	without=
	for p in $optional; do
		$apt install -y -qq --no-install-recommends "$p" >/dev/null 2>&1 || without="$without $p"
	done
	[ -z "$without" ] || echo "setup: going on without$without (apt could not install them)" >&2
fi
