/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for the tests of backends.  A test calls kit_fail or kit_skip at most once and returns;
 * its objects are then destroyed.  The bool helpers call kit_fail and return false on failure, so a
 * test is a chain of "if (!kit_x(...)) return;".
 */
#ifndef CONFORMANCE_KIT_H
#define CONFORMANCE_KIT_H

#include <stdbool.h>

#include "evenhand/backend_helper.h"
#include "evenhand/conformance.h"

enum kit_level { KIT_FILE, KIT_LOADED, KIT_STARTED, KIT_DEVICE };
enum kit_class { KIT_BUFFER, KIT_QUEUE, KIT_PROGRAM, KIT_MARK };

typedef struct kit_item {
	enum kit_class class;
	void *object;
} kit_item;

typedef struct kit {
	const eh_trial *trial;
	enum kit_level level;      /* reached so far                                          */
	eh_status status;          /* of reaching the level that the current test needs       */
	eh_error start;            /* why start() failed; code EH_OK = it did not             */
	eh_error unreached;        /* why a test could not be run                             */
	bool tested, failed;       /* a test ran on the device; a test failed                 */
	const eh_backend *backend; /* once loaded                                             */
	const eh_backend_ops *ops;
	void *self;                /* once started                                            */
	eh_device_info info;       /* of the opened device                                    */
	eh_device *device;
	eh_queue *queue;
	eh_program *program;       /* conformance.k for this device; use kit_kernel           */
	eh_error error;            /* pass &k->error to every call                            */
	uint32_t outcome;          /* EH_TEST_* and its reason                                */
	char reason[1024];
	bool unwaited;             /* queue_wait does not wait: memory is still being written */
	kit_item items[64];
	size_t item_count;
} kit;

void *kit_memory(size_t size); /* zeroed; ends the process when there is none */
uint64_t kit_now(const kit *k); /* ns, of the trial's host */
void kit_sleep(uint64_t ns);
/* Fills *error (if not NULL) and returns code. */
__attribute__((format(printf, 3, 4)))
eh_status kit_error(eh_error *error, eh_status code, const char *format, ...);
void kit_error_clear(eh_error *error);

__attribute__((format(printf, 2, 3)))
void kit_fail(kit *k, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void kit_skip(kit *k, const char *format, ...);
/* True for EH_OK; else fails with the backend's message. */
bool kit_ok(kit *k, const char *call, eh_status status);
/* After a call that had to fail: fails unless k->error has that status as code, and a message. */
bool kit_explained(kit *k, const char *call, eh_status status);
/* Fails unless status is `want`, and explained unless it is EH_OK. */
bool kit_expect(kit *k, const char *call, eh_status status, eh_status want);
/* Fails unless the text of `room` bytes is UTF-8, terminated and without control characters; flags
 * are TEXT_* of conformance_text.h.  field: "the name that device_info gave device 0". */
bool kit_text(kit *k, const char *field, const char *text, size_t room, int flags);
/* False after kit_skip when the device does not list the capability. */
bool kit_has(kit *k, uint64_t cap, const char *name);

eh_status kit_load(kit *k, eh_error *error);
eh_status kit_start(kit *k, eh_error *error);
eh_status kit_open(kit *k, eh_error *error);
void kit_close(kit *k); /* queue, program, device, if open */
void kit_stop(kit *k);  /* the same, and the backend, if started */
/* Destroys the objects of the test. */
void kit_clean(kit *k);
/* Waits for the queue.  A test calls it before it frees host memory that commands may still use. */
void kit_settle(kit *k);
void kit_own(kit *k, enum kit_class class, void *object);
void kit_drop(kit *k, void *object); /* destroys one object now */

bool kit_buffer(kit *k, uint32_t kind, uint64_t bytes, eh_buffer **out);
bool kit_queue(kit *k, uint32_t flags, eh_queue **out);
bool kit_mark(kit *k, uint32_t flags, eh_mark **out);
bool kit_wait(kit *k);
bool kit_fill(kit *k, eh_buffer *b, uint64_t offset, uint64_t bytes, uint32_t pattern);
bool kit_copy(kit *k, eh_buffer *to, uint64_t to_offset, eh_buffer *from, uint64_t from_offset,
              uint64_t bytes);
bool kit_upload(kit *k, eh_buffer *to, uint64_t offset, const void *from, uint64_t bytes);
/* Enqueues it and waits. */
bool kit_download(kit *k, void *to, eh_buffer *from, uint64_t offset, uint64_t bytes);

/* The digest of macros, prelude and body. */
void kit_digest(const kit *k, const eh_source *source, char hex[65]);
/* A program of `body` with the suite's macros and `value` for CF_VALUE; log may be NULL. */
eh_status kit_build(kit *k, const char *body, unsigned value, eh_program **out, char *log,
                    size_t log_size);
bool kit_kernel(kit *k, const char *name, eh_kernel **out);
bool kit_launch(kit *k, eh_kernel *kernel, const uint32_t groups[3], const uint32_t group_size[3],
                const eh_arg *args, uint32_t count);
/* The same for a one-dimensional grid. */
bool kit_launch_x(kit *k, eh_kernel *kernel, uint32_t groups, uint32_t group_size,
                  const eh_arg *args, uint32_t count);

#define ARG_BUFFER(b) { .buffer = (b) }
#define ARG_VALUE(v) { .data = &(v), .size = sizeof(v) }

/* Fills with bytes that differ from place to place and from seed to seed. */
void kit_pattern(void *out, size_t bytes, uint32_t seed);
/* Fails with the place of the first difference unless both are equal. */
bool kit_same(kit *k, const void *got, const void *want, size_t bytes, const char *what);
/* Fails unless all bytes are `value`. */
bool kit_all(kit *k, const void *data, size_t bytes, unsigned char value, const char *what);

/* Every test: name, what it needs, function, requirement. */
#define KIT_TESTS(X) \
	X("plugin/load", FILE, plugin_load, \
	  "the object loads, and its identity block and required slots pass the checks") \
	X("plugin/one-symbol", LOADED, plugin_one_symbol, \
	  "a backend exports exactly one symbol") \
	X("plugin/entry-pure", LOADED, plugin_entry_pure, \
	  "the entry function is pure: the same block every time, and nothing is loaded") \
	X("backend/start", LOADED, backend_start, \
	  "start succeeds, or says EH_E_UNAVAILABLE with advice") \
	X("backend/notes", STARTED, backend_notes, \
	  "notes writes at most the size it was given, terminated") \
	X("backend/extension-unknown", STARTED, backend_extension, \
	  "an extension that is not offered is NULL, at every call") \
	X("backend/destroy-null", STARTED, backend_destroy_null, \
	  "destroy functions accept NULL") \
	X("device/count", STARTED, device_count, \
	  "counting devices is stable") \
	X("device/info", STARTED, device_info, \
	  "descriptions of devices are well-formed and stable, and ids are unique") \
	X("device/info-size", STARTED, device_info_size, \
	  "device_info writes nothing beyond the struct_size it was given") \
	X("device/index-beyond", STARTED, device_beyond, \
	  "an index beyond the last device gives an error and leaves outputs alone") \
	X("device/open-close", STARTED, device_open_close, \
	  "a device can be opened and closed again and again") \
	X("device/layers", DEVICE, device_layers, \
	  "layers are well-formed and end with EH_E_INVALID_ARGUMENT") \
	X("error/content", DEVICE, error_content, \
	  "a failed call fills code and message") \
	X("error/struct-size", DEVICE, error_size, \
	  "nothing is written beyond the error's struct_size") \
	X("error/null", DEVICE, error_null, \
	  "a NULL eh_error is allowed everywhere") \
	X("queue/wait-waits", DEVICE, queue_wait_waits, \
	  "queue_wait returns when the commands are done, not before") \
	X("buffer/kinds", DEVICE, buffer_kinds, \
	  "kinds in caps can be allocated, others give EH_E_UNSUPPORTED") \
	X("buffer/zero-size", DEVICE, buffer_zero, \
	  "a buffer of zero bytes is refused cleanly") \
	X("buffer/huge-size", DEVICE, buffer_huge, \
	  "a buffer larger than any memory is refused cleanly") \
	X("buffer/alignment", DEVICE, buffer_alignment, \
	  "buffers are aligned to a cache line at least") \
	X("buffer/host-pointer", DEVICE, buffer_host_pointer, \
	  "pinned and shared memory have a host pointer, device memory has none") \
	X("transfer/fill", DEVICE, transfer_fill, \
	  "fill repeats the 32-bit pattern over its range and nowhere else") \
	X("transfer/upload-download", DEVICE, transfer_both, \
	  "upload and download move any bytes at any offset") \
	X("transfer/copy", DEVICE, transfer_copy, \
	  "copy moves any bytes between any offsets of two buffers") \
	X("transfer/large", DEVICE, transfer_large, \
	  "a transfer of many megabytes arrives whole") \
	X("transfer/fresh", DEVICE, transfer_fresh, \
	  "a download gives what the buffer holds now") \
	X("transfer/pinned", DEVICE, transfer_pinned, \
	  "commands work on pinned memory, and the host sees their effects after queue_wait") \
	X("transfer/shared", DEVICE, transfer_shared, \
	  "commands work on shared memory, and the host sees their effects after queue_wait") \
	X("program/macros", DEVICE, program_macros, \
	  "macros are defined before prelude and body, and programs do not mix them up") \
	X("program/build-error", DEVICE, program_error, \
	  "a text that does not compile gives EH_E_BUILD, a log, and no program") \
	X("program/log-bounds", DEVICE, program_log, \
	  "the log is terminated and never exceeds its size; NULL is allowed") \
	X("program/unknown-kernel", DEVICE, program_unknown, \
	  "an unknown kernel gives EH_E_INVALID_ARGUMENT") \
	X("program/info", DEVICE, program_info, \
	  "the description of a program is well-formed and within struct_size") \
	X("kernel/info", DEVICE, kernel_info, \
	  "the description of a kernel stays within struct_size") \
	X("kernel/values", DEVICE, kernel_values, \
	  "a kernel reads, computes in 32-bit integers and writes every element") \
	X("kernel/scalar-arguments", DEVICE, kernel_scalars, \
	  "scalars of 1, 2, 4 and 8 bytes arrive between buffers") \
	X("kernel/many-arguments", DEVICE, kernel_many, \
	  "twenty arguments arrive in order") \
	X("kernel/arguments-copied", DEVICE, kernel_copied, \
	  "arguments are read before launch returns") \
	X("kernel/grid-1d", DEVICE, kernel_grid_1d, \
	  "each group of a 1-D grid runs once and knows its place") \
	X("kernel/grid-2d", DEVICE, kernel_grid_2d, \
	  "each group of a 2-D grid runs once and knows its place") \
	X("kernel/grid-3d", DEVICE, kernel_grid_3d, \
	  "each group of a 3-D grid runs once and knows its place") \
	X("kernel/local-memory", DEVICE, kernel_local, \
	  "work-group memory is shared in a group, and barriers order it") \
	X("kernel/local-whole", DEVICE, kernel_local_whole, \
	  "a group has the local memory that the device reports, and a launch without local_bytes " \
	  "takes none") \
	X("kernel/private-values", DEVICE, kernel_private, \
	  "an item keeps its values across barriers") \
	X("kernel/stack", DEVICE, kernel_stack, \
	  "threads that run kernels as C functions have a stack of 1 MiB at least") \
	X("kernel/long-loop", DEVICE, kernel_loop, \
	  "a loop of 200000 rounds runs all of them") \
	X("kernel/atomics", DEVICE, kernel_atomics, \
	  "32-bit atomic adds of all groups add up") \
	X("kernel/atomics-64", DEVICE, kernel_atomics64, \
	  "64-bit atomic adds add up, where caps lists them") \
	X("kernel/fp32", DEVICE, kernel_fp32, \
	  "32-bit floating-point arithmetic rounds as IEEE 754 says") \
	X("kernel/fp64", DEVICE, kernel_fp64, \
	  "double arithmetic rounds as IEEE 754 says, where caps lists it") \
	X("kernel/f16-storage", DEVICE, kernel_f16, \
	  "half loads and stores round to nearest even, where caps lists them") \
	X("kernel/bf16-storage", DEVICE, kernel_bf16, \
	  "bfloat16 loads and stores round to nearest even, where caps lists them") \
	X("kernel/order-32", DEVICE, kernel_order32, \
	  "32-bit sums, products and divisions are computed as they are written; contraction is " \
	  "allowed, other value-changing optimisation is not") \
	X("kernel/order-64", DEVICE, kernel_order64, \
	  "double sums, products and divisions are computed as they are written, where caps lists " \
	  "them") \
	X("queue/in-order", DEVICE, queue_in_order, \
	  "commands take effect in program order") \
	X("queue/many-launches", DEVICE, queue_many, \
	  "every one of a thousand launches in a row takes effect") \
	X("queue/flags", DEVICE, queue_flags, \
	  "a time is told for two timed marks of a timed queue only, and unknown flags are refused") \
	X("queue/copies", DEVICE, queue_copies, \
	  "a queue of copies fills, uploads, copies and downloads") \
	X("queue/wait-mark", DEVICE, queue_wait_mark, \
	  "commands behind queue_wait_mark start when the other queue's mark has passed") \
	X("queue/two-queues", DEVICE, queue_two, \
	  "two queues of one device work side by side") \
	X("queue/destroy-waits", DEVICE, queue_destroy_waits, \
	  "destroying a queue waits for what was enqueued") \
	X("queue/wait-waits-kernel", DEVICE, queue_wait_kernel, \
	  "queue_wait returns when the kernels are done, not before") \
	X("queue/flush", DEVICE, queue_flush, \
	  "commands run without a further call: after queue_flush, or at once where it is " \
	  "not provided") \
	X("queue/async", DEVICE, queue_async, \
	  "enqueueing returns before the work is done, where caps says so") \
	X("launch/round-trip", DEVICE, launch_round_trip, \
	  "queue_wait also waits for launches of a millisecond, one after the other") \
	X("mark/wait-waits", DEVICE, mark_wait_waits, \
	  "mark_wait returns when the mark has passed, not before") \
	X("mark/passed", DEVICE, mark_passed, \
	  "mark_passed answers 1 when the mark has passed, not before, and does so without a wait") \
	X("mark/elapsed-adds-up", DEVICE, mark_adds_up, \
	  "times between marks of one queue add up") \
	X("mark/record-again", DEVICE, mark_again, \
	  "a mark that has passed can be recorded again") \
	X("mark/clock", DEVICE, mark_clock, \
	  "the time between marks agrees with the host's clock") \
	X("mark/steady", DEVICE, mark_steady, \
	  "the clock of the marks never steps back") \
	X("graph/records", DEVICE, graph_records, \
	  "commands between begin and end have no effect until the graph is launched") \
	X("graph/order", DEVICE, graph_order, \
	  "a graph's commands take effect in the order of their recording, at every launch") \
	X("graph/arguments", DEVICE, graph_arguments, \
	  "a graph keeps the arguments it was recorded with") \
	X("graph/many-nodes", DEVICE, graph_many, \
	  "graphs of a hundred kernels run in order with the launches between them") \
	X("graph/given-up", DEVICE, graph_given_up, \
	  "a recording of nothing, or one that is given up, leaves the queue as it was") \
	X("peer/copy", DEVICE, peer_copy, \
	  "a copy to another device and back arrives whole") \
	X("peer/wait-mark", DEVICE, peer_wait_mark, \
	  "a queue of one device waits for another's mark") \
	X("resource/buffers", DEVICE, resource_buffers, \
	  "freeing a buffer gives everything back") \
	X("resource/queues", DEVICE, resource_queues, \
	  "destroying a queue gives everything back") \
	X("resource/marks", DEVICE, resource_marks, \
	  "destroying a mark gives everything back") \
	X("resource/commands", DEVICE, resource_commands, \
	  "commands that are done leave nothing behind") \
	X("resource/waits", DEVICE, resource_waits, \
	  "queues that wait for each other leave nothing behind") \
	X("resource/kernels", DEVICE, resource_kernels, \
	  "destroying a program gives its kernels back") \
	X("resource/programs", DEVICE, resource_programs, \
	  "destroying a program gives everything back") \
	X("resource/devices", DEVICE, resource_devices, \
	  "closing a device gives everything back") \
	X("backend/stop", DEVICE, backend_stop, \
	  "everything can be closed, and the backend stopped")

#define KIT_PROTOTYPE(name, level, function, requirement) void conformance_##function(kit *k);
KIT_TESTS(KIT_PROTOTYPE)
#undef KIT_PROTOTYPE

#define KIT_SPIN_STEPS 256 /* of one round of cf_spin */
/* For tests of time and waiting: a cf_spin of `rounds` that take at least 40 ms from launch to
 * download. */
typedef struct kit_spin {
	eh_kernel *kernel;
	eh_buffer *state;
	uint32_t rounds;
	uint64_t ns;
} kit_spin;
/* x after `count` steps of cf_spin or cf_loop. */
uint32_t kit_steps(uint32_t x, uint64_t count);
bool kit_spin_make(kit *k, kit_spin *spin);
bool kit_spin_launch(kit *k, const kit_spin *spin, eh_queue *queue);

extern const eh_suite conformance_probe_suite;

#endif
