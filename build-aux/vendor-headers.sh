#!/bin/sh
# Fetches vendors' headers in several versions into DIR/API/VERSION/: from Python wheels with pip, and
# from Debian's releases with apt.  About 90 MB, of which the headers alone are kept; nothing is
# installed.  `EVENHAND_VENDOR_HEADERS=DIR make check TESTS=abi/vendor` then compares with each.
# usage: vendor-headers.sh DIR
# The headers of cuBLASLt are not among them: each of its wheels has 400 MB and more of libraries around
# them.  Where a CUDA toolkit is installed, its own are compared.
# What cannot be fetched is named and the rest goes on; when that is everything, the status is 5.  The file
# DIR/complete says that nothing is missing.
set -u
[ $# -eq 1 ] || { sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "$0" >&2; exit 2; }
mkdir -p "$1" || exit 5
to=$(cd "$1" && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/evenhand-headers.XXXXXX") || exit 5
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
count=0 complete=yes
rm -f "$to/complete"
fetched() { # FOLDER API VERSION: it becomes DIR/API/VERSION
	mkdir -p "$to/$2"
	rm -rf "${to:?}/$2/$3"
	mv "$1" "$to/$2/$3"
	count=$((count + 1))
}
lost() { # WHAT: not fetched, for the reasons in $work/log
	complete=no
	echo "vendor-headers: $1 could not be fetched: $(tail -n 1 "$work/log")" >&2
}

# wheel PACKAGE VERSION HEADER FOLDER: the header of that name in it.
wheel() {
	rm -rf "$work/wheel"
	mkdir -p "$work/wheel" "$4"
	python3 -m pip download --quiet --disable-pip-version-check --retries 1 --no-deps \
		--only-binary=:all: --platform manylinux1_x86_64 --platform manylinux2014_x86_64 \
		--dest "$work/wheel" "$1==$2" >"$work/log" 2>&1 &&
		python3 -m zipfile -e "$work/wheel"/*.whl "$work/wheel/all" >"$work/log" 2>&1 &&
		find "$work/wheel/all" -name "$3" -exec cp {} "$4" \; && [ -f "$4/$3" ] && return 0
	lost "$3 of $1 $2"
	return 1
}
# cuda.h of each version, with the nvrtc.h that was fetched last: NVRTC's wheels are large.
cuda() { # PACKAGE VERSION...
	package=$1
	shift
	[ -f "$work/nvrtc/nvrtc.h" ] || return
	for version; do
		wheel "$package" "$version" cuda.h "$work/cuda" && cp "$work/nvrtc/nvrtc.h" "$work/cuda" &&
			fetched "$work/cuda" cuda "$version-nvrtc-$nvrtc"
	done
}
nvrtc() { # PACKAGE VERSION
	nvrtc=$2
	rm -rf "$work/nvrtc"
	wheel "$1" "$2" nvrtc.h "$work/nvrtc"
}
nvml() { # PACKAGE VERSION...
	package=$1
	shift
	for version; do
		wheel "$package" "$version" nvml.h "$work/nvml" && fetched "$work/nvml" nvml "$version"
	done
}

# apt with lists and settings of its own, in the folder that `lists` made.
apt_of() { # NAME ARGUMENT...
	apt=$work/apt/$1
	shift
	apt-get -qq -o Dir::Etc="$apt" -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" \
		-o Dir::Cache="$apt/cache" -o APT::Sandbox::User= -o Acquire::Languages=none \
		-o Acquire::Retries=1 -o Acquire::Check-Valid-Until=false "$@" >"$work/log" 2>&1
}
lists() { # NAME COMPONENT SUITE...
	name=$1 component=$2
	shift 2
	mkdir -p "$work/apt/$name/state/lists/partial" "$work/apt/$name/cache/archives/partial"
	: >"$work/apt/$name/status"
	for suite; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite $component"
	done >"$work/apt/$name/sources.list"
	apt_of "$name" update --error-on=any && return 0
	lost "the list of Debian's $*"
	return 1
}
# The headers of the packages together, under the first one's version.
package() { # NAME SUITE APIS PACKAGE...
	name=$1 suite=$2 apis=$3
	shift 3
	rm -rf "$work/deb"
	mkdir -p "$work/deb/all"
	(cd "$work/deb" && apt_of "$name" download -t "$suite" "$@") || {
		lost "$1 of Debian's $suite"
		return
	}
	version=$(dpkg-deb -f "$work/deb/$1"_*.deb Version | sed 's/^[0-9]*://; s/[-+~].*//')
	for deb in "$work/deb"/*.deb; do dpkg-deb -x "$deb" "$work/deb/all"; done
	for api in $apis; do
		cp -r "$work/deb/all/usr/include" "$work/deb/$api" && fetched "$work/deb/$api" "$api" "$version-$suite"
	done
}
# From ROCm 6.4 on ROCm SMI's headers include those of libdrm.
rocm() { # NAME SUITE
	package "$1" "$2" hip libamdhip64-dev
	package "$1" "$2" rsmi librocm-smi-dev libdrm-dev
}
rocblas() { # NAME SUITE
	package "$1" "$2" rocblas librocblas-dev libamdhip64-dev
}
# A header for C++ by three that it includes and by the first values of some members; the rest is C.
hipblaslt() { # NAME SUITE
	package "$1" "$2" hipblaslt libhipblaslt-dev libhipblas-common-dev libamdhip64-dev
	for header in "$to/hipblaslt"/*-"$2"/hipblaslt/hipblaslt.h; do
		[ ! -f "$header" ] || sed -i -e '/^#include <\(memory\|regex\|vector\)>$/d' \
			-e '/^typedef struct _hipblasLtMatmulHeuristicResult_t/,/^}/s/ = [^;]*;/;/' "$header"
	done
}
others() { # NAME SUITE
	package "$1" "$2" "levelzero sysman" libze-dev
	package "$1" "$2" opencl opencl-c-headers
}

if python3 -m pip --version >"$work/log" 2>&1; then
	nvrtc nvidia-cuda-nvrtc-cu11 11.7.99
	cuda nvidia-cuda-runtime-cu11 11.7.99 11.8.89
	nvrtc nvidia-cuda-nvrtc-cu12 12.4.127
	cuda nvidia-cuda-runtime-cu12 12.0.146 12.4.127 12.9.79
	cuda nvidia-cuda-runtime 13.0.96 13.5.37
	nvml nvidia-nvml-dev-cu12 12.0.76 12.4.127 12.9.79
	nvml nvidia-nvml-dev 13.0.87 13.5.37
else
	lost "NVIDIA's headers, without pip (package python3-pip),"
fi

# The mirror that this machine uses itself.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>"$work/log" | sort -u | head -n 1)
if [ -n "$mirror" ]; then
	lists bullseye non-free bullseye && package bullseye bullseye nvml libnvidia-ml-dev
	if lists bookworm main bookworm; then
		rocm bookworm bookworm
		others bookworm bookworm
	fi
	if lists trixie main trixie; then
		rocm trixie trixie
		rocblas trixie trixie
		others trixie trixie
		package trixie trixie amdsmi libamd-smi-dev
		package trixie trixie "onednn onednn3 onednngraph" libdnnl-dev
		package trixie trixie onednnocl libdnnl-dev opencl-c-headers
	fi
	if lists sid main sid; then
		rocm sid sid
		rocblas sid sid
		hipblaslt sid sid
		others sid sid
		package sid sid amdsmi libamd-smi-dev
	fi
	if lists experimental main sid experimental; then
		rocm experimental experimental
		rocblas experimental experimental
		hipblaslt experimental experimental
	fi
else
	echo "no list of a Debian mirror is here: apt-get update" >>"$work/log"
	lost "Debian's packages"
fi
[ $count -gt 0 ] || { echo "vendor-headers: nothing could be fetched: see the messages above" >&2; exit 5; }
[ $complete = no ] || : >"$to/complete"
echo "vendor-headers: $count versions are in $to"
