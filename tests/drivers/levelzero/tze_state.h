/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Level Zero driver whose devices are simulated, for the real loader (ZE_ENABLE_ALT_DRIVERS names
 * it).  Kernels are the program's own SPIR-V, translated back and run by PoCL.  Nothing runs before
 * somebody waits or asks, and what the API leaves unordered runs in the least expected order.
 *
 * EVENHAND_TEST_ZE  words KEY=NUMBER, separated by blanks: api=104 (1.4; 107 keeps lists in order),
 *                   devices=2, tiles=2 (sub-devices of device 0), peer=1, bits=32, hertz=19200000,
 *                   fp64=1, fp16=0, memory=8 (GiB)
 */
#ifndef TZE_STATE_H
#define TZE_STATE_H

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TZE_MOST_DEVICES = 4, TZE_MOST_TILES = 2, TZE_MOST_ARGUMENTS = 24, TZE_MOST_WAITS = 8 };

typedef struct tze_device {
	uint32_t root;      /* number of the card                                              */
	int tile;           /* -1 = the card                                                   */
	int slice;          /* whose memory it uses in devmem                                  */
	bool lost, hangs;
	uint64_t readings;  /* of its clock                                                    */
} tze_device;

typedef struct tze_pool {
	uint32_t count, live;
	struct tze_event *events;
} tze_pool;

typedef struct tze_event {
	tze_pool *pool;
	bool live, signalled;
} tze_event;

typedef struct tze_argument {
	bool set, pointer, local;
	size_t size;
	unsigned char value[16];
} tze_argument;

typedef struct tze_kernel {
	struct tze_module *module;
	void *cl;           /* cl_kernel                                                       */
	uint32_t count;
	tze_argument arguments[TZE_MOST_ARGUMENTS];
	uint32_t given;     /* a bit for each argument that was set since the last launch      */
	uint32_t group[3], required[3];
} tze_kernel;

typedef enum tze_kind {
	TZE_LAUNCH, TZE_COPY, TZE_FILL, TZE_BARRIER, TZE_WAIT, TZE_RESET, TZE_TIME
} tze_kind;

typedef struct tze_command {
	struct tze_command *next;
	tze_kind kind;
	struct tze_list *list;     /* a regular one that it came from, or NULL                  */
	tze_event *signal;
	uint32_t wait_count;
	tze_event *waits[TZE_MOST_WAITS];
	tze_kernel *kernel;
	tze_argument arguments[TZE_MOST_ARGUMENTS];
	uint32_t group[3], groups[3];
	uint64_t to, from;
	size_t bytes, pattern_size;
	unsigned char pattern[16];
	tze_event *event;          /* of a reset                                                */
} tze_command;

/* What the device works through: that of an immediate list or of a queue. */
typedef struct tze_stream {
	struct tze_stream *next;
	tze_device *device;
	bool in_order, offloads;
	tze_command *first, **last;
} tze_stream;

typedef struct tze_list {
	tze_device *device;
	tze_stream *stream;        /* of an immediate list                                      */
	tze_command *first, **last;
	bool closed;
	unsigned in_flight;        /* commands that have not run                                */
} tze_list;

/* ---- tze_state.c ---- */
void tze_lock(void);
void tze_unlock(void);
/* Words of EVENHAND_TEST_FAULT for codes. */
bool tze_word(const char *word, int64_t *code);
uint64_t tze_setting(const char *key, uint64_t otherwise);
/* One object more (+1) or less (-1) that the program must give back. */
void tze_live(const char *what, int change);
void *tze_new(size_t size);

/* One function of the API: its name without "ze", its parameters, the same as arguments.  A body
 * follows, which runs under the driver's lock and may be replaced by a planned failure. */
#define TZE_FUNCTION(name, parameters, arguments) \
	static ze_result_t do_##name parameters; \
	static ze_result_t ZE_APICALL tze_##name parameters \
	{ \
		int64_t code = 0; \
		ze_result_t rc; \
		tze_lock(); \
		rc = faults_call("ze" #name, tze_word, &code) ? (ze_result_t)code \
		                                              : do_##name arguments; \
		tze_unlock(); \
		faults_linger(); \
		return rc; \
	} \
	static ze_result_t do_##name parameters

/* One table that the loader fetches. */
#define TZE_TABLE(name, type) \
	ZE_DLLEXPORT ze_result_t ZE_APICALL name(ze_api_version_t version, type *t); \
	ZE_DLLEXPORT ze_result_t ZE_APICALL name(ze_api_version_t version, type *t)

/* ---- tze_device.c ---- */
/* Ticks of the device's clock, the bits beyond the valid ones set to rubbish. */
uint64_t tze_device_ticks(tze_device *device);
bool tze_device_reaches(const tze_device *device, int slice);

/* ---- tze_engine.c ---- */
/* Begins to run what nobody waits for, every EVENHAND_TEST_PROGRESS milliseconds, if that is set. */
void tze_engine_start(void);
tze_stream *tze_engine_new(tze_device *device, bool in_order, bool offloads);
/* Runs what can still run. */
void tze_engine_free(tze_stream *stream);
void tze_engine_put(tze_stream *stream, tze_command *command);
/* Runs until the event is signalled; NULL = until nothing is left of the stream. */
ze_result_t tze_engine_wait(const tze_event *event, const tze_stream *stream);
/* Runs one command of every stream. */
ze_result_t tze_engine_step(void);

/* ---- tze_pocl.c ---- */
/* A program of SPIR-V; why not, in log (malloc'd). */
void *tze_pocl_build(const void *spirv, size_t size, char **log);
void tze_pocl_free(void *program);
void *tze_pocl_kernel(void *program, const char *name);
void tze_pocl_free_kernel(void *kernel);
/* Runs a command's kernel to its end; pointers are those of the host's view. */
bool tze_pocl_run(const tze_command *command, void *const views[TZE_MOST_ARGUMENTS]);

#endif
