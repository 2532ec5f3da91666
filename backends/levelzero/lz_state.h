/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's objects, and the slots of eh_backend_ops that each file fills. */
#ifndef LZ_STATE_H
#define LZ_STATE_H

#include "lz_clock.h"
#include "lz_compilers.h"
#include "lz_error.h"
#include "evenhand/extensions.h"
#include "shared/checks.h"
#include "shared/products.h"
#include "shared/wording.h"

/* From this version on drivers can make lists that keep order themselves. */
enum { LZ_API_IN_ORDER = ZE_API_VERSION_1_7 };

enum { LZ_MOST_DRIVERS = 8 };

/* A driver behind the loader, and the context that all its open devices share. */
typedef struct lz_driver {
	ze_driver_handle_t handle;
	uint32_t api;              /* major << 16 | minor, as ZE_API_VERSION_1_0            */
	uint32_t version;          /* the driver's own number                               */
	ze_context_handle_t context;
	unsigned openings;         /* devices that are open in it                           */
} lz_driver;

/* The place of one device among drivers and root devices. */
typedef struct lz_place {
	lz_driver *driver;
	ze_device_handle_t device;
	ze_device_handle_t root;   /* its root device, itself for a root                    */
	uint32_t root_index;       /* counted over all drivers                              */
	int sub;                   /* -1 = a root device                                    */
} lz_place;

typedef struct lz_self {
	const eh_host *host;
	lz_api api;
	lz_driver drivers[LZ_MOST_DRIVERS];
	uint32_t driver_count;
	lz_place *places;
	uint32_t place_count;
	bool regular;              /* levelzero.lists=regular                               */
	bool in_order;             /* levelzero.order allows lists that keep order themselves */
	lz_compilers compilers;
	struct lz_onednn *onednn;  /* NULL until a product is asked for                     */
	const char *root;          /* of sys, "" = this machine's                           */
	const char *native_cache;  /* owner of the driver's cache of native code            */
	char notes[2048];          /* lines, each with its newline                          */
} lz_self;

/* Events of one pool: the host sees them, and every device of the driver. */
typedef struct lz_pool {
	struct lz_pool *next;
	ze_event_pool_handle_t handle;
	uint64_t used;             /* bit i: event i is taken                               */
} lz_pool;

typedef struct lz_event {
	ze_event_handle_t handle;  /* NULL = none                                           */
	lz_pool *pool;
	uint32_t index;
} lz_event;

struct eh_device {
	lz_self *self;
	const lz_api *api;
	lz_place place;
	ze_context_handle_t context;
	lz_pool *pools;
	struct lz_parked *parked;  /* events that other queues may still wait for           */
	uint64_t waits;            /* commands that wait for marks, of all queues           */
	uint32_t engine;           /* ordinal of the first group of queues that computes    */
	uint32_t engine_queues;
	uint32_t engine_next[2];   /* of timed queues and of others                         */
	uint32_t copy_engines;     /* queues of the groups that only copy                   */
	size_t fill_pattern;       /* largest                                               */
	ze_result_t lost;          /* the error after which nothing works, or success       */
	lz_clock clock;
	const char *cache_source;  /* of the size of the last-level cache                   */
	ze_device_properties_t properties;
	ze_device_memory_properties_t memory; /* of its first memory, zero = unknown        */
	wording_gaps gaps;         /* hardware facts that the driver did not report         */
	checks_limits limits;
	eh_device_info info;
	struct dnnl_engine *dnnl;  /* oneDNN's, NULL until it makes a product               */
	products_kernels products; /* of oneDNN                                             */
};

struct eh_buffer {
	eh_device *device;
	char *address;             /* as the device sees it                                 */
	uint64_t bytes;
	uint32_t kind;
};

/* A regular list: open to be appended to, or executing. */
typedef struct lz_list {
	struct lz_list *next;
	ze_command_list_handle_t handle;
} lz_list;

struct eh_queue {
	eh_device *device;
	ze_command_list_handle_t immediate; /* NULL = regular lists                         */
	ze_command_queue_handle_t queue;    /* executes regular lists and graphs; may be NULL */
	uint32_t index;                     /* of the engine                                */
	lz_list *open, *submitted, *idle;   /* regular lists                                */
	bool timed;
	bool in_order;                      /* the list keeps order itself                  */
	bool behind;                        /* a command was appended since the last barrier */
	struct eh_graph *recording;         /* NULL = nothing records                       */
	ze_command_list_handle_t record;    /* its list                                     */
	bool recorded;                      /* something, since recording began             */
	lz_event waiter;                    /* signalled when a wait is over                */
	const eh_queue *follows;            /* whose commands are done when a wait is over; may be
	                                     * destroyed; NULL = none                       */
	uint64_t follows_wait;              /* its last such command that waits             */
	struct dnnl_stream *dnnl;           /* oneDNN's, NULL until it makes a product      */
};

struct eh_mark {
	eh_device *device;
	lz_event event;
	eh_queue *queue;           /* where it was recorded last, NULL = nowhere            */
	bool timed;
	uint64_t *ticks;           /* in host memory that the device writes, NULL = no times */
	bool passed;               /* seen by the host                                      */
	bool awaited;              /* another queue waits for it                            */
	const eh_queue *waiter;    /* which; may be destroyed; NULL = not one of this device */
	uint64_t wait;             /* the number of its last command that waits for this    */
	uint64_t waits;            /* all of the queue's before this have lower ones        */
	uint64_t recorded_ns;      /* the host's clock                                      */
	uint64_t passed_ns;
};

struct eh_program {
	eh_device *device;
	ze_module_handle_t module;
	eh_kernel *kernels;        /* a list, one per name                                  */
	lz_spirv spirv;
	uint8_t *native;           /* the driver's native code, NULL = not available        */
	size_t native_size;
};

struct eh_kernel {
	eh_program *program;
	eh_kernel *next;
	ze_kernel_handle_t handle;
	ze_kernel_properties_t properties;
	char *name;
	checks_limits limits;
	uint32_t group_size[3];    /* as set last                                           */
};

/* lz_start.c */
eh_status lz_start(const eh_host *host, void **self, eh_error *error);
void lz_start_stop(void *self);
void lz_start_notes(void *self, char *text, size_t size);
const void *lz_start_extension(void *self, const char *name);

/* lz_places.c */
/* Fills drivers and places; a driver that does not answer becomes a note. */
eh_status lz_places_list(lz_self *self, eh_error *error);

/* lz_devices.c */
eh_status lz_devices_count(void *self, uint32_t *count, eh_error *error);
eh_status lz_devices_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status lz_devices_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void lz_devices_close(eh_device *device);
/* Refuses a device that was lost. */
eh_status lz_devices_enter(const eh_device *device, const char *slot, eh_error *error);
/* lz_error_call for a call on the device: remembers a loss. */
__attribute__((format(printf, 5, 6)))
eh_status lz_devices_failed(eh_device *device, eh_error *error, ze_result_t rc, const char *where,
                            const char *format, ...);

/* lz_describe.c */
/* Asks the driver about the device at d->place: fills clock, properties, memory, limits and info,
 * and the gaps with facts that are not reported.  All of *d but the place is zero before. */
eh_status lz_describe(const lz_self *self, eh_device *d, eh_error *error);
/* "1.3.27191", decoded as Intel's driver numbers itself. */
void lz_describe_version(uint32_t version, char *text, size_t size);

/* lz_layers.c */
eh_status lz_layers_get(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

/* lz_memory.c */
eh_status lz_memory_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                          eh_error *error);
void lz_memory_free(eh_buffer *buffer);
void *lz_memory_host_pointer(eh_buffer *buffer);

/* lz_copies.c */
eh_status lz_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                         uint32_t pattern, eh_error *error);
eh_status lz_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                         uint64_t from_offset, uint64_t bytes, eh_error *error);
eh_status lz_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                           uint64_t bytes, eh_error *error);
eh_status lz_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                             uint64_t bytes, eh_error *error);

/* lz_events.c */
/* An event that is not signalled. */
eh_status lz_events_take(eh_device *device, lz_event *event, eh_error *error);
/* For an event that nothing waits for any more. */
void lz_events_return(eh_device *device, lz_event *event);
/* For an event that other queues may still wait for: it is kept until the waiter is settled, without
 * one until the device closes. */
void lz_events_park(eh_device *device, lz_event *event, const eh_queue *waiter, uint64_t wait);
/* The queue has done its commands that wait, up to that number. */
void lz_events_settle(eh_device *device, const eh_queue *waiter, uint64_t wait);
void lz_events_free(eh_device *device);
/* Blocks until it is signalled. */
eh_status lz_events_wait(eh_device *device, const lz_event *event, eh_error *error);
eh_status lz_events_reset(eh_device *device, const lz_event *event, eh_error *error);

/* lz_queue.c */
eh_status lz_queue_create(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error);
void lz_queue_destroy(eh_queue *queue);
eh_status lz_queue_flush(eh_queue *queue, eh_error *error);
eh_status lz_queue_wait(eh_queue *queue, eh_error *error);
eh_status lz_queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error);
/* The list to append the next command to, behind everything before it. */
eh_status lz_queue_list(eh_queue *queue, ze_command_list_handle_t *list, eh_error *error);
/* Call it after a command was appended to the list. */
void lz_queue_appended(eh_queue *queue);
/* The command queue that executes regular lists. */
eh_status lz_queue_executor(eh_queue *queue, eh_error *error);
/* A new regular list. */
eh_status lz_queue_new_list(eh_queue *queue, ze_command_list_handle_t *list, eh_error *error);

/* lz_marks.c */
eh_status lz_marks_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error);
void lz_marks_destroy(eh_mark *mark);
eh_status lz_marks_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status lz_marks_wait(eh_mark *mark, eh_error *error);
eh_status lz_marks_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status lz_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

/* lz_programs.c */
eh_status lz_programs_build(eh_device *device, const eh_source *source, eh_program **program,
                            char *log, size_t log_size, eh_error *error);
void lz_programs_destroy(eh_program *program);
eh_status lz_programs_info(eh_program *program, eh_program_info *info, eh_error *error);

/* lz_kernels.c */
eh_status lz_kernels_get(eh_program *program, const char *name, eh_kernel **kernel,
                         eh_error *error);
void lz_kernels_free(eh_kernel *kernel);
eh_status lz_kernels_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error);
eh_status lz_kernels_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                            eh_error *error);

/* lz_gemm.c */
extern const eh_gemm_ops lz_gemm_table;
/* The layer of oneDNN once it has made a product, else false. */
bool lz_gemm_layer(const eh_device *device, eh_layer *layer);
/* Before the queue goes, and before the device does. */
void lz_gemm_forget(eh_queue *queue);
void lz_gemm_close(eh_device *device);

/* lz_graphs.c, lz_peers.c: the tables of the extensions. */
void lz_graphs_give_up(eh_queue *queue);
const void *lz_graphs_table(void);
const void *lz_peers_table(void);

#endif
