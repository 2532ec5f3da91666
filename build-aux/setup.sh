#!/bin/sh
# Installs what is missing on a Debian machine, with apt.  Without the rights it prints the one
# command to run and stops.
# usage: setup.sh [--ci]      --ci adds what only .ci/run needs: linters, sanitizers, more stacks
set -u
need="gcc libc6-dev make autoconf pkg-config libinih-dev libcjson-dev libhwloc-dev libssl-dev libarchive-dev zlib1g-dev"
want="clang opencl-headers ocl-icd-libopencl1 pocl-opencl-icd libcmocka-dev python3-jsonschema"
ci="mesa-opencl-icd oclgrind clang-tidy cppcheck shellcheck libclang-rt-14-dev libopenblas-dev git libze-dev libze1 clang-15 llvm-spirv-15 spirv-tools libamdhip64-dev g++ clang-19 lld-19 zsh fish mmdebstrap"

installed() {
	dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}
missing_of() {
	for p in "$@"; do installed "$p" || printf '%s ' "$p"; done
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: this is no Debian system: install by hand a C compiler, make, autoconf, pkg-config," \
	     "inih, cJSON, hwloc, OpenSSL's libcrypto, libarchive, zlib; for more executors clang and an OpenCL driver" >&2
	exit 0
fi
[ "${1:-}" = --ci ] && want="$want $ci"
# The lists are words on purpose.
# shellcheck disable=SC2086
required=$(missing_of $need)
# shellcheck disable=SC2086
optional=$(missing_of $want)
[ -z "$required$optional" ] && exit 0

apt="apt-get"
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		apt="sudo -n apt-get"
	else
		if [ -n "$required" ]; then
			echo "setup: packages are missing and this user may not install them; run this, then make demo again:" >&2
			echo "  su -c 'apt-get update && apt-get install -y $required$optional'" >&2
			exit 5
		fi
		echo "setup: going on without $optional(not installed; with them more executors and tests)" >&2
		exit 0
	fi
fi
echo "setup: installing $required$optional" >&2
export DEBIAN_FRONTEND=noninteractive
$apt update -qq || echo "setup: the package lists could not be refreshed; trying with the old ones" >&2
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
