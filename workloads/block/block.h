/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of transformer blocks: its sizes, its inputs, and what lies on the device.
 *
 * Rows of activations are the new tokens of all sequences, one sequence after the other.  A layer makes
 * the stages below, in this order.
 */
#ifndef WORKLOADS_BLOCK_H
#define WORKLOADS_BLOCK_H

#include "../library.h"
#include "../oracle.h"

#define BLOCK_EPS 1e-5f
/* Layers of which all stages are kept until the next operation, to be checked. */
#define BLOCK_CHOSEN 3

/* Products, each with a matrix [n][k] of its own in every layer but the last, which the stack has once. */
enum block_product {
	BLOCK_TO_QKV,
	BLOCK_TO_HIDDEN,
	BLOCK_TO_GATES,
	BLOCK_DOWN,
	BLOCK_TO_LOGITS,
	BLOCK_PRODUCTS
};
/* Whether what the product makes is added to the residual stream. */
#define BLOCK_ADDS(product) ((product) == BLOCK_TO_HIDDEN || (product) == BLOCK_DOWN)

enum block_stage {
	BLOCK_X,        /* hidden                                                                */
	BLOCK_NORMED,   /* hidden: norm of X                                                     */
	BLOCK_QKV,      /* heads of q, k and v                                                   */
	BLOCK_Q,        /* heads of q, turned                                                    */
	BLOCK_O,        /* heads of the attention's output                                       */
	BLOCK_H,        /* hidden: X + O's product                                               */
	BLOCK_NORMED2,  /* hidden: norm of H                                                     */
	BLOCK_GATES,    /* all gates, then all ups                                               */
	BLOCK_ACT,      /* intermediate: up * silu(gate)                                         */
	BLOCK_NEXT,     /* hidden: H + the last product, the next layer's X                      */
	BLOCK_STAGES
};

enum { BLOCK_KEYS, BLOCK_VALUES, BLOCK_CACHES };

typedef struct block_shape {
	char precision[8];
	int prefill;
	uint64_t layers, hidden, intermediate, heads, kv_heads, head;
	uint64_t batch, tokens, context;   /* sequences; new tokens and those before, of each       */
	uint64_t vocabulary;               /* 0: no logits                                          */
	uint64_t rows, keys;               /* batch * tokens; context + tokens                      */
	uint64_t n[BLOCK_PRODUCTS], k[BLOCK_PRODUCTS];
	uint64_t width[BLOCK_STAGES];      /* elements of a row                                     */
} block_shape;

/* Elements that a token has in one cache, and that a sequence has there. */
uint64_t block_cache_row(const block_shape *s);
uint64_t block_cache_sequence(const block_shape *s);

/* ---- inputs --------------------------------------------------------------------------------- */

/*
 * What repeats is a block of ORACLE_BLOCK elements that lies twice in a row, so that any stretch of up to
 * that many is in one piece.  Every matrix, norm and cache begins somewhere else in its block.
 */
typedef struct block_inputs {
	const eh_bench *bench;
	const block_shape *shape;
	uint32_t element;                  /* bytes                                                 */
	unsigned char *weight[BLOCK_PRODUCTS];
	float *weight_value[BLOCK_PRODUCTS];
	unsigned char *norm;
	float *norm_value;
	unsigned char *x, *cache[BLOCK_CACHES];
	float *table;                      /* of each token D/2 cosines, then D/2 sines             */
} block_inputs;

/* *in is zeroed; after a failure too it is freed with block_inputs_free.  The weights are made here. */
eh_status block_inputs_make(block_inputs *in, const eh_bench *bench, const block_shape *shape);
void block_inputs_free(block_inputs *in);
/* The tokens' activations and the caches, others for every variant. */
void block_inputs_vary(block_inputs *in, uint32_t variant);
/* Where in their blocks these begin.  A layer has norms 0 and 1, the stack norm 0 of layer `layers`. */
uint64_t block_weight_at(uint64_t layer, enum block_product product);
uint64_t block_norm_at(uint64_t layer, uint64_t norm);
uint64_t block_cache_at(uint64_t layer);

/* ---- the device ------------------------------------------------------------------------------ */

typedef struct block_layer {
	eh_buffer *weight[BLOCK_TO_LOGITS], *norm[2], *cache[BLOCK_CACHES];
	int set;                           /* which stages it writes                                */
} block_layer;

/* What follows from a case. */
typedef struct block_plan {
	block_shape shape;
	uint64_t rows;                     /* decode: of W per group; prefill: of x per work-item    */
	uint64_t tokens, unroll;           /* decode: rows of x in a pass, spans under way           */
	uint64_t group;                    /* decode: heads that are taken together                 */
	uint64_t split, splits;            /* decode: keys of a group, and groups for all keys       */
	uint64_t product_local, attention_local;
	uint64_t part, state;              /* bytes of what the groups of decode leave        */
} block_plan;

typedef struct block_state {
	const eh_bench *bench;
	block_plan plan;
	block_inputs inputs;
	eh_kernel *norm, *product, *rope, *attention, *merge, *swiglu;
	library_product library[BLOCK_PRODUCTS]; /* of the vendor tier                              */
	block_layer *layers;
	/* One set for each chosen layer, and one that all others share. */
	eh_buffer *stage[BLOCK_CHOSEN + 1][BLOCK_STAGES];
	uint64_t chosen[BLOCK_CHOSEN];
	int chosen_count, sets;
	eh_buffer *out, *table, *part, *state;
	eh_buffer *last_weight, *last_norm, *last_normed, *logits;
	/* For checking: see block_check.c. */
	double *row[BLOCK_STAGES], *sign, *vector[BLOCK_CHOSEN + 1][BLOCK_PRODUCTS];
	unsigned char *bytes;
	uint64_t bytes_size;
	int vector_made[BLOCK_CHOSEN + 1][BLOCK_PRODUCTS];
} block_state;

/* Where a layer has a stage. */
eh_buffer *block_stage_of(const block_state *s, uint64_t layer, int stage);

/* ---- block_run.c ---- */
eh_status block_make(block_state *s, eh_error *error);
void block_free(block_state *s);
/* In the vendor tier: what made the products. */
eh_status block_library(void *state, eh_layer *layer, eh_error *error);
/* Uploads what differs between variants. */
eh_status block_upload_variant(block_state *s, eh_error *error);
eh_status block_enqueue(void *state, uint64_t iteration, eh_error *error);
eh_status block_poison(void *state, eh_error *error);
/* Draws the layers whose stages are kept. */
void block_choose(block_state *s, uint32_t variant);

/* ---- block_check.c ---- */
eh_status block_check_make(block_state *s);
void block_check_free(block_state *s);
eh_status block_check(void *state, uint64_t iteration, eh_check *check, eh_error *error);

#endif
