/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's objects, and the slots of eh_backend_ops that each file fills. */
#ifndef HIP_STATE_H
#define HIP_STATE_H

#include "hip_api.h"
#include "hip_gemm.h"

/* The words of shared/streamapi.h. */
typedef hip_api stream_api;
typedef hipError_t stream_rc;
typedef hipStream_t stream_handle;
typedef hipEvent_t stream_event;
typedef hipModule_t stream_module;
typedef hipFunction_t stream_function;
typedef hipFunction_attribute stream_attribute;
typedef hipGraph_t stream_graph;
typedef hipGraphExec_t stream_graph_exec;
typedef hipDeviceptr_t stream_address;
typedef int stream_place;
typedef int stream_pattern;
typedef hipDeviceP2PAttr stream_peer_attribute;
#define STREAM_VENDOR "HIP"
#define STREAM_CALLS hip_calls
#define STREAM_OK hipSuccess
#define STREAM_NOT_READY hipErrorNotReady
#define STREAM_NOT_FOUND hipErrorNotFound
#define STREAM_ALREADY_PEERS hipErrorPeerAccessAlreadyEnabled
#define STREAM_NOT_CAPTURED hipErrorStreamCaptureInvalidated
#define STREAM_HANDLE_FLAGS hipStreamNonBlocking
#define STREAM_EVENT_TIMED(d) ((d)->timed_event)
#define STREAM_EVENT_UNTIMED hipEventDisableTiming
#define STREAM_EVENT_BLOCKS hipEventBlockingSync
#define STREAM_SCHEDULE_BLOCKS hipDeviceScheduleBlockingSync
#define STREAM_CAPTURE_MODE hipStreamCaptureModeRelaxed
#define STREAM_HOST_FLAGS (hipHostMallocPortable | hipHostMallocMapped)
#define STREAM_MANAGED_FLAGS hipMemAttachGlobal
#define STREAM_MOST_ITEMS UINT32_MAX
#define STREAM_ATTRIBUTE(name) HIP_FUNC_ATTRIBUTE_##name
#define STREAM_PEER_RANK hipDevP2PAttrPerformanceRank
#define STREAM_PEER_ATOMICS hipDevP2PAttrNativeAtomicSupported
#define STREAM_AT(address, offset) ((hipDeviceptr_t)((char *)(address) + (offset)))
#include "shared/streamapi.h"

typedef struct hip_self {
	const eh_host *host;
	hip_api api;
	hiprtc_api hiprtc;         /* library.handle NULL = not there                       */
	eh_error hiprtc_error;     /* the reason, when it is not there                      */
	bool compile_apart;        /* in a child process                                    */
	hip_libraries libraries;   /* of products                                           */
	uint32_t device_count;
	unsigned schedule;         /* flag of devices: how a wait waits                     */
	const char *schedule_word;
	const char *root;          /* of sys, "" = this machine's                           */
	const char *compiler_cache; /* owner of the cache of AMD's compiler                  */
	char notes[2048];          /* lines, each with its newline                          */
} hip_self;

struct eh_device {
	hip_self *self;
	const hip_api *api;
	int device;
	stream_place place;        /* the same number                                       */
	uint64_t opening;          /* number of this opening in the process                 */
	hipError_t lost;           /* the error after which nothing works, or hipSuccess    */
	char architecture[96];     /* "gfx90a:sramecc+:xnack-"                              */
	hipError_t schedule_rc;    /* result of setting how waits wait                      */
	unsigned timed_event;      /* flags of events with times                            */
	const char *cache_source;  /* of the size of the last-level cache                   */
	wording_gaps gaps;         /* hardware facts that the runtime did not report        */
	hip_gemm_state gemm;
	checks_limits limits;
	eh_device_info info;
};

/* A device and its gaps, while its facts are read. */
typedef struct hip_query {
	const hip_api *api;
	int device;
	wording_gaps *gaps;
} hip_query;

struct eh_program {
	eh_device *device;
	hipModule_t module;
	eh_kernel *kernels;        /* a list, one per name                                  */
	bool from_cache;
	char flags[512];
	void *code;                /* the code object, an ELF file or a bundle with one     */
	size_t code_size;
};

/* hip_start.c */
eh_status hip_start(const eh_host *host, void **self, eh_error *error);
void hip_start_stop(void *self);
void hip_start_notes(void *self, char *text, size_t size);
const void *hip_start_extension(void *self, const char *name);

/* hip_devices.c */
eh_status hip_devices_count(void *self, uint32_t *count, eh_error *error);
eh_status hip_devices_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status hip_devices_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void hip_devices_close(eh_device *device);
/* False for a fact that the runtime does not report: it is then among the gaps, and *value is 0. */
bool hip_devices_attribute(const hip_query *query, hipDeviceAttribute_t attribute,
                           const char *fact, int *value);
/* "6.2.41133", "" = unknown. */
void hip_devices_version(int version, char *text, size_t size);

/* hip_streams.c */
void hip_streams_destroy(eh_queue *queue);

/* hip_layers.c */
eh_status hip_layers_get(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

/* hip_compile.c */
/* Compiles source for the device and fills code and flags of *program. */
eh_status hip_compile(const eh_device *device, const eh_source *source, eh_program *program,
                      char *log, size_t log_size, eh_error *error);
/* "9.0 of HIP 5.2.21153", or "" without hiprtc. */
void hip_compile_version(const hip_self *self, char *text, size_t size);
#define HIP_COMPILE_FLAGS "-O3"

/* hip_metadata.c */
/* The kernel's number of arguments from the code object's metadata; CHECKS_ANY_COUNT when they
 * cannot be read. */
int64_t hip_metadata_arguments(const void *code, size_t size, const char *kernel);

/* hip_programs.c */
eh_status hip_programs_build(eh_device *device, const eh_source *source, eh_program **program,
                             char *log, size_t log_size, eh_error *error);
void hip_programs_destroy(eh_program *program);
eh_status hip_programs_info(eh_program *program, eh_program_info *info, eh_error *error);

#endif
