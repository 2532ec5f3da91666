#!/bin/sh
# gemm, fused and attention at sizes that fill no tile: on the host and on PoCL every output is right, and
# kernels with one fault give no number.
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"
# PoCL compiles each kernel for seconds.
while read -r name some; do
	right host:gcc "$name" '*'
	right opencl:pocl "$name" "$some"
done <<'END'
gemm odd.e4m3*,turned-ab*
fused rest.softmax.f16*,alone.rmsnorm-residual.bf16*,alone.swiglu.bf16*,alone.softmax.*
attention prefill*yes*fused*
END
odd='odd.f32*,odd.e4m3*,odd.i8*'
caught "gemm: a tail of k that is left out" gemm "$odd" 's/from < k; from += EH_G_DEEP/from + EH_G_DEEP <= k; from += EH_G_DEEP/'
caught "gemm: rows of A taken for those of B" gemm "$odd" 's/(row + t) \* lda + from + d/(column + t) % m * lda + from + d/'
caught "gemm: a sum that loses bits" gemm "odd.f32*" 's/EH_P(sums).v\[i\] = s\[i\];/EH_P(sums).v[i] = s[i] * EH_SPLAT(EH_G_T, EH_G_REAL, 1.0001f);/'
caught "gemm: a row that is not stored" gemm "$odd" 's/const int there = whole/const int there = at_row == 77 ? 0 : whole/'
caught "gemm: an output that stays as it was" gemm "odd.f32*,odd.bf16*" 's/EH_G_STORE(c, at + e, lanes.e\[e\]);/;/'
caught "fused: a wrong mean" fused 'norm*' 's|1.0f / EH_U_WIDTH|1.01f / EH_U_WIDTH|'
caught "fused: a wrong sigmoid" fused 'rest.swiglu*' 's/EH_U_ALL(0) - eh_u_larger(gate/EH_U_ALL(0) - 1.02f * eh_u_larger(gate/'
caught "fused: one sum of 16 taken for all" fused 'alone.softmax.f32*' 's/finish(narrow(EH_P(part)))/finish(EH_P(part).s0)/' '' opencl:pocl
caught "attention: a wrong scale" attention 'long*fused*' 's/\* EH_A_SCALE/* (EH_A_SCALE * 1.05f)/'

finish
