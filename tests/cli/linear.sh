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
	's/(take) % 2 + (p) \* 2/(take) % 2 * 2 + (p)/' '' opencl:pocl
# Of codes that the crafted weights do not have, one of each format, so that only normal ones show it.
caught "subnormal e4m3, large i8, the largest i4, the subnormal of mxfp4" linear 'small*' '
	s/(small < normal ? small : normal)/(small == 0u ? small : normal)/
	s/(bits ^ 0x4b000080u)/((bits >> 6 == 1u ? 63u : bits) ^ 0x4b000080u)/
	s/(bits | 0x4b000000u)/((bits == 15u ? 14u : bits) | 0x4b000000u)/
	s/E2M1 EH_FROM_E2M1_/E2M1(name, ...) EH_FROM_E2M1_(right, __VA_ARGS__) EH_DEVICE_FN float name(eh_u32 b) { return right(b) * (b % 8 == 1 ? 1.5f : 1); }/' B

# Every code as GPUs decode it, and with one fault.
codes() { # FORMAT BITS GROUP FOLDER: whether the text in the folder decodes them right
	# The compiler is a list of words on purpose.
	# shellcheck disable=SC2086
	${CC:?} -std=gnu17 -O1 -w -I"$4" -I"$SRC/workloads" -DEH_W_FORMAT="$1" -DEH_W_BITS="$2" -DEH_W_GROUP="$3" \
		-DEH_W_SCALE=F32 -DEH_W_PRECISION=F32 -DEH_W_X_BYTES=4 -DEH_W_K=4096 -DEH_W_ROWS=1 -DEH_W_TOKENS=1 \
		-DEH_W_ITEMS=16 -DEH_W_UNROLL=1 -DEH_W_WIDE=1 -o codes "$SRC/tests/cli/linear_codes.c" -lm >codes.log 2>&1 || return 2
	./codes >codes.log 2>&1
}
mkdir -p decoded/linear
for format in 'E4M3 8 1' 'I8 8 1' 'I4 4 128' 'E2M1 4 32'; do
	# shellcheck disable=SC2086
	codes $format "$SRC/workloads"
	check $? "every code of $format on a GPU" codes.log
done
missed() { # TEXT FORMAT SED-SCRIPT
	sed "$3" "$SRC/workloads/linear/linear.k" >decoded/linear/linear.k
	# shellcheck disable=SC2086
	codes $2 decoded
	[ $? -eq 1 ] && ! cmp -s decoded/linear/linear.k "$SRC/workloads/linear/linear.k"
	check $? "$1 on a GPU is found" codes.log
}
missed "a NaN that is a number" 'E4M3 8 1' 's/0x01010101u/0x01010100u/'
missed "a lost sign" 'E2M1 4 32' 's/EH_W_BOTH(0x8000u)/0x80000000u/'
missed "another zero" 'I8 8 1' 's/at, 128)/at, 127)/'

finish
