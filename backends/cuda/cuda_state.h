/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's objects, and the slots of eh_backend_ops that each file fills. */
#ifndef CUDA_STATE_H
#define CUDA_STATE_H

#include "cublaslt_abi.h"
#include "cuda_api.h"
#include "cuda_nvrtc.h"

/* The words of shared/streamapi.h. */
typedef cuda_api stream_api;
typedef CUresult stream_rc;
typedef CUstream stream_handle;
typedef CUevent stream_event;
typedef CUmodule stream_module;
typedef CUfunction stream_function;
typedef CUfunction_attribute stream_attribute;
typedef CUgraph stream_graph;
typedef CUgraphExec stream_graph_exec;
typedef CUdeviceptr stream_address;
typedef CUcontext stream_place;
typedef unsigned stream_pattern;
typedef CUdevice_P2PAttribute stream_peer_attribute;
#define STREAM_VENDOR "CUDA"
#define STREAM_CALLS cuda_calls
#define STREAM_OK CUDA_SUCCESS
#define STREAM_NOT_READY CUDA_ERROR_NOT_READY
#define STREAM_NOT_FOUND CUDA_ERROR_NOT_FOUND
#define STREAM_ALREADY_PEERS CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
#define STREAM_NOT_CAPTURED CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
#define STREAM_HANDLE_FLAGS CU_STREAM_NON_BLOCKING
#define STREAM_EVENT_TIMED(d) ((void)(d), (unsigned)CU_EVENT_DEFAULT)
#define STREAM_EVENT_UNTIMED CU_EVENT_DISABLE_TIMING
#define STREAM_EVENT_BLOCKS CU_EVENT_BLOCKING_SYNC
#define STREAM_SCHEDULE_BLOCKS CU_CTX_SCHED_BLOCKING_SYNC
#define STREAM_CAPTURE_MODE CU_STREAM_CAPTURE_MODE_RELAXED
#define STREAM_HOST_FLAGS (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)
#define STREAM_MANAGED_FLAGS CU_MEM_ATTACH_GLOBAL
#define STREAM_MOST_ITEMS 0
#define STREAM_ATTRIBUTE(name) CU_FUNC_ATTRIBUTE_##name
#define STREAM_PEER_RANK CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK
#define STREAM_PEER_ATOMICS CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
#define STREAM_AT(address, offset) ((address) + (offset))
#include "shared/streamapi.h"

typedef struct cuda_cublaslt cuda_cublaslt;

typedef struct cuda_self {
	const eh_host *host;
	cuda_api api;
	nvrtc_set nvrtcs;
	cuda_cublaslt *cublaslt;   /* NULL = no product was asked for yet                   */
	pthread_mutex_t cublaslt_lock; /* while it is opened: devices have threads of their own */
	uint32_t device_count;
	int *computes;             /* capability of each device, 0 = it was not described yet */
	unsigned schedule;         /* flag of contexts: how a wait waits                    */
	const char *schedule_word;
	const char *jit_cache;     /* owner of the cache of the driver's compiler           */
	const char *root;          /* of sys, "" = this machine's                           */
	char notes[2048];          /* lines, each with its newline                          */
} cuda_self;

/* What cuBLASLt has of a device. */
typedef struct cuda_gemm_state {
	cublasLtHandle_t handle;   /* NULL = none yet                                       */
	bool used;                 /* a product was prepared                                */
	products_kernels kernels;  /* of all products                                       */
} cuda_gemm_state;

struct eh_device {
	cuda_self *self;
	const cuda_api *api;
	CUdevice device;
	stream_place place;        /* the primary context                                   */
	uint64_t opening;          /* number of this opening in the process                 */
	CUresult lost;             /* the error after which nothing works, or CUDA_SUCCESS  */
	int compute;               /* compute capability, 90 = 9.0                          */
	const nvrtc_api *nvrtc;    /* that compiles for it; NULL = there is none            */
	eh_error nvrtc_error;      /* then why                                              */
	int mode;                  /* of computing, CU_COMPUTEMODE_*                        */
	const char *cache_source;  /* of the size of the last-level cache                   */
	CUresult schedule_rc;      /* result of setting how waits wait                      */
	wording_gaps gaps;         /* hardware facts that the driver did not report         */
	cuda_gemm_state gemm;
	checks_limits limits;
	eh_device_info info;
};

/* A device and its gaps, while its facts are read. */
typedef struct cuda_query {
	const cuda_api *api;
	CUdevice device;
	wording_gaps *gaps;
} cuda_query;

struct eh_program {
	eh_device *device;
	CUmodule module;
	eh_kernel *kernels;        /* a list, one per name                                  */
	bool from_cache;
	bool loaded_ptx;           /* the driver compiled the PTX, not NVRTC                 */
	char target[64];
	char flags[512];
	char *ptx;                 /* terminated                                            */
	size_t ptx_size;           /* without the terminator                                */
	void *cubin;               /* NULL = none                                           */
	size_t cubin_size;
};

/* cuda_start.c */
eh_status cuda_start(const eh_host *host, void **self, eh_error *error);
void cuda_start_stop(void *self);
void cuda_start_notes(void *self, char *text, size_t size);
const void *cuda_start_extension(void *self, const char *name);

/* cuda_devices.c */
eh_status cuda_devices_count(void *self, uint32_t *count, eh_error *error);
eh_status cuda_devices_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status cuda_devices_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void cuda_devices_close(eh_device *device);
/* False for a fact that the driver does not report: it is then among the gaps, and *value is 0. */
bool cuda_devices_attribute(const cuda_query *query, int attribute, const char *fact, int *value);


/* cuda_layers.c */
eh_status cuda_layers_get(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

/* cuda_gemm.c */
extern const eh_gemm_ops cuda_gemm_table;
/* The layer of the library of products; false when none was prepared. */
bool cuda_gemm_layer(const eh_device *device, eh_layer *layer);

/* cuda_compile.c */
/* Compiles source for the device and fills ptx, cubin, target and flags of *program. */
eh_status cuda_compile(eh_device *device, const eh_source *source, eh_program *program, char *log,
                       size_t log_size, eh_error *error);
/* True, and EH_E_UNSUPPORTED in *error, when a compiler's log says that static local memory ends
 * before a kernel of `name` does.  NVRTC and the driver use the same words. */
bool cuda_compile_static(const char *said, const char *name, eh_error *error);
#define CUDA_COMPILE_FLAGS "--fmad=true"

/* cuda_programs.c */
eh_status cuda_programs_build(eh_device *device, const eh_source *source, eh_program **program,
                              char *log, size_t log_size, eh_error *error);
void cuda_programs_destroy(eh_program *program);
eh_status cuda_programs_info(eh_program *program, eh_program_info *info, eh_error *error);

#endif
