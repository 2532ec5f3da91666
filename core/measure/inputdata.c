/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/inputdata.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "measure/inputs.h"

static uint64_t word_of(const char *hex)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 16; i++)
		value = value << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
	return value;
}

static void note(inputdata_log *log, const char *precision, const void *data, uint64_t bytes)
{
	digest *d;
	char hex[65];

	if (!log->open)
		return;
	d = digest_new();
	digest_add(d, precision, strlen(precision) + 1);
	digest_add(d, data, (size_t)bytes);
	digest_end(d, hex);
	for (size_t i = 0; i < 4; i++)
		log->sum[i] += word_of(hex + 16 * i);
	log->requests++;
}

static void note_numbers(const eh_bench *bench, const char *precision, const void *data,
                         uint64_t count)
{
	inputdata_log *log = bench->core;

	if (log->open)
		log->numbers = true;
	note(log, precision, data, count * inputs_element_bytes(precision));
}

/* ---- generators, one table for each distribution --------------------------------------------- */

static void lent_normal(const eh_bench *bench, void *out, uint64_t first, uint64_t count,
                        const char *precision, uint64_t seed, uint32_t stream)
{
	inputs_fill_normal(out, first, count, precision, seed, stream);
	note_numbers(bench, precision, out, count);
}

static void lent_uniform(const eh_bench *bench, void *out, uint64_t first, uint64_t count,
                        const char *precision, uint64_t seed, uint32_t stream)
{
	inputs_fill_uniform(out, first, count, precision, seed, stream);
	note_numbers(bench, precision, out, count);
}

static void lent_zeros(const eh_bench *bench, void *out, uint64_t first, uint64_t count,
                        const char *precision, uint64_t seed, uint32_t stream)
{
	(void)first;
	(void)seed;
	(void)stream;
	memset(out, 0, (size_t)count * inputs_element_bytes(precision));
	note_numbers(bench, precision, out, count);
}

static void lent_dense(const eh_bench *bench, void *out, uint64_t first, uint64_t count,
                        const char *precision, uint64_t seed, uint32_t stream)
{
	inputs_fill_dense(out, first, count, precision, seed, stream);
	note_numbers(bench, precision, out, count);
}

static void lent_bytes(const eh_bench *bench, void *out, uint64_t first, uint64_t count,
                       uint64_t seed, uint32_t stream)
{
	inputs_fill_bytes(out, first, count, seed, stream);
	note(bench->core, "bytes", out, count);
}

/* Bytes are the data of a workload that works on no numbers; otherwise its oracle draws lots with
 * them, and they stay random. */
static void lent_zero_bytes(const eh_bench *bench, void *out, uint64_t first, uint64_t count,
                       uint64_t seed, uint32_t stream)
{
	const inputdata_log *log = bench->core;

	if (!log->open || log->numbers)
		inputs_fill_bytes(out, first, count, seed, stream);
	else
		memset(out, 0, (size_t)count);
	note(bench->core, "bytes", out, count);
}

void inputdata_lend(eh_bench *bench, enum record_distribution kind, inputdata_log *log)
{
	*log = (inputdata_log){ .kind = kind };
	bench->core = log;
	bench->fill_normal = lent_normal;
	bench->fill_uniform = lent_uniform;
	bench->fill_bytes = lent_bytes;
	bench->to_double = inputs_to_double;
	switch (kind) {
	case record_distribution_absent:
	case RECORD_DATA_STANDARD:
		break;
	case RECORD_DATA_NORMAL:
		bench->fill_uniform = lent_normal;
		break;
	case RECORD_DATA_UNIFORM:
		bench->fill_normal = lent_uniform;
		break;
	case RECORD_DATA_ZEROS:
		bench->fill_normal = lent_zeros;
		bench->fill_uniform = lent_zeros;
		bench->fill_bytes = lent_zero_bytes;
		break;
	case RECORD_DATA_INCOMPRESSIBLE:
		bench->fill_normal = lent_dense;
		bench->fill_uniform = lent_dense;
		break;
	}
}

/* ---- the log --------------------------------------------------------------------------------- */

record_data *inputdata_record(const inputdata_log *log)
{
	static const enum record_distribution distributions[] = {
		[RECORD_DATA_STANDARD] = RECORD_DATA_STANDARD, [RECORD_DATA_NORMAL] = RECORD_DATA_NORMAL,
		[RECORD_DATA_UNIFORM] = RECORD_DATA_UNIFORM, [RECORD_DATA_ZEROS] = RECORD_DATA_ZEROS,
		[RECORD_DATA_INCOMPRESSIBLE] = RECORD_DATA_INCOMPRESSIBLE,
	};
	record_data *out;
	char hex[65];
	char *line;

	if (log->requests == 0)
		return NULL;
	line = memory_format("%llu %016llx%016llx%016llx%016llx", (unsigned long long)log->requests,
	                     (unsigned long long)log->sum[0], (unsigned long long)log->sum[1],
	                     (unsigned long long)log->sum[2], (unsigned long long)log->sum[3]);
	digest_bytes(line, strlen(line), hex);
	free(line);
	out = layout_new(record_data_layout());
	out->distribution = distributions[log->kind];
	text_set(&out->sha256, hex);
	return out;
}
