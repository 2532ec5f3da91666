#!/bin/sh
# What the backends and probes declare of the vendors' ABIs, against the vendors' own headers: every
# constant, size, offset, kind and prototype.  Where a vendor's headers are not installed, its test is
# skipped.  Also: `--with-cuda=DIR` and its like of configure name headers, and every folder of
# $EVENHAND_VENDOR_HEADERS/API/VERSION/ holds some (build-aux/vendor-headers.sh fetches them).
n=0 bad=0
check() { # status text [detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || printf '%s\n' "$3" >&2; fi
}
here=$SRC/tests/abi/vendor
fetched=${EVENHAND_VENDOR_HEADERS:-}
[ -z "$fetched" ] || [ -d "$fetched" ] || { echo "Bail out! EVENHAND_VENDOR_HEADERS=$fetched is no folder here: give its whole path"; exit 1; }

# facts_of API FLAGS... > facts, with FACTS and CHECKS in the folder $T/API.  Without const, which
# releases add to a prototype here and there and no call depends on.
facts_of() {
	api=$1
	shift
	"$CC" -std=gnu17 -w -Dconst= "$@" -I"$SRC/backends" -I"$SRC/plugins/probes" -I"$SRC/core/include" \
		-DFACTS="\"$T/$api/facts\"" -DCHECKS="\"$T/$api/checks\"" "$here/$api.c" -o "$T/$api/print" 2>"$T/$api/err" &&
		"$T/$api/print"
}

# The checks of the functions of $T/API/functions: under each name that the file of words $1 has, or
# under the first name when no file is given.
checks_with() {
	awk -v words="$1" '
		BEGIN { while (words != "" && (getline word < words) > 0) has[word] = 1 }
		{
			checks = ""
			count = split($3, names, "|")
			for (i = 1; i <= count; i++)
				if (names[i] in has || (words == "" && i == 1)) checks = checks " FUNCTION(" names[i] ", declared)"
			print "#define CHECK_" $2 "(...)" (checks == "" ? "" : " { typedef __VA_ARGS__;" checks " }")
		}' "$T/$api/functions" >"$T/$api/checks"
}

# compare API DECLARED HEADER PACKAGE FLAGS...: the file DECLARED against the vendor's headers; HEADER is
# one of them; PACKAGE has it, or are words where none does.
compare() {
	api=$1 declared=$2 header=$3 package=$4
	shift 4
	mkdir -p "$T/$api"
	awk -f "$here/facts.awk" "$SRC/$declared" >"$T/$api/all" 2>"$T/$api/err"
	check $? "$declared: every line is read" "$(cat "$T/$api/err")"
	grep '^function ' "$T/$api/all" >"$T/$api/functions"
	grep -v '^function ' "$T/$api/all" >"$T/$api/facts"
	checks_with ""
	facts_of "$api" >"$T/$api/want"
	built=$?
	[ $built -eq 0 ] && [ "$(grep -c '^function ' "$T/$api/want")" -eq "$(wc -l <"$T/$api/functions")" ]
	check $? "$declared: it compiles by itself, and $api.c takes every function from it" "$(cat "$T/$api/err")"
	compared=0
	: >"$T/$api/seen"
	for folder in installed "${fetched:-/nonexistent}/$api"/*/; do
		if [ "$folder" = installed ]; then
			flags=$*
		else
			[ -d "$folder" ] || continue
			flags="-isystem $folder"
			# Some headers name their neighbours without the folder.
			for sub in "$folder"*/; do [ ! -d "$sub" ] || flags="$flags -idirafter $sub"; done
		fi
		# shellcheck disable=SC2086
		sed -n '/^#ifdef ABI_OF_VENDOR/,/^#endif/p' "$here/$api.c" |
			"$CC" -std=gnu17 -w -E -dD -DABI_OF_VENDOR $flags - >"$T/$api/text" 2>"$T/$api/err" || {
			# Only headers that are not there are passed over, not headers that cannot be read.
			if [ "$folder" != installed ] || ! grep -q 'No such file or directory\|file not found' "$T/$api/err"; then
				check 1 "$declared against $folder" "$(cat "$T/$api/err")"
			fi
			continue
		}
		compared=$((compared + 1))
		# Only what these headers know, for others are older or newer.
		tr -c 'A-Za-z0-9_' '\n' <"$T/$api/text" | sort -u >"$T/$api/words"
		cp "$T/$api/facts" "$T/$api/declared"
		awk -v words="$T/$api/words" 'BEGIN { while ((getline word < words) > 0) has[word] = 1 }
			{ known = 1; count = split($0, w, /[(), .]+/); for (i = 2; i < count; i++) known = known && (w[i] in has) }
			known' "$T/$api/declared" >"$T/$api/facts"
		checks_with "$T/$api/words"
		# shellcheck disable=SC2086
		facts_of "$api" >"$T/$api/ours" && facts_of "$api" -DABI_OF_VENDOR $flags >"$T/$api/theirs"
		rc=$?
		diff "$T/$api/ours" "$T/$api/theirs" >"$T/$api/diff" 2>&1
		same=$?
		[ $rc -eq 0 ] && [ $same -eq 0 ] && [ -s "$T/$api/ours" ]
		check $? "$declared against $folder: $(wc -l <"$T/$api/ours") facts are the vendor's" "$(cat "$T/$api/err" "$T/$api/diff")"
		if [ $compared -eq 1 ] && grep -q ' = [0-9]*,$' "$SRC/$declared"; then
			# With one number wrong, it would be seen.
			name=${declared#backends/} name=${name#plugins/probes/}
			mkdir -p "$T/$api/wrong/${name%/*}"
			sed '0,/ = [0-9]*,$/s/ = [0-9]*,$/ = 12345,/' "$SRC/$declared" >"$T/$api/wrong/$name"
			facts_of "$api" "-I$T/$api/wrong" "-I$SRC/${declared%/*}" >"$T/$api/mistaken"
			[ "$(diff "$T/$api/mistaken" "$T/$api/theirs" | grep -c '^< constant .* 12345$')" -eq 1 ]
			check $? "and with one number wrong they would not be" "$(cat "$T/$api/err")"
		fi
		cat "$T/$api/ours" >>"$T/$api/seen"
		mv "$T/$api/declared" "$T/$api/facts"
	done
	if [ $compared -eq 0 ]; then
		n=$((n + 1))
		case $package in *" "*) ;; *) package="package $package" ;; esac
		echo "ok $n - $declared against the vendor's headers # SKIP $header was not found ($package)"
		return
	fi
	# One version may lack what another has.
	awk '{ print $1, $2 }' "$T/$api/seen" | sort -u >"$T/$api/known"
	awk '{ print $1, $2 }' "$T/$api/want" | sort -u | comm -23 - "$T/$api/known" >"$T/$api/never"
	[ ! -s "$T/$api/never" ] || [ ! -f "$fetched/complete" ]
	check $? "$declared: $(wc -l <"$T/$api/never") facts are in none of $compared headers: $(tr '\n' ' ' <"$T/$api/never")"
}

# Where configure found a vendor's headers.
flags_of() { sed -n "s/^$1_CPPFLAGS = *//p" "$BUILD/config.mk"; }

machine=$("$CC" -print-multiarch 2>/dev/null) || machine=

# The flags are words on purpose.
# shellcheck disable=SC2046
{
	compare opencl backends/opencl/ocl_abi.h CL/cl.h opencl-headers $(flags_of opencl)
	compare cuda backends/cuda/cuda_abi.h cuda.h nvidia-cuda-toolkit $(flags_of cuda)
	compare cublaslt backends/cuda/cublaslt_abi.h cublasLt.h nvidia-cuda-toolkit $(flags_of cuda)
	compare levelzero backends/levelzero/lz_abi.h level_zero/ze_api.h libze-dev $(flags_of levelzero)
	compare sysman plugins/probes/sysman/zes_abi.h level_zero/zes_api.h libze-dev $(flags_of levelzero)
	compare hip backends/hip/hip_abi.h hip/hip_runtime_api.h libamdhip64-dev $(flags_of hip)
	compare hipblaslt backends/hip/hipblaslt_abi.h hipblaslt/hipblaslt.h libhipblaslt-dev $(flags_of hip)
	compare rocblas backends/hip/rocblas_abi.h rocblas/rocblas.h librocblas-dev $(flags_of hip)
	# These come with the CUDA toolkit and with ROCm as well.
	compare nvml plugins/probes/nvml/nvml_abi.h nvml.h libnvidia-ml-dev $(flags_of cuda)
	compare rsmi plugins/probes/rocm/rsmi_abi.h rocm_smi/rocm_smi.h librocm-smi-dev $(flags_of hip)
	compare amdsmi plugins/probes/rocm/amdsmi_abi.h amd_smi/amdsmi.h libamd-smi-dev $(flags_of hip)
	# OpenBLAS and BLIS have headers of one name, and Debian a folder for each.
	compare blas backends/host/blas_abi.h cblas.h libopenblas-dev "-I/usr/include/$machine/openblas-pthread"
	compare openblas backends/host/openblas_abi.h cblas.h libopenblas-dev "-I/usr/include/$machine/openblas-pthread"
	compare blis backends/host/blis_abi.h blis.h libblis-pthread-dev -O1 "-I/usr/include/$machine/blis-pthread"
	# What both versions of oneDNN have alike, and what each has alone: a machine has one of them.
	compare onednn backends/shared/onednn_abi.h oneapi/dnnl/dnnl.h libdnnl-dev
	for version in 2 3; do
		compare "onednn$version" "backends/shared/onednn${version}_abi.h" oneapi/dnnl/dnnl.h libdnnl-dev
	done
	compare onednngraph backends/host/onednn_graph_abi.h oneapi/dnnl/dnnl_graph.h "of oneDNN 3"
	compare onednnocl backends/opencl/onednn_ocl_abi.h oneapi/dnnl/dnnl_ocl.h libdnnl-dev $(flags_of opencl)
	compare onednnze backends/levelzero/onednn_ze_abi.h oneapi/dnnl/dnnl_ze.h "of oneDNN 3.12 and later" $(flags_of levelzero)
	compare clblast backends/opencl/clblast_abi.h clblast_c.h libclblast-dev $(flags_of opencl)
}

echo "1..$n"
exit $bad
