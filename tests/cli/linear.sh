#!/bin/sh
# linear with weights of every format at sizes that fill nothing: on the host and on PoCL every output is
# right, and kernels with one fault give no number.
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"
right host:gcc linear '*' 18
# PoCL compiles each kernel for seconds.
right opencl:pocl linear 'groups*,whole*,small*,steps*' 8

caught "a tail of K that is left out" linear 'odd.f32*' 's/i < EH_W_SUMS \&\& at < EH_W_TAKES;/i < EH_W_SUMS \&\& at < 0;/'
caught "swapped nibbles" linear 'groups*' 's/part == 0 ? byte/part != 0 ? byte/'
caught "scales of another row, group and block" linear 'odd.e4m3*,groups*,blocks*' '
	s/EH_W_SCALE_AT(scales, row);/EH_W_SCALE_AT(scales, first);/
	s|(blocks) / (EH_W_GROUP|(blocks) / 2 / (EH_W_GROUP|'
caught "an output that stays as it was" linear 'odd.bf16*' 's/EH_W_X_STORE(y, .*, s);/;/'
caught "a row that is not stored" linear 'odd.i8*' 's/row < n \&\& token/row < n - 1 \&\& token/'
caught "the tokens of the first pass in the second" linear 'odd.bf16*' 's/(eh_i64)EH_W_TOKEN(t) \* EH_W_K/(eh_i64)t * EH_W_K/'
caught "on a device, pieces of another half" linear 'small.mxfp4*' \
	's|p % 2 \* 2|p / 2 * 2|g; s|(eh_u32)p / 2 \* 4|(eh_u32)p % 2 * 4|' '' opencl:pocl
# Of codes that the crafted weights do not have, one of each format, so that only normal ones show it.
caught "subnormal e4m3, large i8, the largest i4, the subnormal of mxfp4" linear 'small*' '
	s/(m - 8u) >> 31/(m - 1u) >> 31/
	s/(bits ^ 0x4b000080u)/((bits >> 6 == 1u ? 63u : bits) ^ 0x4b000080u)/
	s/(bits | 0x4b000000u)/((bits == 15u ? 14u : bits) | 0x4b000000u)/
	s/E2M1 EH_FROM_E2M1_/E2M1(name, ...) EH_FROM_E2M1_(right, __VA_ARGS__) EH_DEVICE_FN float name(eh_u32 b) { return right(b) * (b % 8 == 1 ? 1.5f : 1); }/' B

finish
