/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads for tests of the protocol room: declared and described, never run. */
#ifndef TESTS_PROTOCOL_FAKES_H
#define TESTS_PROTOCOL_FAKES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "evenhand/workload.h"

static eh_status fake_stream_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	uint64_t bytes = eh_case_number(values, "bytes");

	if (bytes % 4096 != 0)
		return error_set(error, EH_E_INVALID_ARGUMENT, "stream: bytes=%s is not a multiple of 4096",
		                 eh_case_text(values, "bytes"));
	work->metric = EH_METRIC_BYTES_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->amount = work->bytes = 3.0 * (double)bytes;
	work->working_set_bytes = 3 * bytes;
	snprintf(work->precision, sizeof(work->precision), "%s", eh_case_text(values, "precision"));
	snprintf(work->bytes_formula, sizeof(work->bytes_formula), "3*N*s");
	snprintf(work->kernel, sizeof(work->kernel), "stream");
	return EH_OK;
}

static eh_status fake_gemm_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	double m = (double)eh_case_number(values, "m");

	(void)error;
	work->metric = EH_METRIC_FLOP_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->amount = work->flops = 2 * m * (double)eh_case_number(values, "n") *
	                             (double)eh_case_number(values, "k");
	snprintf(work->precision, sizeof(work->precision), "%s", eh_case_text(values, "precision"));
	return EH_OK;
}

/* Says things that no workload may say, one for each value of "lie". */
static eh_status fake_liar_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	(void)error;
	fake_gemm_describe(values, work, error);
	work->amount = work->flops = 1;
	switch (eh_case_number(values, "lie")) {
	case 1: work->metric = 9; break;
	case 2: work->region = 0; break;
	case 3: work->amount = NAN; break;
	case 4: work->amount = 0; break;
	case 5: work->flops = -1; break;
	case 6: work->define_count = 17; break;
	case 7: memset(work->precision, 'x', sizeof(work->precision)); break;
	case 8: return EH_E_INVALID_ARGUMENT; /* and does not say why */
	default: break;
	}
	return EH_OK;
}

static const eh_param fake_stream_params[] = {
	{ "operation", EH_PARAM_ENUM, 0, "triad", "copy|mul|add|triad|dot", NULL, "" },
	{ "precision", EH_PARAM_ENUM, 0, "f32", "f32|f64", NULL, "" },
	{ "bytes", EH_PARAM_BYTES, 0, "64MiB", "4KiB..1GiB", NULL, "" },
	{ "items", EH_PARAM_UINT, 0, "4", "1..32", "1,2,4", "" },
	{ NULL, 0, 0, NULL, NULL, NULL, NULL },
};
static const eh_param fake_gemm_params[] = {
	{ "precision", EH_PARAM_ENUM, 0, "f32", "f32|f64", NULL, "" },
	{ "m", EH_PARAM_UINT, 0, NULL, "1..65536", NULL, "" },
	{ "n", EH_PARAM_UINT, 0, NULL, "1..65536", NULL, "" },
	{ "k", EH_PARAM_UINT, 0, NULL, "1..65536", NULL, "" },
	{ "tile", EH_PARAM_UINT, 0, "8", "1..64", "4, 8, 16", "" },
	{ NULL, 0, 0, NULL, NULL, NULL, NULL },
};
static const eh_param fake_liar_params[] = {
	{ "lie", EH_PARAM_UINT, 0, "0", "0..100", NULL, "" },
	{ NULL, 0, 0, NULL, NULL, NULL, NULL },
};
static const eh_param fake_clash_params[] = {
	{ "clock", EH_PARAM_UINT, 0, "0", "0..100", NULL, "" },
	{ NULL, 0, 0, NULL, NULL, NULL, NULL },
};
static const eh_param fake_broken_params[] = {
	{ "size", EH_PARAM_UINT, 0, "0", "0-100", NULL, "" },
	{ NULL, 0, 0, NULL, NULL, NULL, NULL },
};
static const eh_param fake_plain_params[] = {
	{ NULL, 0, 0, NULL, NULL, NULL, NULL },
};

static const eh_workload fake_workloads[] = {
	{ .name = "stream", .revision = 1, .params = fake_stream_params,
	  .describe = fake_stream_describe },
	{ .name = "gemm", .revision = 3, .params = fake_gemm_params, .describe = fake_gemm_describe },
	{ .name = "liar", .revision = 1, .params = fake_liar_params, .describe = fake_liar_describe },
	{ .name = "clash", .revision = 1, .params = fake_clash_params, .describe = fake_liar_describe },
	{ .name = "broken", .revision = 1, .params = fake_broken_params,
	  .describe = fake_liar_describe },
	{ .name = "plain", .revision = 1, .params = fake_plain_params,
	  .describe = fake_liar_describe },
};

/* A plan_finder. */
static const eh_workload *fake_find(void *context, const char *name, eh_error *error)
{
	(void)context;
	for (size_t i = 0; i < sizeof(fake_workloads) / sizeof(fake_workloads[0]); i++)
		if (strcmp(fake_workloads[i].name, name) == 0)
			return &fake_workloads[i];
	error_set(error, EH_E_NOT_FOUND, "there is no workload '%.60s'", name);
	return NULL;
}

#endif
