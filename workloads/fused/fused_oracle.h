/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of the fused operations and their expected outputs.  Inputs repeat a block each. */
#ifndef WORKLOADS_FUSED_ORACLE_H
#define WORKLOADS_FUSED_ORACLE_H

#include "../support.h"

enum fused_operation { RMSNORM, RMSNORM_RESIDUAL, SWIGLU, ROPE, SOFTMAX };

#define ORACLE_INPUTS 3
#define ORACLE_PIECE 1024 /* elements compared at a time */

/* One input: `count` elements on the device, which repeat `period` elements. */
typedef struct fused_input {
	uint64_t count, period;
	void *block;              /* as elements                                               */
	double *value;            /* the same in double precision                              */
} fused_input;

typedef struct fused_oracle {
	const eh_bench *bench;
	enum fused_operation operation;
	char precision[8];
	uint32_t element;         /* bytes                                                     */
	uint32_t inputs, outputs;
	int exact;                /* the inputs are the crafted ones                           */
	uint64_t rows, width;     /* of each output; width of rope: all heads of a token       */
	uint64_t head_dim;        /* rope                                                      */
	float eps;                /* what the kernel gets                                      */
	fused_input in[ORACLE_INPUTS]; /* x, (residual,) w; gate, up; x, table; x              */
	double *term;             /* for each element of the block of x, what an output begins with */
	double total;             /* over the whole block, what a row adds up                  */
	float *decoded;           /* value of each 16-bit element                              */
	double want[ORACLE_PIECE], allowed[ORACLE_PIECE];
	double error2, want2;     /* sums of squares over a check                              */
} fused_oracle;

/* What an input of that shape needs; EH_E_NO_MEMORY leaves what fused_oracle_free can free. */
eh_status fused_oracle_make(fused_oracle *o, const eh_bench *bench, int exact);
void fused_oracle_free(fused_oracle *o);

/* Makes the inputs of the variant; of an exact oracle the crafted ones. */
void fused_oracle_fill(fused_oracle *o, uint32_t variant);

/* Between these the chunks of each output come in order; `first` counts elements. */
void fused_oracle_begin(fused_oracle *o, eh_check *check);
void fused_oracle_compare(fused_oracle *o, uint32_t output, uint64_t first, const void *got,
                          uint64_t count, uint64_t iteration, eh_check *check);
void fused_oracle_end(fused_oracle *o, eh_check *check);

#endif
