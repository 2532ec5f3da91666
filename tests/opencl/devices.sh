#!/bin/sh
# What `evenhand devices` says of OpenCL stacks: none at all, the ones that are installed, and what
# was switched on for them.
n=0 bad=0
vendors=/etc/OpenCL/vendors
check() { # status text [detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		bad=1
		printf '%s\n' "${3:-}" >&2
	fi
}
skip() { # text reason
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
has() { # text pattern
	printf '%s\n' "$1" | grep -q -e "$2"
}
finish() {
	echo "1..$n"
	exit $bad
}
unset RUSTICL_ENABLE OCL_ICD_VENDORS VIRTUAL_ENV CONDA_PREFIX

if [ ! -f "$BUILD/lib/evenhand/backends/opencl.so" ]; then
	skip "OpenCL stacks" "the OpenCL backend is not built"
	finish
fi

out=$("$EVENHAND" --set opencl.library=libno-such-opencl.so.1 devices 2>&1)
has "$out" "libno-such-opencl.so.1 cannot be opened.*install the package" && ! has "$out" "opencl:"
check $? "without a loader library, one sentence with advice" "$out"
has "$out" "host:"
check $? "and the other backends are listed" "$out"

if ! ldconfig -p 2>/dev/null | grep -q libOpenCL.so.1; then
	skip "stacks of this machine" "there is no libOpenCL.so.1 (package ocl-icd-libopencl1)"
	finish
fi

mkdir -p "$T/vendors"
out=$(OCL_ICD_VENDORS="$T/vendors" "$EVENHAND" devices 2>&1)
has "$out" "found no platforms by OCL_ICD_VENDORS=$T/vendors" && ! has "$out" "opencl:"
check $? "an empty folder of vendors gives no devices and a note" "$out"

for stack in pocl rusticl; do
	if [ ! -f "$vendors/$stack.icd" ]; then
		package=mesa-opencl-icd
		[ $stack = rusticl ] || package=pocl-opencl-icd
		skip "$stack is listed" "there is no $vendors/$stack.icd (package $package)"
		continue
	fi
	out=$(OCL_ICD_VENDORS="$vendors/$stack.icd" "$EVENHAND" devices 2>&1)
	has "$out" "opencl:$stack-0"
	check $? "$stack is listed" "$out"
done

if [ ! -f "$vendors/rusticl.icd" ]; then
	skip "rusticl is not switched on against the user's wish" "there is no $vendors/rusticl.icd (package mesa-opencl-icd)"
else
	out=$(OCL_ICD_VENDORS="$vendors/rusticl.icd" "$EVENHAND" --set opencl.rusticl=off devices 2>&1)
	has "$out" "Platform rusticl .* has no devices: name the drivers" && ! has "$out" "opencl:rusticl"
	check $? "rusticl is not switched on against the user's wish" "$out"
fi

if [ ! -f "$vendors/mesa.icd" ]; then
	skip "a platform without devices is a note" "there is no $vendors/mesa.icd (package mesa-opencl-icd)"
elif [ -n "${SANITIZE:-}" ]; then
	skip "a platform without devices is a note" "Mesa's Clover aborts in a sanitized process"
else
	out=$(OCL_ICD_VENDORS="$vendors/mesa.icd" "$EVENHAND" devices 2>&1)
	has "$out" "Platform Clover .* has no devices" && ! has "$out" "opencl:clover"
	check $? "a platform without devices is a note" "$out"
fi

# Intel's runtime of a Python environment, which no loader finds there.  A file that is not opened will do.
mkdir -p "$T/venv/lib" && echo "no library" > "$T/venv/lib/libintelocl.so"
if "$EVENHAND" devices 2>&1 | grep -q '^opencl:intel-cpu-'; then
	skip "Intel's runtime that the loader does not know is a note" "the loader knows one here"
else
	out=$(VIRTUAL_ENV="$T/venv" "$EVENHAND" devices 2>&1)
	has "$out" "OCL_ICD_VENDORS=$T/venv/lib/libintelocl.so" && has "$out" "/etc/OpenCL/vendors/intel-cpu.icd"
	check $? "Intel's runtime that the loader does not know is a note with the remedy" "$out"
	out=$(VIRTUAL_ENV="$T/venv" OCL_ICD_VENDORS="$vendors" "$EVENHAND" devices 2>&1)
	! has "$out" "libintelocl"
	check $? "not where the user has chosen the stacks" "$out"
fi

# A library that is no OpenCL, and a vendor's file that names nothing.
echo /nowhere/libnothing.so > "$T/vendors/broken.icd"
out=$(OCL_ICD_VENDORS="$T/vendors" "$EVENHAND" devices 2>&1)
has "$out" "found no platforms" && has "$out" "host:"
check $? "a vendor's file that leads nowhere is survived" "$out"
out=$("$EVENHAND" --set opencl.library=libm.so.6 devices 2>&1)
has "$out" "has no clGetPlatformIDs"
check $? "a library that is no OpenCL loader is refused" "$out"
finish
