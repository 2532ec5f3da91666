/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that the workloads share whose kernel is gemm.k, a product in register tiles: what its
 * parameters rows, width, vectors and depth mean, which of them are refused, and the kernel's defines.
 */
#ifndef WORKLOADS_PRODUCT_H
#define WORKLOADS_PRODUCT_H

#include "support.h"

/* Work-items along each side of a group. */
#define PRODUCT_SIDE 16

/* What the kernel multiplies.  m is 0 where the kernel needs no guards for rows (grouped). */
typedef struct product_shape {
	uint64_t m, n, k;
	int turn_a, turn_b;        /* stored transposed                                          */
	int grouped;               /* of groups of rows, each with its own B                     */
	uint64_t rows;             /* of C per work-item: product_rows                           */
	const char *precision;     /* of A and B                                                 */
	const char *output;        /* of C                                                       */
} product_shape;

/* ---- precisions ---------------------------------------------------------------------------- */

/* What products of that precision are added up in. */
SUPPORT_INLINE const char *product_accumulator(const char *precision)
{
	if (strcmp(precision, "f64") == 0)
		return "f64";
	return precision[0] == 'i' ? "i32" : "f32";
}

/* The output that a case has unless it names one. */
SUPPORT_INLINE const char *product_standard_output(const char *precision)
{
	if (strcmp(precision, "i8") == 0)
		return "i32";
	if (strcmp(precision, "tf32") == 0 || strchr(precision, 'z') != NULL)
		return "f32";
	return precision[0] == 'e' ? "bf16" : precision;
}

/* The output of a case with parameters precision and output. */
SUPPORT_INLINE const char *product_output(const eh_case *values)
{
	const char *output = eh_case_text(values, "output");
	return strcmp(output, "standard") == 0 ? product_standard_output(eh_case_text(values, "precision"))
	                                       : output;
}

/* As eh_work.precision has it. */
SUPPORT_INLINE void product_name_precision(eh_work *work, const char *precision, const char *output)
{
	const char *accumulator = product_accumulator(precision);
	if (strcmp(output, accumulator) == 0 && strcmp(output, precision) == 0)
		snprintf(work->precision, sizeof work->precision, "%s", precision);
	else
		snprintf(work->precision, sizeof work->precision, "%.5s/%s/%.4s", precision, accumulator,
		         output);
}

/* ---- tiles --------------------------------------------------------------------------------- */

/* Columns per vector. */
SUPPORT_INLINE uint64_t product_width(const eh_case *values)
{
	const uint64_t width = eh_case_number(values, "width");
	if (width != 0)
		return width;
	return strcmp(eh_case_text(values, "precision"), "f64") == 0 ? 4 : 8;
}

/* Rows of C per work-item.  0 in the case: up to 8, as few as give `usual` rows one tile. */
SUPPORT_INLINE uint64_t product_rows(const eh_case *values, uint64_t usual)
{
	const uint64_t depth = support_positive(values, "depth");
	uint64_t rows = eh_case_number(values, "rows");
	if (rows == 0)
		for (rows = 1; rows < 8 && (PRODUCT_SIDE * rows < usual || rows * depth % PRODUCT_SIDE != 0);)
			rows *= 2;
	return rows;
}

/* Rows and columns of a group's tile. */
SUPPORT_INLINE uint64_t product_tile_m(uint64_t rows)
{
	return PRODUCT_SIDE * rows;
}

SUPPORT_INLINE uint64_t product_tile_n(const eh_case *values)
{
	return PRODUCT_SIDE * product_width(values) * support_positive(values, "vectors");
}

/* Refuses parameters that make no tiles, for the workload `name`. */
SUPPORT_INLINE eh_status product_refuse_tiles(const char *name, const eh_case *values, uint64_t rows,
                                              eh_error *error)
{
	const uint64_t width = product_width(values);
	const uint64_t vectors = eh_case_number(values, "vectors");
	const uint64_t depth = eh_case_number(values, "depth");

	if (vectors == 0 || depth == 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "%s: vectors and depth must be at least 1", name);
	if ((width & (width - 1)) != 0 || width < 2)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "%s: width=%" PRIu64 " is not 0, 2, 4, 8 or 16", name, width);
	if (rows * depth % PRODUCT_SIDE != 0 || width * vectors * depth % PRODUCT_SIDE != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "%s: rows*depth and width*vectors*depth must be multiples of 16",
		                     name);
	return EH_OK;
}

/* Both tiles, with four elements of padding in each row of A's. */
SUPPORT_INLINE uint64_t product_local_bytes(const eh_case *values, uint64_t rows)
{
	const uint64_t real = strcmp(eh_case_text(values, "precision"), "f64") == 0 ? 8 : 4;
	return support_positive(values, "depth") * (product_tile_m(rows) + 4 + product_tile_n(values)) *
	       real;
}

/* ---- the kernel's defines ------------------------------------------------------------------ */

SUPPORT_INLINE const char *product_kernel_type(const char *precision)
{
	static const char *const plain[][2] = {
		{"f32", "float"}, {"tf32", "float"}, {"f64", "double"}, {"i32", "int"}};
	size_t i;
	for (i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (strcmp(plain[i][0], precision) == 0)
			return plain[i][1];
	return NULL; /* eh_PRECISION */
}

SUPPORT_INLINE void product_define_type(eh_work *work, const char *type, const char *word,
                                        const char *precision)
{
	char upper[16];
	size_t i;
	for (i = 0; i + 1 < sizeof upper && precision[i] != '\0'; i++)
		upper[i] = (char)(precision[i] >= 'a' && precision[i] <= 'z' ? precision[i] - 32
		                                                             : precision[i]);
	upper[i] = '\0';
	support_define(work, word, "%s", upper);
	if (product_kernel_type(precision) != NULL)
		support_define(work, type, "%s", product_kernel_type(precision));
	else
		support_define(work, type, "eh_%s", precision);
}

/* Elements that a device accesses at once: 16 bytes, those of eight bits one. */
SUPPORT_INLINE uint64_t product_span(const char *precision)
{
	const uint64_t size = support_element_bytes(precision);
	return size == 1 ? 1 : 16 / size;
}

/* All defines of gemm.k, for tiles that product_refuse_tiles lets pass. */
SUPPORT_INLINE void product_define(const eh_case *values, const product_shape *s, eh_work *work)
{
	const uint64_t width = product_width(values);
	const uint64_t vectors = support_positive(values, "vectors");
	const uint64_t depth = support_positive(values, "depth"), span = product_span(s->precision);
	const char *real = product_accumulator(s->precision);

	product_define_type(work, "EH_G_ELEMENT", "EH_G_PRECISION", s->precision);
	product_define_type(work, "EH_G_OUTPUT", "EH_G_OUT", s->output);
	support_define(work, "EH_G_REAL", "%s", product_kernel_type(real));
	support_define(work, "EH_G_VECTOR", "eh_%sx%" PRIu64, real, width);
	support_define(work, "EH_G_WIDTH", "%" PRIu64, width);
	support_define(work, "EH_G_VECTORS", "%" PRIu64, vectors);
	support_define(work, "EH_G_ROWS", "%" PRIu64, s->rows);
	support_define(work, "EH_G_DEPTH", "%" PRIu64, depth);
	if (s->turn_a)
		support_define(work, "EH_G_TURN_A", "1");
	if (s->turn_b)
		support_define(work, "EH_G_TURN_B", "1");
	if (s->grouped)
		support_define(work, "EH_G_GROUPED", "1");
	if (s->m % product_tile_m(s->rows) != 0 || s->n % product_tile_n(values) != 0 ||
	    s->k % depth != 0)
		support_define(work, "EH_G_GUARD", "1");
	if ((s->turn_a ? s->m : s->k) % span != 0 || (s->turn_b ? s->k : s->n) % span != 0 ||
	    s->n % width != 0 || depth % span != 0)
		support_define(work, "EH_G_LOOSE", "1");
	if (strcmp(s->output, real) != 0)
		support_define(work, "EH_G_NARROW", "1");
}

/* ---- launching ----------------------------------------------------------------------------- */

typedef struct product_grid {
	uint64_t m, n, k, batch;
	uint64_t tile_m, tile_n;
} product_grid;

/* One command: `batch` products by eh_gemm, whose defines are those of product_define. */
SUPPORT_INLINE eh_status product_launch(const eh_bench *bench, eh_kernel *kernel, eh_buffer *a,
                                        eh_buffer *b, eh_buffer *c, const product_grid *g,
                                        eh_error *error)
{
	const int32_t m = (int32_t)g->m, n = (int32_t)g->n, k = (int32_t)g->k;
	const uint32_t groups[3] = {
		(uint32_t)((g->n + g->tile_n - 1) / g->tile_n),
		(uint32_t)((g->m + g->tile_m - 1) / g->tile_m),
		(uint32_t)g->batch,
	};
	const eh_arg args[] = {support_buffer(a), support_buffer(b), support_buffer(c),
	                       support_value(&m, sizeof m), support_value(&n, sizeof n),
	                       support_value(&k, sizeof k)};
	return support_launch_grid(bench, kernel, groups, PRODUCT_SIDE, PRODUCT_SIDE, args, 6, error);
}

#endif
