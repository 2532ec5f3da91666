#!/bin/sh
# The vendor tier of the opencl backend by oneDNN, the test library on PoCL: the rows of a right library, and of
# one that lies or fails.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}"
cd "$T" || exit 1
executor=opencl:pocl-0
library=$BUILD/tests/drivers/onednn/ocl/libdnnl.so.3
. "$SRC/tests/drivers/onednn/rows"
OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
export OCL_ICD_VENDORS
if [ ! -f "$OCL_ICD_VENDORS" ] || ! "$EVENHAND" devices 2>/dev/null | grep -q "^$executor "; then
	echo "ok 1 - products of the opencl backend by oneDNN # SKIP PoCL is not installed (package pocl-opencl-icd)"
	echo "1..1"
	exit 0
fi
onednn_rows --set "opencl.onednn=$library" --set opencl.gemm=onednn
row first '' f32 --set "opencl.onednn=$library"
says first 'good and l["name"] == "oneDNN" and "(opencl.gemm)" not in l["detail"]'
ok $? "a library that is named is asked first" "$log" "$T/facts"
row built 'dnnl_version=cpu' f32 --set "opencl.onednn=$library" --set opencl.gemm=onednn
says built 'c["status"] == "unsupported" and "was built without OpenCL" in str(c["reasons"])'
ok $? "one that was built for processors is not used, with the remedy" "$log" "$T/facts"
finish
