/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that the workloads of this folder share: errors, buffers, launches, element encodings
 * and the comparison of outputs with their oracle.  Everything is static: a workload is one shared
 * object that uses evenhand/workload.h and nothing else.
 */
#ifndef WORKLOADS_SUPPORT_H
#define WORKLOADS_SUPPORT_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evenhand/backend_helper.h"
#include "evenhand/workload.h"

#define SUPPORT_INLINE static inline __attribute__((unused))

/* Bytes moved between host and device at a time by prepare and check. */
#define SUPPORT_CHUNK (UINT64_C(4) << 20)
/* Poison writes it to every 32-bit word: NaN as f32, f64, f16 and bf16. */
#define SUPPORT_POISON UINT32_C(0xffffdead)

/* Fills *error (may be NULL) and returns code. */
SUPPORT_INLINE __attribute__((format(printf, 3, 4))) eh_status
support_error(eh_error *error, eh_status code, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	(void)eh_fail_list(error, code, "", 0, "", format, list);
	va_end(list);
	return code;
}

/* ---- precisions ---------------------------------------------------------------------------- */

/* Of "f64", "f32", "tf32", "i32", "f16", "bf16", and the formats of eight bits. */
SUPPORT_INLINE uint32_t support_element_bytes(const char *precision)
{
	if (strcmp(precision, "f64") == 0)
		return 8;
	if (strcmp(precision, "f32") == 0 || strcmp(precision, "tf32") == 0 ||
	    strcmp(precision, "i32") == 0)
		return 4;
	return precision[0] == 'e' || precision[0] == 'i' ? 1 : 2;
}

/* The capability that kernels with elements of this precision need; 0 for f32. */
SUPPORT_INLINE uint64_t support_needs(const char *precision)
{
	if (strcmp(precision, "f64") == 0)
		return EH_CAP_FP64;
	if (strcmp(precision, "f16") == 0)
		return EH_CAP_FP16_STORE;
	return strcmp(precision, "bf16") == 0 ? EH_CAP_BF16_STORE : 0;
}

/* The unit roundoff of the accumulator's precision: f64, else f32. */
SUPPORT_INLINE double support_unit(const char *precision)
{
	return strcmp(precision, "f64") == 0 ? 0x1p-53 : 0x1p-24;
}

/* Stores the f32 value `x` as an element of f32, f16 or bf16, to nearest even; finite x only. */
SUPPORT_INLINE void support_encode(void *out, float x, const char *precision)
{
	uint32_t u, a;
	uint16_t h;
	memcpy(&u, &x, sizeof u);
	a = u & 0x7fffffffu;
	if (strcmp(precision, "f32") == 0) {
		memcpy(out, &x, sizeof x);
		return;
	}
	if (strcmp(precision, "bf16") == 0) {
		h = (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
	} else if (a >= 0x477ff000u) {
		h = (uint16_t)(u >> 16 & 0x8000u) | 0x7c00u;
	} else if (a >= 0x38800000u) {
		h = (uint16_t)((a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13);
		h |= (uint16_t)(u >> 16 & 0x8000u);
	} else {
		h = (uint16_t)(u >> 16 & 0x8000u);
		h |= (uint16_t)lrint(fabs((double)x) * 0x1p24);
	}
	memcpy(out, &h, sizeof h);
}

/* A half that is a number, exactly. */
SUPPORT_INLINE double support_half(uint16_t h)
{
	const uint64_t sign = (uint64_t)(h >> 15) << 63, exponent = h >> 10 & 31, fraction = h & 1023;
	const uint64_t u = sign | (exponent - 15 + 1023) << 52 | fraction << 42;
	double d = (double)fraction * 0x1p-24;
	if (exponent == 0)
		return sign != 0 ? -d : d;
	memcpy(&d, &u, sizeof d);
	return d;
}

/* An element as a double; the usual precisions without a call. */
SUPPORT_INLINE double support_value_of(const eh_bench *b, const void *element, const char *precision)
{
	if (precision[0] == 'f' && precision[1] == '3') {
		float f;
		memcpy(&f, element, sizeof f);
		return f;
	}
	if (precision[0] == 'f' && precision[1] == '6') {
		double d;
		memcpy(&d, element, sizeof d);
		return d;
	}
	if (precision[0] == 'b') {
		uint16_t h;
		uint32_t u;
		float f;
		memcpy(&h, element, sizeof h);
		u = (uint32_t)h << 16;
		memcpy(&f, &u, sizeof f);
		return f;
	}
	if (precision[0] == 'f' && precision[1] == '1') {
		uint16_t h;
		memcpy(&h, element, sizeof h);
		if ((h >> 10 & 31) != 31)
			return support_half(h);
	}
	if (precision[0] == 'i' && precision[1] == '3') {
		int32_t i;
		memcpy(&i, element, sizeof i);
		return i;
	}
	if (precision[0] == 'i' && precision[1] == '8')
		return *(const int8_t *)element;
	return b->to_double(element, precision);
}

/* A number whose domain begins at 1, which no reader of the code alone can see. */
SUPPORT_INLINE uint64_t support_positive(const eh_case *values, const char *key)
{
	const uint64_t number = eh_case_number(values, key);
	return number > 0 ? number : 1;
}

/* ---- describing ------------------------------------------------------------------------------ */

/* Zeroes all fields, so a describe() sets only what differs. */
SUPPORT_INLINE void support_work_clear(eh_work *work)
{
	const uint32_t size = work->struct_size;
	memset(work, 0, size < sizeof *work ? size : sizeof *work);
	work->struct_size = size;
}

/* One define more.  Those beyond the array are only counted, and the core refuses the case. */
SUPPORT_INLINE __attribute__((format(printf, 3, 4))) void
support_define(eh_work *work, const char *name, const char *format, ...)
{
	const uint32_t at = work->define_count++;
	eh_define *d;
	va_list list;
	if (at >= sizeof work->defines / sizeof work->defines[0])
		return;
	d = &work->defines[at];
	snprintf(d->name, sizeof d->name, "%s", name);
	va_start(list, format);
	vsnprintf(d->value, sizeof d->value, format, list);
	va_end(list);
}

/* ---- device --------------------------------------------------------------------------------- */

SUPPORT_INLINE eh_status support_alloc(const eh_bench *b, uint32_t kind, uint64_t bytes,
                                       eh_buffer **buffer, eh_error *error)
{
	return b->ops->buffer_alloc(b->device, kind, bytes, buffer, error);
}

SUPPORT_INLINE void support_free(const eh_bench *b, eh_buffer *buffer)
{
	if (buffer != NULL)
		b->ops->buffer_free(buffer);
}

SUPPORT_INLINE eh_arg support_buffer(eh_buffer *buffer)
{
	eh_arg a = {.buffer = buffer};
	return a;
}

/* *data must not change or move until the launch returned. */
SUPPORT_INLINE eh_arg support_value(const void *data, uint32_t size)
{
	eh_arg a = {.data = data, .size = size};
	return a;
}

/* `local` bytes of a group lie in arrays of EH_LOCAL_AT. */
SUPPORT_INLINE eh_status support_launch_local(const eh_bench *b, eh_kernel *kernel,
                                              const uint32_t groups[3], uint32_t items_x,
                                              uint32_t items_y, uint64_t local, const eh_arg *args,
                                              uint32_t count, eh_error *error)
{
	eh_launch l = {
		.struct_size = sizeof l,
		.arg_count = count,
		.groups = {groups[0], groups[1], groups[2]},
		.group_size = {items_x, items_y, 1},
		.args = args,
		.local_bytes = local,
	};
	return b->ops->launch(b->queue, kernel, &l, error);
}

/* With the local memory that eh_work counts. */
SUPPORT_INLINE eh_status support_launch_grid(const eh_bench *b, eh_kernel *kernel,
                                             const uint32_t groups[3], uint32_t items_x,
                                             uint32_t items_y, const eh_arg *args, uint32_t count,
                                             eh_error *error)
{
	const uint64_t local = EH_ROOM(b->work->struct_size, eh_work, local_bytes) ? b->work->local_bytes : 0;
	return support_launch_local(b, kernel, groups, items_x, items_y, local, args, count, error);
}

SUPPORT_INLINE eh_status support_launch(const eh_bench *b, eh_kernel *kernel, uint32_t groups_x,
                                        uint32_t groups_y, uint32_t items_x, uint32_t items_y,
                                        const eh_arg *args, uint32_t count, eh_error *error)
{
	const uint32_t groups[3] = {groups_x, groups_y, 1};
	return support_launch_grid(b, kernel, groups, items_x, items_y, args, count, error);
}

/* The size of a buffer whose first `bytes` bytes are an output: whole words, all of which the poison
 * covers. */
SUPPORT_INLINE uint64_t support_padded(uint64_t bytes)
{
	return (bytes + 15) & ~UINT64_C(15);
}

/* Every 32-bit word of the buffer's first `bytes` (rounded down to words) becomes the poison. */
SUPPORT_INLINE eh_status support_poison(const eh_bench *b, eh_buffer *buffer, uint64_t bytes,
                                        eh_error *error)
{
	return b->ops->fill(b->queue, buffer, 0, bytes & ~UINT64_C(3), SUPPORT_POISON, error);
}

/* Downloads and waits. */
SUPPORT_INLINE eh_status support_fetch(const eh_bench *b, void *to, eh_buffer *from,
                                       uint64_t offset, uint64_t bytes, eh_error *error)
{
	const eh_status s = b->ops->download(b->queue, to, from, offset, bytes, error);
	return s == EH_OK ? b->ops->queue_wait(b->queue, error) : s;
}

/* Uploads `bytes` bytes that repeat the block; waits, so that the block may change afterwards. */
SUPPORT_INLINE eh_status support_upload_repeated(const eh_bench *b, eh_buffer *to, uint64_t bytes,
                                                 const void *block, uint64_t block_bytes,
                                                 eh_error *error)
{
	uint64_t at;
	eh_status s;
	for (at = 0; at < bytes; at += block_bytes) {
		const uint64_t n = bytes - at < block_bytes ? bytes - at : block_bytes;
		s = b->ops->upload(b->queue, to, at, block, n, error);
		if (s != EH_OK)
			return s;
	}
	return b->ops->queue_wait(b->queue, error);
}

/* ---- checking ------------------------------------------------------------------------------- */

SUPPORT_INLINE void support_check_begin(eh_check *check, const char *gate)
{
	const uint32_t size = check->struct_size;
	memset(check, 0, size < sizeof *check ? size : sizeof *check);
	check->struct_size = size;
	snprintf(check->gate, sizeof check->gate, "%s", gate);
}

/* Compares one value with its oracle: |got - want| <= allowed.  NaN fails. */
SUPPORT_INLINE void support_check_value(eh_check *check, const char *what, uint64_t index,
                                        double got, double want, double allowed)
{
	const double error = fabs(got - want);
	const double ratio = error == 0 ? 0 : allowed > 0 ? error / allowed : HUGE_VAL;
	const int bad = !(ratio <= 1);
	check->checked++;
	if (bad && (check->failed == 0 || ratio > check->max_error || ratio != ratio))
		snprintf(check->detail, sizeof check->detail,
		         "%s %" PRIu64 " is %.17g, want %.17g", what, index, got, want);
	if (bad)
		check->failed++;
	if (ratio > check->max_error)
		check->max_error = ratio;
	else if (ratio != ratio)
		check->max_error = HUGE_VAL;
}

SUPPORT_INLINE void support_check_end(eh_check *check)
{
	if (check->rho_limit > 0 && !(check->rho <= check->rho_limit) && check->failed == 0) {
		snprintf(check->detail, sizeof check->detail, "rho is %.3g, the limit %.3g",
		         check->rho, check->rho_limit);
		check->failed = 1;
	}
	check->passed = check->checked > 0 && check->failed == 0;
}

/* Compares `count` elements bit by bit, and counts and describes the differences.  `first` is the
 * index of the first element. */
SUPPORT_INLINE void support_check_bits(eh_check *check, const eh_bench *b, const char *what,
                                       uint64_t first, const void *got, const void *want,
                                       uint64_t count, const char *precision)
{
	const uint32_t size = support_element_bytes(precision);
	const char *g = got, *w = want;
	uint64_t i;
	check->checked += count;
	if (memcmp(got, want, count * size) == 0)
		return;
	for (i = 0; i < count; i++) {
		if (memcmp(g + i * size, w + i * size, size) == 0)
			continue;
		if (check->failed++ == 0)
			snprintf(check->detail, sizeof check->detail,
			         "%s %" PRIu64 " is %.17g, want %.17g", what, first + i,
			         b->to_double(g + i * size, precision),
			         b->to_double(w + i * size, precision));
	}
	check->max_error = HUGE_VAL;
}

#endif
