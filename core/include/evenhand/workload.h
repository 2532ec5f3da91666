/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand/workload.h - what a workload is, version 1.
 *
 * A workload is a shared object that exports eh_workload_entry_v1.  It declares parameters,
 * counts its work by formula, prepares buffers, enqueues one operation, and checks the outcome
 * against its own oracle.  It never reads a clock, never names a backend, never prints.
 * The growth rules, threads and units of evenhand/backend.h apply.
 */
#ifndef EVENHAND_WORKLOAD_H
#define EVENHAND_WORKLOAD_H

#include "evenhand/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EH_WORKLOAD_MAGIC UINT32_C(0x57484531) /* "1EHW" */
#define EH_WORKLOAD_ENTRY_NAME "eh_workload_entry_v1"

/* ---- parameters and cases ------------------------------------------------------------- */

enum {
	EH_PARAM_UINT = 1,  /* an integer; domain "1..1024"                                    */
	EH_PARAM_BYTES = 2, /* an integer, spelled 16KiB, 64MiB, 1GiB or plain; domain "4..16GiB" */
	EH_PARAM_ENUM = 3   /* one word; domain "copy|mul|add"                                 */
};

/* Added to a workload that was released: left out of the canonical form at its default, so that
 * released cases keep their identity. */
enum { EH_PARAM_ADDED = 1 };

/* Frozen; the array ends with key NULL.  A protocol's case sets any of them; a comma list
 * sweeps.  `tune` is the space that the tuned tier searches ("1,2,4"), NULL when fixed. */
typedef struct eh_param {
	const char *key;      /* [a-z][a-z0-9-]*                                               */
	uint32_t type;
	uint32_t flags;       /* EH_PARAM_ADDED, or 0                                          */
	const char *standard; /* the default, spelled as in a protocol; NULL = must be given   */
	const char *domain;
	const char *tune;
	const char *help;     /* one line with the unit                                        */
} eh_param;

/* One parameter of one case, checked against its domain.  Frozen. */
typedef struct eh_value {
	const char *key;
	const char *text;     /* canonical spelling                                            */
	uint64_t number;      /* UINT, BYTES: the value; ENUM: position in the domain          */
} eh_value;

/* One case: every parameter of the workload has a value here. */
typedef struct eh_case {
	uint32_t struct_size;
	uint32_t value_count;
	const eh_value *values;
	uint64_t seed;        /* all input data derive from it                                 */
} eh_case;

/* ---- counting --------------------------------------------------------------------------- */

enum { /* the number that is computed from the time */
	EH_METRIC_BYTES_PER_SECOND = 1,
	EH_METRIC_FLOP_PER_SECOND = 2,
	EH_METRIC_SECONDS = 3          /* time per operation (amount of them per enqueue)      */
};
enum { /* the timed region */
	EH_REGION_EXECUTION = 1, /* from before the first command to the last one's completion,
	                            by marks on the device clock, or by the host clock         */
	EH_REGION_ENQUEUE = 2,   /* the host's time in the enqueue calls alone                 */
	EH_REGION_ROUND_TRIP = 3 /* enqueue and wait, by the host clock                        */
};

typedef struct eh_define { /* frozen */
	char name[24];
	char value[40];
} eh_define;

/*
 * The work of one enqueue(): a pure function of the case, never measured.
 * The program to build is `kernel`.k with the defines; kernel is empty when none is needed.
 */
typedef struct eh_work {
	uint32_t struct_size;
	uint32_t metric;             /* EH_METRIC_*                                            */
	uint32_t region;             /* EH_REGION_*                                            */
	uint32_t define_count;
	double amount;               /* the metric's numerator: bytes, flops, or operations    */
	double flops;                /* 0 = none                                               */
	double bytes;                /* unique bytes in and out of device memory or the link   */
	uint64_t needs;              /* EH_CAP_*: missing ones make the case unsupported       */
	uint64_t device_bytes;       /* memory to allocate on the device                       */
	uint64_t working_set_bytes;  /* memory that one operation touches                      */
	uint64_t group_items;        /* largest work-group used                                */
	char precision[16];          /* "f32"; mixed: "f16/f32/f16" (input/accumulate/output)  */
	char flops_formula[96];      /* "2*M*N*K"                                              */
	char bytes_formula[96];      /* "3*N*s"                                                */
	char kernel[32];
	eh_define defines[16];
	uint64_t local_bytes;        /* local memory of one group, 0 = none or not known         */
} eh_work;

/* ---- checking ----------------------------------------------------------------------------- */

typedef struct eh_check {
	uint32_t struct_size;
	uint32_t passed;             /* 1 only if every checked value is within tolerance       */
	uint64_t checked;            /* values compared with the oracle                         */
	uint64_t failed;
	double max_error;            /* largest |got - want| / allowed, 1 is the limit          */
	double rho;                  /* ||got - want||_F / ||want||_F                           */
	double rho_limit;            /* 0 = not a criterion                                     */
	char gate[8];                /* "A" exact, "B" statistical, "A+B"                       */
	char tolerance[96];          /* as text: "|got-want| <= 8 eps |want|"                   */
	char detail[192];            /* why it failed; of a check that passed, what it found   */
} eh_check;

/* ---- tiers -------------------------------------------------------------------------------- */

enum { /* who may optimise what runs */
	EH_TIER_PORTABLE = 1, /* `kernel`, with the declared parameters                         */
	EH_TIER_TUNED = 2,    /* the same, with parameters that were searched                   */
	EH_TIER_VENDOR = 3    /* a library of the backend, by an extension: a program is built with
	                         EH_WORKLOAD_SHARED alone                                       */
};

enum { /* of a workload */
	EH_WORKLOAD_SHARED = 1 /* in the vendor tier the library does a part, and the program the rest */
};

/* ---- the bench: device and functions for a workload ------------------------------------------ */

/*
 * Valid from prepare() until finish().  `program` is built from eh_work.kernel, NULL if empty.
 * Use ops with device, queue and program as backend.h says; do not wait in enqueue() for what it enqueued
 * in `queue`.
 * fill_*: counter-based generators, so that any element can be recomputed alone: element i of
 * stream s under `seed` depends on (seed, s, i) only.  uniform lies in [-1, 1), normal is
 * N(0, 1); both are converted to `precision`
 * by rounding to nearest even; bytes are incompressible.  Precisions: "f64", "f32", "f16", "bf16"; since
 * 1.3 "e4m3", "e5m2" (OCP's; e4m3 saturates at 448), "e4m3z", "e5m2z" (one zero, one NaN: fnuz), and
 * "i8", 32 times the value, rounded, within +-127.
 */
typedef struct eh_bench {
	uint32_t struct_size;
	uint32_t reserved;
	const eh_backend_ops *ops;
	const eh_device_info *info;
	eh_device *device;
	eh_queue *queue;
	eh_program *program;
	const eh_case *values;
	const eh_work *work;
	void *core;                  /* the core's own                                          */
	void (*fill_normal)(const struct eh_bench *bench, void *out, uint64_t first, uint64_t count,
	                    const char *precision, uint64_t seed, uint32_t stream);
	void (*fill_uniform)(const struct eh_bench *bench, void *out, uint64_t first, uint64_t count,
	                     const char *precision, uint64_t seed, uint32_t stream);
	void (*fill_bytes)(const struct eh_bench *bench, void *out, uint64_t first, uint64_t count,
	                   uint64_t seed, uint32_t stream);
	double (*to_double)(const void *element, const char *precision);
	/* A table of evenhand/extensions.h by its name, NULL = not offered by the backend. */
	const void *(*extension)(const struct eh_bench *bench, const char *name);
	uint32_t tier;               /* EH_TIER_*; since 1.3                                    */
	uint32_t reserved2;
	/* Opens another device of the backend, number `ordinal` (from 0) of those that are not the
	 * bench's, in the backend's order; the workload closes it with ops->device_close.  *info is
	 * filled as eh_bench.info is.  EH_E_UNSUPPORTED when there are not so many.  Since 1.3. */
	eh_status (*open_other)(const struct eh_bench *bench, uint64_t ordinal, eh_device_info *info,
	                        eh_device **device, eh_error *error);
	/* What `program` was built from, NULL where there is none; since 1.3.  A copy with other values
	 * of macros and another digest is another program, which ops->program_build makes. */
	const eh_source *source;
} eh_bench;

/* ---- the workload --------------------------------------------------------------------------- */
/*
 * The core calls, in this order, all from one thread:
 *
 *   describe                     pure, any number of times, without a device
 *   prepare
 *   selftest                     [O] gate A on crafted data, leaves the case as prepared
 *   poison, enqueue(0), wait, check(0); poison, wait, check(0), which must not pass
 *   enqueue(i) ...               warm-up and timed samples; now and then with poison before
 *                                a sample and check after it
 *   vary(1), poison, enqueue(i), wait, check(i)   after the last sample
 *   finish                       also when one of these failed
 *
 * poison overwrites every output with values that no correct run leaves.  check downloads and
 * compares the outputs of the last enqueue; it must hold after any number of enqueues.  vary
 * changes the inputs so that a correct output differs from all before: a stale one is found.
 */
typedef struct eh_workload {
	uint32_t magic;              /* EH_WORKLOAD_MAGIC                                       */
	uint32_t struct_size;
	uint16_t abi_major, abi_minor;
	uint16_t pointer_bytes;
	uint16_t reserved;
	uint32_t revision;           /* +1 when old and new numbers differ in meaning           */
	uint32_t reserved2;
	const char *name;            /* equal to the file's: NAME.so                            */
	const char *summary;         /* one line                                                */
	const eh_param *params;
	eh_status (*describe)(const eh_case *values, eh_work *work, eh_error *error);
	eh_status (*prepare)(const eh_bench *bench, void **state, eh_error *error);
	eh_status (*selftest)(void *state, eh_check *check, eh_error *error); /* [O] */
	eh_status (*enqueue)(void *state, uint64_t iteration, eh_error *error);
	eh_status (*poison)(void *state, eh_error *error);
	eh_status (*check)(void *state, uint64_t iteration, eh_check *check, eh_error *error);
	eh_status (*vary)(void *state, uint32_t variant, eh_error *error);
	void (*finish)(void *state);
	/* [O] since 1.3: the workload can run in the vendor tier.  Describes the library that does the
	 * work of this state, and in detail the kernel that it chose; called after the first check. */
	eh_status (*library)(void *state, eh_layer *layer, eh_error *error);
	const char *checks;          /* [O] since 1.3: one line that says how outputs are checked */
	uint64_t flags;              /* EH_WORKLOAD_*; since 1.3                                */
} eh_workload;

/* Pure, as eh_backend_entry_v1. */
typedef const eh_workload *(*eh_workload_entry)(void);
EH_EXPORT const eh_workload *eh_workload_entry_v1(void);

/* ---- reading a case ---------------------------------------------------------------------------- */

/* The value of `key`; NULL only for a key that the workload does not declare. */
static inline const eh_value *eh_case_value(const eh_case *values, const char *key)
{
	uint32_t i;
	for (i = 0; i < values->value_count; i++) {
		const char *a = values->values[i].key;
		const char *b = key;
		while (*a != '\0' && *a == *b) {
			a++;
			b++;
		}
		if (*a == *b)
			return &values->values[i];
	}
	return NULL;
}

static inline uint64_t eh_case_number(const eh_case *values, const char *key)
{
	const eh_value *v = eh_case_value(values, key);
	return v != NULL ? v->number : 0;
}

static inline const char *eh_case_text(const eh_case *values, const char *key)
{
	const eh_value *v = eh_case_value(values, key);
	return v != NULL ? v->text : "";
}

#ifdef __cplusplus
}
#endif
#endif /* EVENHAND_WORKLOAD_H */
