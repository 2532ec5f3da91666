/* SPDX-License-Identifier: Apache-2.0 */
/* eh.attention.0 on the host: attention by those libraries of eh.gemm.1 that have it. */
#ifndef HOST_ATTENTIONPLANS_H
#define HOST_ATTENTIONPLANS_H

#include "gemmplans.h"

struct eh_attention_plan {
	eh_device *device;
	gemm_library *library;
	eh_attention attention;
	uint64_t bytes_q, bytes_k; /* of Q and O, of K and V                                  */
	char kernel[GEMM_NAME];
	char interface[GEMM_NAME]; /* the function that is called                             */
	void *own;
};

/* What a library of gemmplans.h has for attention. */
typedef struct attention_vendor {
	/* Fills plan->kernel and plan->interface, and plan->own with what release releases. */
	eh_status (*prepare)(eh_attention_plan *plan, eh_error *error);
	eh_status (*run)(const eh_attention_plan *plan, const void *q, const void *k, const void *v, void *o,
	                 eh_error *error);
	void (*release)(eh_attention_plan *plan);
} attention_vendor;

extern const attention_vendor attention_onednn;

/* The table of eh.attention.0. */
extern const eh_attention_ops attention_table;

#endif
