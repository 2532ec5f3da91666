/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declared input data: which generators a workload is lent, and a digest of what it asked
 * for while it was prepared, so that two records show that the same bytes were worked on.
 */
#ifndef MEASURE_INPUTDATA_H
#define MEASURE_INPUTDATA_H

#include "evenhand/workload.h"
#include "protocol/protocol.h"

/*
 * What was asked for, summed over the requests: order makes no difference, a request made twice
 * counts twice.  Each request adds the SHA-256 of its bytes (and of their kind and precision), as
 * four 64-bit words.
 */
typedef struct inputdata_log {
	enum record_distribution kind;
	bool numbers;          /* a number was asked for: bytes asked for later are not the data  */
	uint64_t requests;
	uint64_t sum[4];
} inputdata_log;

/* Lends the bench the generators of that distribution. */
void inputdata_lend(eh_bench *bench, enum record_distribution kind);

/*
 * From now on requests made by this thread are added to *log, until inputdata_end.  The
 * generators that eh_bench lends carry no context, so the log stands in a variable of the thread.
 */
void inputdata_begin(inputdata_log *log, enum record_distribution kind);
void inputdata_end(void);

/* The SHA-256 of the sum and the number of requests; of nothing when there were none. */
void inputdata_digest(const inputdata_log *log, char hex[65]);

#endif
