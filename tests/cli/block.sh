#!/bin/sh
# block, stacks of transformer blocks of which no width fills anything: on the host and on PoCL every output
# is right, and kernels or launches with one fault give no number.
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"
right host:gcc block '*' 8
python3 - "$folder"/*.json >rho.facts 2>&1 <<'PY'
import json, sys
for c in json.load(open(sys.argv[1]))["cases"]:
    check = c["executions"][0]["verification"]["before"]
    # The smallest stack has too few elements of any operation.
    assert (check.get("rho_limit", 0) > 0) == (not c["id"].startswith("first")), (c["id"], check)
PY
check $? "the norm of the error is judged where an operation has 1024 elements" rho.facts
# PoCL compiles each kernel for seconds.
right opencl:pocl block 'decode.bf16*,prompt*' 2

caught "a residual that is not added" block 'decode.f32*,prompt*' 's/if (add)/if (add > 1)/'
caught "decode: the KV head of another head" block 'decode.bf16*' 's|row % EH_B_HEADS / EH_B_SHARE|row % EH_B_KV|'
caught "prefill: the KV head of another head" block 'prefill.bf16*' \
	's/kv \* EH_B_SHARE + (query) % EH_B_SHARE)/(query) % EH_B_SHARE * EH_B_KV + kv)/'
caught "a causal mask one key further" block 'prefill.bf16*' 's|/ EH_B_SHARE + 1|/ EH_B_SHARE + 2|g'
caught "decode: the last key left out" block 'deep*' 's/last = first + split < keys ? first + split : keys;/last = first + split < keys ? first + split : keys - 1;/'
caught "decode: a part left out" block 'decode.bf16*' 's/for (int i = 0; i < parts; i++)/for (int i = 0; i < parts - 1; i++)/'
caught "sums that are not rescaled" block 'prefill.bf16*' 's/EH_P(total) \*= rescale;/EH_P(total) *= 1.0f;/'
caught "the angles of another position" block 'prefill.bf16*' 's/table\[token \*/table[(token + 1) % tokens */g'
caught "a cache's row at another position" block 'deep*' 's/context + token;/context + (token + tokens - 1) % tokens - (tokens == 1);/'
caught "decode: a tail of K that is left out" block 'decode.f32*' 's/EH_B_PRODUCTS(take < takes)/EH_B_PRODUCTS(0)/'
caught "prefill: a tail of K that is left out" block 'prefill.f32*' 's/from < k; from += EH_B_DEEP/from + EH_B_DEEP <= k; from += EH_B_DEEP/'
caught "another eps" block 'deep*' 's/(float)width + eps/(float)width + 1.5f * eps/'
caught "another mean" block 'first*' 's/(float)width + eps/(float)(width + 1) + eps/'
caught "products that are added up in bf16" block 'decode.bf16*' \
	's/return EH_MAD(w.all, x.all, sum);/return eh_from_bf16_(eh_to_bf16_(w.all * x.all + sum));/'
caught "gate and up swapped" block 'deep*' \
	's/gates, 2 \* row + i)/gates, 2 * row + takes + I)/; s/gates, 2 \* row + takes + i)/gates, 2 * row + i)/; s/takes + I)/takes + i)/'
# No element is wrong by itself, and products with the matrices of this stack have too few elements for a norm.
caught "attention with weights of 16 bits" block 'long*' \
	's/: EH_EXP32(s - t);/: (float)(int)(65536.0f * EH_EXP32(s - t)) * 0x1p-16f;/'
grep -q 'rho is' lie/*.json
check $? "which only the norm of the error shows" lie/*.json
caught "an output that stays as it was" block 'decode.bf16*' 's/EH_B_STORE(y, to, s);/;/'
caught "a row of W that is not stored" block 'decode.f32*' 's/row < n \&\& token < m/row < n - 1 \&\& token < m/'
caught_in "a layer with its neighbour's weights" block block_run.c 'deep*' \
	's/layer->weight\[BLOCK_TO_GATES\]/s->layers[l ^ (l + 1 < s->plan.shape.layers)].weight[BLOCK_TO_GATES]/'
caught_in "the input of another token" block block_run.c 'prefill.f32*' 's/shape->hidden, s->inputs.x, 0, error)/shape->hidden, s->inputs.x, shape->hidden, error)/'
caught_in "the logits of another token" block block_run.c 'prefill.f32*' 's/shape->tokens - 1, shape->tokens,/0, shape->tokens,/'
caught_in "a norm that is left out" block block_run.c 'first*' \
	's/status = norm(s, stage\[BLOCK_NORMED2\].*/status = error != NULL ? EH_OK : EH_OK;/'

finish
