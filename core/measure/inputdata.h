/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declared input data: the generators that a workload is given, and a digest of the data it
 * asked for while it was prepared, so that records show whether both worked on the same bytes.
 */
#ifndef MEASURE_INPUTDATA_H
#define MEASURE_INPUTDATA_H

#include "evenhand/workload.h"
#include "protocol/protocol.h"
#include "record/record.h"

/*
 * The sum over all requests: order makes no difference, a request made twice counts twice.  Each
 * request adds the SHA-256 of its bytes (and of their kind and precision), as four 64-bit words.
 */
typedef struct inputdata_log {
	enum record_distribution kind;
	bool open;             /* requests are added                                              */
	bool numbers;          /* a number was asked for: bytes asked for later are not the data  */
	uint64_t requests;
	uint64_t sum[4];
} inputdata_log;

/* Lends the bench the generators of that distribution.  Requests are added to *log, which outlives
 * the bench, while it is open; it is closed and empty here. */
void inputdata_lend(eh_bench *bench, enum record_distribution kind, inputdata_log *log);

/* malloc'd; NULL when nothing was asked for.  The digest is of the sum and the number of requests. */
record_data *inputdata_record(const inputdata_log *log);

#endif
