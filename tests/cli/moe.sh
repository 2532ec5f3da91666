#!/bin/sh
# moe at sizes that fill no tile, with every skew: on the host and on PoCL every output is right, and
# kernels with one fault give no number.
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"
right host:gcc moe '*' 8
# PoCL compiles each kernel for seconds.
right opencl:pocl moe 'odd*bf16,skewed*,even*f32*' 3

expert='s/const int expert = tiles\[3 \* EH_GROUP(0)\];'
caught "the weights of the expert before" moe/gemm 'odd*,even*' \
	"$expert/const int expert = tiles[3 * EH_GROUP(0)] != 0 ? tiles[3 * EH_GROUP(0)] - 1 : 1;/"
caught "experts without rows that are not counted" moe/gemm 'skewed*' \
	"$expert/int expert = 0; for (int i = 3; i <= 3 * EH_GROUP(0); i += 3) expert += tiles[i] != tiles[i - 3];/"
caught "a route off by one" moe/gemm 'odd*,skewed*' 's/token\[(r) < m ? (r) : m - 1\]/token[(r) + 1 < m ? (r) + 1 : m - 1]/'
caught "the first rows of an expert in its next tile" moe/gemm 'one*' \
	's/row = tiles\[3 \* EH_GROUP(0) + 1\];/row = tiles[3 * EH_GROUP(0) + 1] - (tiles[3 * EH_GROUP(0) + 1] > 32 ? 32 : 0);/'
caught "an expert's last row that is left out" moe/gemm '*' 's/EH_G_ROW_THERE(r) ((r) < m)/EH_G_ROW_THERE(r) ((r) < m - 1)/'
caught "a tail of k that is left out" moe/gemm 'odd*' 's/from < k; from += EH_G_DEEP/from + EH_G_DEEP <= k; from += EH_G_DEEP/'
caught "an output that stays as it was" moe/gemm 'odd*,one*' 's/EH_G_STORE(c, at + e, lanes.e\[e\]);/;/'
caught "weights that lie as k x n" moe/gemm 'odd*' 's/(column + t) \* ldb + from + d/(from + d) * n + column + t/'
caught "rows of W taken for those of X" moe/gemm 'odd*' 's/EH_G_LINE(row + t) \* lda/EH_G_LINE((column + t) % m) * lda/'
caught "a scale that is off by 0.5 %" moe/gemm 'odd*bf16*,even*' \
	's/= EH_P(sums).v\[i \* EH_G_V + v\];/= EH_SPLAT(EH_G_T, float, 1.005f) * EH_P(sums).v[i * EH_G_V + v];/'
# Small integers are exact in bf16, so only normal inputs show it.
caught "sums that are rounded to bf16 at each step" moe/gemm 'even*' '
	s/64 \/ EH_G_DEPTH \* EH_G_DEPTH/EH_G_DEPTH/
	s/EH_P(sums).v\[i\] = s\[i\];/{ union { EH_G_T v; float e[EH_G_W]; } l; eh_bf16 t[1]; l.v = s[i];\
		for (int e = 0; e < EH_G_W; e++) { EH_STORE_BF16(t, 0, l.e[e]); l.e[e] = EH_LOAD_BF16(t, 0); }\
		EH_P(sums).v[i] = l.v; }/' B
caught "on PoCL, the tokens of the rows before" moe/gemm 'even*f32*' \
	's/token\[(r) < m ? (r) : m - 1\]/token[(r) < m ? (r) > 0 ? (r) - 1 : 0 : m - 1]/' '' opencl:pocl

finish
