/* SPDX-License-Identifier: Apache-2.0 */
#include "fused_oracle.h"

/* Prime numbers: of elements of a block, of weights, and of positions of rope's table. */
#define BLOCK UINT64_C(262147)
#define WEIGHTS UINT64_C(65521)
#define POSITIONS UINT64_C(4093)

#define EPS 1e-5f
#define ROPE_BASE 10000.0
/* Outputs of more elements than this are compared in sampled rows. */
#define COMPARED_WHOLE (UINT64_C(1) << 25)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int is_norm(const fused_oracle *o)
{
	return o->operation == RMSNORM || o->operation == RMSNORM_RESIDUAL;
}

/* ---- inputs --------------------------------------------------------------------------------- */

static void shape(fused_oracle *o, uint32_t i, uint64_t count, uint64_t period)
{
	o->in[i].count = count;
	o->in[i].period = least(count, period);
}

static void shape_all(fused_oracle *o)
{
	static const uint32_t inputs[] = {2, 3, 2, 2, 1};
	const uint64_t elements = o->rows * o->width;
	/* Crafted rows of softmax are whole, several where they are short. */
	const uint64_t whole = (o->width < 4096 ? 17 : 1) * o->width;
	uint32_t i;

	o->inputs = inputs[o->operation];
	o->outputs = o->operation == RMSNORM_RESIDUAL ? 2 : 1;
	for (i = 0; i < o->inputs; i++)
		shape(o, i, elements, o->exact && o->operation == SOFTMAX ? whole : BLOCK);
	if (is_norm(o))
		shape(o, o->inputs - 1, o->width, WEIGHTS);
	if (o->operation == ROPE)
		shape(o, 1, o->rows * o->head_dim, POSITIONS * o->head_dim);
}

eh_status fused_oracle_make(fused_oracle *o, const eh_bench *bench, int exact)
{
	const eh_case *values = bench->values;
	uint32_t i;

	memset(o, 0, sizeof *o);
	o->bench = bench;
	o->exact = exact;
	o->operation = (enum fused_operation)eh_case_value(values, "operation")->number;
	snprintf(o->precision, sizeof o->precision, "%s", eh_case_text(values, "precision"));
	o->element = support_element_bytes(o->precision);
	o->rows = eh_case_number(values, "tokens");
	o->head_dim = eh_case_number(values, "head-dim");
	o->width = o->operation == ROPE ? (eh_case_number(values, "heads") +
	                                   eh_case_number(values, "kv-heads")) * o->head_dim
	                                : eh_case_number(values, "width");
	shape_all(o);
	for (i = 0; i < o->inputs; i++) {
		o->in[i].block = malloc(o->in[i].period * o->element);
		o->in[i].value = malloc(o->in[i].period * sizeof(double));
		if (o->in[i].block == NULL || o->in[i].value == NULL)
			return EH_E_NO_MEMORY;
	}
	o->term = malloc(o->in[0].period * sizeof(double));
	if (o->element == 2)
		o->decoded = malloc(65536 * sizeof(float));
	if (o->term == NULL || (o->element == 2 && o->decoded == NULL))
		return EH_E_NO_MEMORY;
	for (i = 0; o->element == 2 && i < 65536; i++) {
		const uint16_t bits = (uint16_t)i;
		o->decoded[i] = (float)bench->to_double(&bits, o->precision);
	}
	return EH_OK;
}

void fused_oracle_free(fused_oracle *o)
{
	int i;
	for (i = 0; i < ORACLE_INPUTS; i++) {
		free(o->in[i].block);
		free(o->in[i].value);
	}
	free(o->term);
	free(o->decoded);
}

static double value_at(const fused_oracle *o, const void *elements, uint64_t i)
{
	if (o->element == 4)
		return ((const float *)elements)[i];
	return o->decoded[((const uint16_t *)elements)[i]];
}

static void put(fused_oracle *o, fused_input *in, uint64_t i, double x)
{
	support_encode((unsigned char *)in->block + i * o->element, (float)x, o->precision);
}

/* The angles of real positions, which differ for every variant. */
static void fill_table(fused_oracle *o, fused_input *in, uint32_t variant)
{
	const uint64_t half = o->head_dim / 2;
	uint64_t k, row;
	for (k = 0; k < half; k++) {
		const double step = pow(ROPE_BASE, -(double)k / (double)half);
		for (row = 0; row < in->period / o->head_dim; row++) {
			const double angle = (double)(row + 1 + 5000 * (uint64_t)variant) * step;
			put(o, in, row * o->head_dim + k, cos(angle));
			put(o, in, row * o->head_dim + half + k, sin(angle));
		}
	}
}

/*
 * Inputs whose outputs are exact, whatever the order of additions:
 *   rmsnorm   +-1 with weights of powers of two; eps makes up for what 1/width lacks: the root is 1
 *   residual  1 of one sign and 3 of the other: the sums are +-2, and the root is 2
 *   swiglu    gates of 0 and 64, whose sigmoid times themselves is 0 and 64
 *   rope      quarter turns of small integers
 *   softmax   one element of each row 200 over the others, whose exponentials are 0 beside it
 */
static void fill_crafted(fused_oracle *o)
{
	const float inverse = 1.0f / (float)o->width, lacking = 1.0f - (float)o->width * inverse;
	const uint64_t half = o->head_dim / 2;
	fused_input *x = &o->in[0], *second = &o->in[1], *w = &o->in[o->inputs - 1];
	uint64_t i;

	o->eps = o->operation == RMSNORM_RESIDUAL ? 4 * lacking : lacking;
	for (i = 0; i < x->period; i++) {
		const double sign = (i * i / 3 + i / 7) % 2 == 0 ? 1 : -1;
		if (is_norm(o))
			put(o, x, i, sign);
		if (o->operation == RMSNORM_RESIDUAL)
			put(o, second, i, -3 * sign);
		if (o->operation == SWIGLU) {
			put(o, x, i, i % 5 == 0 ? 0 : 64);
			put(o, second, i, (double)(i % 13) - 6);
		}
		if (o->operation == ROPE)
			put(o, x, i, (double)(i % 127) - 63);
		if (o->operation == SOFTMAX) {
			const uint64_t row = i / o->width;
			const int hot = i % o->width == (row * 7919 + o->width / 3) % o->width;
			put(o, x, i, (hot ? 0 : -200) + 8 * (double)(row % 2));
		}
	}
	for (i = 0; is_norm(o) && i < w->period; i++)
		put(o, w, i, ldexp(1, (int)(i % 5) - 2));
	for (i = 0; o->operation == ROPE && i < second->period; i++) {
		const uint64_t row = i / o->head_dim, at = i % o->head_dim;
		const uint64_t turn = (row + at % half) % 4;
		static const int cosine[] = {1, 0, -1, 0}, sine[] = {0, 1, 0, -1};
		put(o, second, i, at < half ? cosine[turn] : sine[turn]);
	}
}

static double silu(double x)
{
	return x / (1 + exp(-x));
}

/* What a row adds up of an element's term. */
static double added(const fused_oracle *o, double term)
{
	return is_norm(o) ? term * term : term;
}

void fused_oracle_fill(fused_oracle *o, uint32_t variant)
{
	uint32_t i;
	uint64_t n;

	o->eps = EPS;
	if (o->exact)
		fill_crafted(o);
	for (i = 0; !o->exact && i < o->inputs; i++) {
		if (o->operation == ROPE && i == 1)
			fill_table(o, &o->in[i], variant);
		else
			o->bench->fill_normal(o->bench, o->in[i].block, 0, o->in[i].period,
			                      o->precision, o->bench->values->seed,
			                      ORACLE_INPUTS * variant + i);
	}
	for (i = 0; i < o->inputs; i++)
		for (n = 0; n < o->in[i].period; n++)
			o->in[i].value[n] = value_at(o, o->in[i].block, n);
	o->total = 0;
	for (n = 0; n < o->in[0].period; n++) {
		const double x = o->in[0].value[n];
		o->term[n] = o->operation == RMSNORM_RESIDUAL ? x + o->in[1].value[n]
		             : o->operation == SWIGLU         ? silu(x) * o->in[1].value[n]
		             : o->operation == SOFTMAX        ? exp(x)
		                                              : x;
		o->total += added(o, o->term[n]);
	}
}

/* ---- expected values ------------------------------------------------------------------------ */

/* What every element of the row is multiplied by. */
static double row_scale(const fused_oracle *o, uint64_t row)
{
	const uint64_t period = o->in[0].period;
	uint64_t at = row * o->width % period, rest = o->width % period;
	const uint64_t whole = o->width / period;
	double sum = (double)whole * o->total;
	if (!is_norm(o) && o->operation != SOFTMAX)
		return 1;
	for (; rest > 0; rest--) {
		sum += added(o, o->term[at]);
		if (++at == period)
			at = 0;
	}
	if (o->operation == SOFTMAX)
		return 1 / sum;
	/* The eps of crafted inputs only makes up for rounding. */
	return 1 / sqrt(sum / (double)o->width + (o->exact ? 0 : (double)o->eps));
}

/*
 * Each output is rounded to its type once, after errors in f32.  Units of f32 that these take:
 *   norms    4: the row's scale and three products
 *   swiglu   8: e^x and a division of OpenCL's, each within 5, both damped; three roundings
 *   rope     4 of |a cos| + |b sin|, which may cancel
 *   softmax  16: x - max, which is below 16 here, is off by up to 8, and e^x, sum and division follow
 */
static double units(const fused_oracle *o)
{
	return 0x1p-24 * (o->operation == SOFTMAX ? 16 : o->operation == SWIGLU ? 8 : 4);
}

static double unit_out(const fused_oracle *o)
{
	return o->element == 4 ? 0x1p-24 : strcmp(o->precision, "f16") == 0 ? 0x1p-11 : 0x1p-8;
}

/* The step of subnormal halves, which their rounding may be off by half of; f32 and bf16 below their
 * smallest normal value may become 0. */
static double smallest(const fused_oracle *o)
{
	return strcmp(o->precision, "f16") == 0 && !o->exact ? 0x1p-24 : 0x1p-126;
}

/* Expects the elements column .. column + count - 1 of the row: want and allowed. */
static void expect(fused_oracle *o, uint32_t output, uint64_t row, uint64_t column, uint64_t count,
                   double scale)
{
	const fused_input *w = &o->in[o->inputs - 1];
	const uint64_t period = o->in[0].period, half = o->head_dim / 2;
	const int weighted = is_norm(o) && output == 0;
	const double rest = o->exact ? 0 : units(o), own = o->exact ? 0 : 4 * unit_out(o);
	uint64_t at = (row * o->width + column) % period, k = column % w->period, i;

	for (i = 0; i < count; i++) {
		double want = o->term[at] * scale, size;
		if (weighted)
			want *= w->value[k];
		size = fabs(want);
		if (o->operation == ROPE) {
			const uint64_t c = (column + i) % o->head_dim;
			const int low = c < half;
			const double *turn = w->value + row * o->head_dim % w->period + (low ? c : c - half);
			const uint64_t other = (low ? at + half : at + period - half % period) % period;
			const double b = o->term[other] * turn[half];
			want = o->term[at] * turn[0];
			size = fabs(want) + fabs(b);
			want += low ? -b : b;
		}
		o->want[i] = want;
		o->allowed[i] = own * fabs(want) + rest * size + smallest(o);
		if (++at == period)
			at = 0;
		if (++k == w->period)
			k = 0;
	}
}

/* ---- checking ------------------------------------------------------------------------------- */

void fused_oracle_begin(fused_oracle *o, eh_check *check)
{
	support_check_begin(check, o->exact ? "A" : "B");
	o->error2 = 0;
	o->want2 = 0;
	if (o->exact)
		snprintf(check->tolerance, sizeof check->tolerance, "every element equal");
	else
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|got-want| <= 4 2^%d |want| + %.0f 2^-24 %s + 2^%d", ilogb(unit_out(o)),
		         units(o) * 0x1p24,
		         o->operation == ROPE ? "(|a cos| + |b sin|)" : "|want|",
		         ilogb(smallest(o)));
}

static void compare_piece(fused_oracle *o, const char *what, uint64_t first, const void *got,
                          uint64_t count, eh_check *check)
{
	uint64_t i, good = 0;
	for (i = 0; i < count; i++) {
		const double value = value_at(o, got, i), error = fabs(value - o->want[i]);
		const double ratio = error / o->allowed[i];
		if (!(ratio <= 1)) {
			/* Of a poisoned output all fail: the first is described, and what is worse. */
			if (check->failed == 0 || ratio > check->max_error)
				support_check_value(check, what, first + i, value, o->want[i],
				                    o->allowed[i]);
			else {
				check->checked++;
				check->failed++;
			}
			continue;
		}
		good++;
		if (ratio > check->max_error)
			check->max_error = ratio;
		o->error2 += error * error;
		o->want2 += o->want[i] * o->want[i];
	}
	check->checked += good;
}

/* Of large outputs both ends and one row in each stretch, another for each iteration. */
static int row_is_compared(const fused_oracle *o, uint64_t row, uint64_t iteration)
{
	const uint64_t stretch = o->rows * o->width / COMPARED_WHOLE + 1;
	uint64_t mixed = (row / stretch + 1) * UINT64_C(0x9e3779b97f4a7c15) + iteration;
	if (stretch == 1 || row == 0 || row + 1 == o->rows)
		return 1;
	mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return row % stretch == (mixed >> 32) % stretch;
}

/* No word of the chunk may be the poison: a row that is not compared was written at least. */
static void find_poison(const char *what, uint64_t first, const void *got, uint64_t bytes,
                        uint32_t element, eh_check *check)
{
	const uint32_t *words = got;
	uint64_t i, poisoned = 0, at = 0;
	for (i = 0; i < bytes / 4; i++)
		if (words[i] == SUPPORT_POISON && poisoned++ == 0)
			at = i;
	if (poisoned > 0 && check->failed == 0)
		snprintf(check->detail, sizeof check->detail, "%s %" PRIu64 " was not written", what,
		         first + at * 4 / element);
	check->failed += poisoned;
}

void fused_oracle_compare(fused_oracle *o, uint32_t output, uint64_t first, const void *got,
                          uint64_t count, uint64_t iteration, eh_check *check)
{
	const char *what = output == 1 ? "sum" : "element";
	uint64_t done, row, run;

	if (o->rows * o->width >= COMPARED_WHOLE)
		find_poison(what, first, got, count * o->element, o->element, check);
	for (done = 0; done < count; done += run) {
		const uint64_t column = (first + done) % o->width;
		uint64_t at, n;
		double scale;
		row = (first + done) / o->width;
		run = least(o->width - column, count - done);
		if (!row_is_compared(o, row, iteration))
			continue;
		scale = output == 0 ? row_scale(o, row) : 1;
		for (at = 0; at < run; at += n) {
			n = least(run - at, ORACLE_PIECE);
			expect(o, output, row, column + at, n, scale);
			compare_piece(o, what, first + done + at,
			              (const char *)got + (done + at) * o->element, n, check);
		}
	}
}

void fused_oracle_end(fused_oracle *o, eh_check *check)
{
	/* Errors of rounding are spread, a wrong scale is the same everywhere. */
	if (!o->exact && o->want2 > 0) {
		check->rho = sqrt(o->error2 / o->want2);
		check->rho_limit = unit_out(o) + 2 * units(o) +
		                   smallest(o) * sqrt((double)check->checked / o->want2);
	}
	support_check_end(check);
}
