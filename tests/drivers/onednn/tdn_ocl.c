/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN as it is built for OpenCL. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/onednn_ocl_abi.h"
#include "tdn_state.h"

const unsigned tdn_runtime = DNNL_RUNTIME_OCL;
const bool tdn_has_cpu = false;

#define X(field, names, arguments) typedef dnnl_status_t tdn_ocl_##field arguments;
ONEDNN_OCL_FUNCTIONS(X)
#undef X
TDN_VISIBLE tdn_ocl_engine_create dnnl_ocl_interop_engine_create;
TDN_VISIBLE tdn_ocl_stream_create dnnl_ocl_interop_stream_create;
TDN_VISIBLE tdn_ocl_memory_set_object dnnl_ocl_interop_memory_set_mem_object;

/* The loader's, which the backend has opened. */
static void *function(const char *name)
{
	void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
	void *found = loader != NULL ? dlsym(loader, name) : NULL;

	if (found == NULL)
		abort();
	return found;
}

TDN_API dnnl_ocl_interop_engine_create(dnnl_engine_t *out, cl_device_id device, cl_context context)
{
	struct dnnl_engine *engine;
	TDN_ENTER("dnnl_ocl_interop_engine_create");

	if (device == NULL || context == NULL)
		return dnnl_invalid_arguments;
	engine = tdn_new(TDN_ENGINE, sizeof(*engine));
	engine->device = device;
	engine->context = context;
	*out = engine;
	return dnnl_success;
}

TDN_API dnnl_ocl_interop_stream_create(dnnl_stream_t *out, dnnl_engine_t engine, cl_command_queue queue)
{
	struct dnnl_stream *stream;
	TDN_ENTER("dnnl_ocl_interop_stream_create");

	if (!tdn_is(engine, TDN_ENGINE) || queue == NULL)
		return dnnl_invalid_arguments;
	stream = tdn_new(TDN_STREAM, sizeof(*stream));
	stream->engine = engine;
	stream->queue = queue;
	*out = stream;
	return dnnl_success;
}

TDN_API dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem object)
{
	TDN_ENTER("dnnl_ocl_interop_memory_set_mem_object");

	if (!tdn_is(memory, TDN_MEMORY))
		return dnnl_invalid_arguments;
	memory->place = object;
	return dnnl_success;
}

bool tdn_fetch(const struct dnnl_stream *stream, void *place, void *to, size_t bytes)
{
	cl_int (*read)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
	               cl_event *);
	void *found = function("clEnqueueReadBuffer");

	memcpy(&read, &found, sizeof(found));
	return read(stream->queue, place, 1, 0, bytes, to, 0, NULL, NULL) == CL_SUCCESS;
}

bool tdn_store(const struct dnnl_stream *stream, void *place, const void *from, size_t bytes)
{
	cl_int (*write)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *,
	                cl_event *);
	void *found = function("clEnqueueWriteBuffer");

	memcpy(&write, &found, sizeof(found));
	return write(stream->queue, place, 1, 0, bytes, from, 0, NULL, NULL) == CL_SUCCESS;
}

void tdn_forget(struct dnnl_stream *stream)
{
	(void)stream;
}
