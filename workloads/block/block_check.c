/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the operations of chosen layers with double precision, row by row, each from the inputs that
 * the device had for it.  Memory is that of a row.
 */
#include "block_check.h"

/* Elements of a layer's stages that are compared; of more, some rows. */
#define COMPARED (UINT64_C(1) << 26)
/* Columns of a product that are compared in a row: as many as make ENOUGH in all rows, and a few at least. */
#define COLUMNS_LEAST UINT64_C(8)
/* Elements of which a norm says more than the worst of them. */
#define ENOUGH UINT64_C(1024)
/* Bytes of the caches that are looked at together. */
#define CHUNK (UINT64_C(1) << 20)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* A row of every stage and of both caches. */
static uint64_t row_elements(const block_shape *s)
{
	uint64_t sum = 2 * block_cache_row(s);
	int i;
	for (i = 0; i < BLOCK_STAGES; i++)
		sum += s->width[i];
	return sum;
}

eh_status block_check_make(block_state *s)
{
	const block_shape *shape = &s->plan.shape;
	uint64_t widest = most(shape->vocabulary, shape->hidden), deepest = 0;
	int good, i, slot;
	for (i = 0; i < BLOCK_STAGES; i++)
		widest = most(widest, shape->width[i]);
	for (i = 0; i < BLOCK_PRODUCTS; i++)
		deepest = most(deepest, shape->k[i]);
	s->bytes_size = most(most(row_elements(shape), 2 * shape->hidden + shape->vocabulary) * s->inputs.element,
	                     BLOCK_CACHES * most(CHUNK, block_cache_row(shape) * s->inputs.element));
	s->bytes = malloc(s->bytes_size);
	s->sign = malloc(widest * sizeof(double));
	good = s->bytes != NULL && s->sign != NULL;
	for (i = 0; i < BLOCK_STAGES; i++) {
		s->row[i] = malloc(widest * sizeof(double));
		good = good && s->row[i] != NULL;
	}
	for (slot = 0; slot < BLOCK_CHOSEN + 1; slot++)
		for (i = 0; i < BLOCK_PRODUCTS; i++)
			if ((slot == BLOCK_CHOSEN) == (i == BLOCK_TO_LOGITS)) {
				s->vector[slot][i] = malloc(shape->k[i] * sizeof(double));
				good = good && s->vector[slot][i] != NULL;
			}
	if (good)
		oracle_signs(s->bench, s->sign, widest, 92);
	return good ? EH_OK : EH_E_NO_MEMORY;
}

void block_check_free(block_state *s)
{
	int i, slot;
	free(s->bytes);
	free(s->sign);
	for (i = 0; i < BLOCK_STAGES; i++)
		free(s->row[i]);
	for (slot = 0; slot < BLOCK_CHOSEN + 1; slot++)
		for (i = 0; i < BLOCK_PRODUCTS; i++)
			free(s->vector[slot][i]);
}

/* ---- comparing ------------------------------------------------------------------------------ */

uint64_t judge_draw(judge *j, uint64_t size)
{
	const eh_bench *b = j->s->bench;
	uint64_t random;
	b->fill_bytes(b, &random, (j->iteration * UINT64_C(1000003) + j->draws++) * sizeof random,
	              sizeof random, b->values->seed, 93);
	return random % size;
}

uint64_t judge_choose(judge *j, uint64_t size, uint64_t i, uint64_t count)
{
	const uint64_t ends = count < 4 ? 0 : 2, stretches = count - ends;
	uint64_t from, to;
	if (count == size)
		return i;
	if (i < ends)
		return i == 0 ? 0 : size - 1;
	from = (i - ends) * size / stretches;
	to = (i - ends + 1) * size / stretches;
	return to > from ? from + judge_draw(j, to - from) : from;
}

void judge_sample(judge *j, int class, const char *what, uint64_t index, double got, double want,
                  double allowed)
{
	support_check_value(j->check, what, index, got, want, allowed);
	j->difference[class] += (got - want) * (got - want);
	j->norm[class] += want * want;
	j->count[class]++;
}

void judge_read(const judge *j, double *out, const unsigned char *elements, uint64_t count)
{
	oracle_values(j->s->bench, out, elements, count, j->s->plan.shape.precision);
}

static int enough(const judge *j)
{
	return j->check->failed >= JUDGE_ENOUGH;
}

/* x times a stretch of weights; *magnitude receives the sum of the products' magnitudes, *square that of their
 * squares. */
static double times(const float *w, const double *x, uint64_t count, double *magnitude, double *square)
{
	double part[4] = {0, 0, 0, 0}, sizes[4] = {0, 0, 0, 0}, squares[4] = {0, 0, 0, 0};
	uint64_t i;
	int lane;
	/* Widths are multiples of 8. */
	for (i = 0; i < count; i += 4)
		for (lane = 0; lane < 4; lane++) {
			const double one = (double)w[i + (uint64_t)lane] * x[i + (uint64_t)lane];
			part[lane] += one;
			sizes[lane] += fabs(one);
			squares[lane] += one * one;
		}
	*magnitude = sizes[0] + sizes[1] + (sizes[2] + sizes[3]);
	*square = squares[0] + squares[1] + (squares[2] + squares[3]);
	return part[0] + part[1] + (part[2] + part[3]);
}

/* Row `row` of a product's matrix. */
static const float *weights_of(const judge *j, enum block_product p, uint64_t row)
{
	const block_inputs *in = &j->s->inputs;
	return in->weight_value[p] +
	       (block_weight_at(j->layer, p) + row * j->s->plan.shape.k[p]) % ORACLE_BLOCK;
}

/* The signs times the product's matrix: once, because it reads all of it. */
static const double *signed_weights(const judge *j, enum block_product p)
{
	const block_shape *shape = &j->s->plan.shape;
	double *vector = j->s->vector[j->slot][p];
	uint64_t row, k;
	if (j->s->vector_made[j->slot][p])
		return vector;
	memset(vector, 0, shape->k[p] * sizeof *vector);
	for (row = 0; row < shape->n[p]; row++) {
		const float *w = weights_of(j, p, row);
		const double sign = j->s->sign[row];
		for (k = 0; k < shape->k[p]; k++)
			vector[k] += sign * (double)w[k];
	}
	j->s->vector_made[j->slot][p] = 1;
	return vector;
}

static double dot(const double *a, const double *b, uint64_t count)
{
	double sum = 0;
	uint64_t i;
	for (i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/*
 * What a sum of k terms in f32 may err by.  A rounding errs by at most 2^-24 of the sum so far, which walks at
 * random, about as far as the root of the squares of its terms, and to the outcome.  So k roundings err by about
 * 2^-24 sqrt(k) (0.4 root + outcome / 3), and the limit is at five to six times that.  For most elements
 * `constant` of the magnitudes is more; where few terms are most of a sum, as products of two activations are,
 * or all have one sign, it is too little.
 */
static double sum_error(double constant, uint64_t k, double magnitude, double square, double want)
{
	return fmax(constant * magnitude, 2 * 0x1p-24 * sqrt((double)k) * (sqrt(square) + fabs(want)));
}

/*
 * y = x W^T, or + residual unless that is NULL, in sampled columns; and all of it, added up with random
 * signs.  The errors of n elements with random signs add up like a random walk, so 4 sqrt(n) times what a
 * usual one is allowed is generous, and still far below what is not there at all.  What y's own rounding
 * is allowed follows from all of y, because few samples say little of its size; errors in y hardly change it.
 */
static void check_product(judge *j, enum block_product p, uint64_t row, uint64_t rows, const double *x,
                          const double *residual, const double *y)
{
	static const char *const names[] = {"element of qkv", "element of the attention's product",
	                                    "element of gate and up", "element of the layer's output",
	                                    "logit"};
	static const char *const sums[] = {"signed sum of qkv, row", "signed sum of the attention's product, row",
	                                   "signed sum of gate and up, row",
	                                   "signed sum of the layer's output, row", "signed sum of logits, row"};
	const block_shape *shape = &j->s->plan.shape;
	const uint64_t n = shape->n[p], k = shape->k[p];
	const uint64_t columns = least(n, most(COLUMNS_LEAST, (ENOUGH + rows - 1) / rows));
	const double unit = oracle_output_unit(shape->precision);
	const double constant = oracle_accumulate_constant(shape->precision, k);
	double largest = 0, squares = 0, want;
	uint64_t i;
	for (i = 0; i < columns; i++) {
		const uint64_t from = i * n / columns, width = (i + 1) * n / columns - from;
		const uint64_t column = i == 0 && row == 0           ? 0
		                        : i == columns - 1 && row == 0 ? n - 1
		                                                      : from + judge_draw(j, width);
		double magnitude, square, rest, allowed;
		want = times(weights_of(j, p, column), x, k, &magnitude, &square);
		if (residual != NULL) {
			want += residual[column];
			magnitude += fabs(residual[column]);
			square += residual[column] * residual[column];
		}
		rest = sum_error(constant, k, magnitude, square, want) + oracle_smallest_error(shape->precision);
		allowed = unit * fabs(want) + rest;
		judge_sample(j, (int)p, names[p], row * n + column, y[column], want, allowed);
		largest = fmax(largest, allowed);
		squares += rest * rest;
	}
	want = dot(signed_weights(j, p), x, k) + (residual != NULL ? dot(j->s->sign, residual, n) : 0);
	support_check_value(j->check, sums[p], row, dot(j->s->sign, y, n), want,
	                    fmax(largest, 4 * (unit * sqrt(dot(y, y, n)) +
	                                       sqrt((double)n * squares / (double)columns))));
}

/* The step of subnormal halves; f32 and bf16 below their smallest normal value may become 0. */
static double smallest(const judge *j)
{
	return strcmp(j->s->plan.shape.precision, "f16") == 0 ? 0x1p-24 : 0x1p-126;
}

static void check_norm(judge *j, const char *what, uint64_t norm_at, uint64_t row, const double *x,
                       const double *y)
{
	const block_shape *shape = &j->s->plan.shape;
	const float *w = j->s->inputs.norm_value + norm_at;
	const double unit = 4 * oracle_output_unit(shape->precision) + 4 * 0x1p-24;
	const double scale = 1 / sqrt(dot(x, x, shape->hidden) / (double)shape->hidden + (double)BLOCK_EPS);
	uint64_t i;
	for (i = 0; i < shape->hidden; i++) {
		const double want = x[i] * scale * (double)w[i];
		support_check_value(j->check, what, row * shape->hidden + i, y[i], want,
		                    unit * fabs(want) + smallest(j));
	}
}

/* 8 units of f32: e^x and a division of OpenCL's, each within 5, both damped; three roundings. */
static void check_swiglu(judge *j, uint64_t row, const double *gates, const double *y)
{
	const block_shape *shape = &j->s->plan.shape;
	const double unit = 4 * oracle_output_unit(shape->precision) + 8 * 0x1p-24;
	uint64_t i;
	for (i = 0; i < shape->intermediate; i++) {
		const double want = gates[i] / (1 + exp(-gates[i])) * gates[shape->intermediate + i];
		support_check_value(j->check, "activation", row * shape->intermediate + i, y[i], want,
		                    unit * fabs(want) + smallest(j));
	}
}

/* What rope makes of a head, element by element as the kernel does. */
static void turn_head(const judge *j, const double *x, uint64_t token, unsigned char *out)
{
	const block_shape *shape = &j->s->plan.shape;
	const uint64_t half = shape->head / 2, size = j->s->inputs.element;
	const float *table = j->s->inputs.table + token * shape->head;
	uint64_t i;
	for (i = 0; i < half; i++) {
		const float a = (float)x[i], b = (float)x[half + i], c = table[i], s = table[half + i];
		const float bs = b * s, as = a * s;
		support_encode(out + i * size, fmaf(a, c, -bs), shape->precision);
		support_encode(out + (half + i) * size, fmaf(b, c, as), shape->precision);
	}
}

void judge_same(judge *j, const char *what, uint64_t first, const unsigned char *got,
                const unsigned char *block, uint64_t at, uint64_t count)
{
	const uint64_t size = j->s->inputs.element;
	uint64_t done, n;
	for (done = 0; done < count; done += n) {
		n = least(count - done, ORACLE_BLOCK);
		support_check_bits(j->check, j->s->bench, what, first + done, got + done * size,
		                   block + (at + done) % ORACLE_BLOCK * size, n, j->s->plan.shape.precision);
	}
}

/* q, and what the caches received: bit by bit. */
static void check_rope(judge *j, uint64_t row, const unsigned char *qkv, const unsigned char *q,
                       const unsigned char *const cache[BLOCK_CACHES])
{
	const block_shape *shape = &j->s->plan.shape;
	const uint64_t size = j->s->inputs.element, head = shape->head, kv = block_cache_row(shape);
	unsigned char want[128 * sizeof(float)];
	uint64_t h;
	for (h = 0; h < shape->heads + shape->kv_heads; h++) {
		const int is_q = h < shape->heads;
		const uint64_t own = is_q ? h : h - shape->heads, heads = is_q ? shape->heads : shape->kv_heads;
		turn_head(j, j->s->row[BLOCK_QKV] + h * head, row % shape->tokens, want);
		support_check_bits(j->check, j->s->bench, is_q ? "element of q" : "new element of the keys",
		                   (row * heads + own) * head,
		                   (is_q ? q : cache[BLOCK_KEYS]) + own * head * size, want, head,
		                   shape->precision);
	}
	support_check_bits(j->check, j->s->bench, "new element of the values", row * kv, cache[BLOCK_VALUES],
	                   qkv + (shape->heads + shape->kv_heads) * head * size, kv, shape->precision);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Enqueues the download of a row of `width` elements to *to, and moves *to behind it. */
static eh_status fetch_row(const judge *j, eh_buffer *from, uint64_t row, uint64_t width,
                           unsigned char **to)
{
	const uint64_t bytes = width * j->s->inputs.element;
	unsigned char *here = *to;
	*to += bytes;
	return j->s->bench->ops->download(j->s->bench->queue, here, from, row * bytes, bytes, j->error);
}

/* Every stage of the row, and what it left in the caches, as elements: at[] says where. */
static eh_status fetch_stages(const judge *j, uint64_t row,
                              const unsigned char *at[BLOCK_STAGES + BLOCK_CACHES])
{
	const block_shape *shape = &j->s->plan.shape;
	const block_layer *layer = &j->s->layers[j->layer];
	const uint64_t place = row / shape->tokens * shape->keys + shape->context + row % shape->tokens;
	unsigned char *to = j->s->bytes;
	eh_status status = EH_OK;
	int i;
	for (i = 0; i < BLOCK_STAGES && status == EH_OK; i++) {
		at[i] = to;
		status = fetch_row(j, block_stage_of(j->s, j->layer, i), row, shape->width[i], &to);
	}
	for (i = 0; i < BLOCK_CACHES && status == EH_OK; i++) {
		at[BLOCK_STAGES + i] = to;
		status = fetch_row(j, layer->cache[i], place, block_cache_row(shape), &to);
	}
	return status == EH_OK ? j->s->bench->ops->queue_wait(j->s->bench->queue, j->error) : status;
}

static eh_status check_row(judge *j, uint64_t row, uint64_t rows)
{
	const block_shape *shape = &j->s->plan.shape;
	const unsigned char *at[BLOCK_STAGES + BLOCK_CACHES];
	double *const *v = j->s->row;
	const eh_status status = fetch_stages(j, row, at);
	int i;
	if (status != EH_OK)
		return status;
	if (j->layer == 0)
		judge_same(j, "element of the stack's input", row * shape->hidden, at[BLOCK_X], j->s->inputs.x,
		           row * shape->hidden, shape->hidden);
	for (i = 0; i < BLOCK_STAGES; i++)
		judge_read(j, v[i], at[i], shape->width[i]);
	check_norm(j, "element of the first norm", block_norm_at(j->layer, 0), row, v[BLOCK_X],
	           v[BLOCK_NORMED]);
	check_product(j, BLOCK_TO_QKV, row, rows, v[BLOCK_NORMED], NULL, v[BLOCK_QKV]);
	check_rope(j, row, at[BLOCK_QKV], at[BLOCK_Q], at + BLOCK_STAGES);
	check_product(j, BLOCK_TO_HIDDEN, row, rows, v[BLOCK_O], v[BLOCK_X], v[BLOCK_H]);
	check_norm(j, "element of the second norm", block_norm_at(j->layer, 1), row, v[BLOCK_H],
	           v[BLOCK_NORMED2]);
	check_product(j, BLOCK_TO_GATES, row, rows, v[BLOCK_NORMED2], NULL, v[BLOCK_GATES]);
	check_swiglu(j, row, v[BLOCK_GATES], v[BLOCK_ACT]);
	check_product(j, BLOCK_DOWN, row, rows, v[BLOCK_ACT], v[BLOCK_H], v[BLOCK_NEXT]);
	return EH_OK;
}

/* Logits of a sequence, from its last row of the output. */
static eh_status check_logits(judge *j, uint64_t sequence, uint64_t rows)
{
	const block_shape *shape = &j->s->plan.shape;
	double *const *v = j->s->row;
	unsigned char *to = j->s->bytes, *const x = to;
	unsigned char *normed, *logits;
	eh_status status = fetch_row(j, j->s->out, (sequence + 1) * shape->tokens - 1, shape->hidden, &to);
	normed = to;
	if (status == EH_OK)
		status = fetch_row(j, j->s->last_normed, sequence, shape->hidden, &to);
	logits = to;
	if (status == EH_OK)
		status = fetch_row(j, j->s->logits, sequence, shape->vocabulary, &to);
	if (status == EH_OK)
		status = j->s->bench->ops->queue_wait(j->s->bench->queue, j->error);
	if (status != EH_OK)
		return status;
	judge_read(j, v[0], x, shape->hidden);
	judge_read(j, v[1], normed, shape->hidden);
	judge_read(j, v[2], logits, shape->vocabulary);
	check_norm(j, "element of the last norm", block_norm_at(shape->layers, 0), sequence, v[0], v[1]);
	check_product(j, BLOCK_TO_LOGITS, sequence, rows, v[1], NULL, v[2]);
	return EH_OK;
}

/* All rows, or of many elements some. */
static eh_status each_row(judge *j, uint64_t rows, uint64_t elements,
                          eh_status (*check)(judge *, uint64_t, uint64_t))
{
	const uint64_t compared = most(least(rows, 2), least(rows, COMPARED / elements));
	eh_status status = EH_OK;
	uint64_t i;
	for (i = 0; i < compared && status == EH_OK && !enough(j); i++)
		status = check(j, judge_choose(j, rows, i, compared), compared);
	return status;
}

/* ---- a check --------------------------------------------------------------------------------- */

/* rho is the worst of the classes; the limit holds for those of enough elements. */
static void conclude(judge *j)
{
	double judged = -1;
	int class;
	for (class = 0; class < JUDGE_CLASSES; class++) {
		const double rho = j->norm[class] > 0 ? sqrt(j->difference[class] / j->norm[class]) : 0;
		j->check->rho = fmax(j->check->rho, rho);
		if (j->count[class] >= ENOUGH)
			judged = fmax(judged, rho);
	}
	if (judged >= 0) {
		j->check->rho = judged;
		j->check->rho_limit = oracle_rho_limit(j->s->plan.shape.precision);
	}
	support_check_end(j->check);
}

eh_status block_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	block_state *s = state;
	const block_shape *shape = &s->plan.shape;
	judge j = {.s = s, .check = check, .error = error, .iteration = iteration};
	eh_status status = EH_OK;
	support_check_begin(check, "B");
	snprintf(check->tolerance, sizeof check->tolerance,
	         "products |y-R| <= %.3g |R| + c |x||W|, signed sums; norms 4 units; caches equal",
	         oracle_output_unit(shape->precision));
	for (j.slot = 0; j.slot < s->chosen_count && status == EH_OK && !enough(&j); j.slot++) {
		j.layer = s->chosen[j.slot];
		status = each_row(&j, shape->rows, row_elements(shape), check_row);
		if (status == EH_OK && !enough(&j))
			status = judge_attention(&j);
	}
	j.slot = BLOCK_CHOSEN;
	j.layer = 0;
	if (status == EH_OK && shape->vocabulary != 0 && !enough(&j))
		status = each_row(&j, shape->batch, shape->vocabulary, check_logits);
	conclude(&j);
	return status;
}
