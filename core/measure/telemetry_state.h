/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of telemetry: readers (telemetry.c), questions (telemetry_ask.c,
 * telemetry_throttle.c) and the record (telemetry_record.c).  `lock` guards all while threads run. */
#ifndef MEASURE_TELEMETRY_STATE_H
#define MEASURE_TELEMETRY_STATE_H

#include <pthread.h>

#include "measure/telemetry.h"
#include "plugin/probes.h"

#define TELEMETRY_MOST 1024 /* readings kept of a channel */

/* A fault may pass, so a channel is tried again: in the next recording after so many answers in a row
 * that its device is lost, and when a read that hung has returned, but for so many in a process. */
enum { TELEMETRY_LOST = 5, TELEMETRY_HANGS = 3 };

typedef struct telemetry_log { /* of one channel */
	const eh_channel_info *info;
	uint64_t *times_ns;      /* clock_now_ns                                               */
	uint64_t *natives;
	uint64_t *counts;        /* counters, without wraparounds; bits                        */
	double *values;
	size_t count;
	uint64_t last_raw;       /* of a counter                                               */
	bool went_back;          /* a counter without wraparound fell: its sum means nothing   */
	uint64_t failures;       /* readings that failed in this recording                     */
	unsigned lost;           /* answers in a row that the device is lost                   */
	unsigned hangs;          /* in this process                                            */
	bool hanging;            /* a read of it has not returned                              */
	bool given_up;           /* not read any more in this recording                        */
	char reason[320];        /* of the last failure                                        */
} telemetry_log;

typedef struct telemetry_place {
	uint32_t index;          /* in the probe                                               */
	const probe_place *place;
	telemetry_log *logs;
} telemetry_place;

typedef struct telemetry_reader telemetry_reader;

/* A thread reads into it; it outlives the reader when its read hangs. */
typedef struct telemetry_round {
	telemetry_reader *reader;
	eh_reading *readings;    /* of the place with most channels                            */
	telemetry_log *abandoned; /* NULL, or what it hangs in: another thread reads on        */
} telemetry_round;

struct telemetry_reader { /* one per probe */
	struct telemetry *owner;
	probes_one probe;
	telemetry_place *places;
	uint32_t place_count;
	pthread_t thread;
	telemetry_round *round;
	bool running;            /* the thread exists                                          */
	uint64_t busy_since;     /* 0 = not in a read                                          */
	uint32_t busy_place;     /* in places                                                  */
	uint64_t period_ns;      /* grows when memory is full                                  */
	uint64_t started, ended; /* the recording whose first, last round is done              */
	uint64_t cpu_ns, rounds; /* of this recording                                          */
	uint64_t between_ns;     /* CPU time but for the first and last round                  */
	bool hung;               /* a thread of it never came back: nothing of it is freed     */
};

struct telemetry {
	eh_device_info device;
	telemetry_reader *readers;
	size_t reader_count;
	record_telemetry empty;  /* what records begin with: gaps for probes that are not read */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t watch;
	bool watching, quit;
	bool recording;
	uint64_t recording_number;
	uint64_t period_ns, begin_ns, end_ns;
};

/* Whether the questions about the device are put to this place. */
bool telemetry_is_subject(const telemetry *t, const eh_place_info *place);

#endif
