/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN as it is built for Level Zero. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "levelzero/onednn_ze_abi.h"
#include "tdn_state.h"

const unsigned tdn_runtime = DNNL_RUNTIME_ZE;
const bool tdn_has_cpu = false;

#define X(field, names, arguments) typedef dnnl_status_t tdn_ze_##field arguments;
ONEDNN_ZE_FUNCTIONS(X)
#undef X
TDN_VISIBLE tdn_ze_engine_create dnnl_ze_interop_engine_create;
TDN_VISIBLE tdn_ze_stream_create dnnl_ze_interop_stream_create;

/* The loader's functions. */
static struct {
#define X(field, names, arguments) ze_result_t(ZE_APICALL *field) arguments;
	LZ_REQUIRED(X)
#undef X
} api;

static void find_functions(void)
{
	static const struct {
		const char *names;
		size_t offset;
	} all[] = {
#define X(field, names, arguments) { names, offsetof(__typeof__(api), field) },
		LZ_REQUIRED(X)
#undef X
	};
	void *loader = dlopen("libze_loader.so.1", RTLD_NOW);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		void *found = loader != NULL ? dlsym(loader, all[i].names) : NULL;

		memcpy((char *)&api + all[i].offset, &found, sizeof(found));
	}
}

/* Of a stream: an event for the end of a copy. */
typedef struct own {
	ze_event_pool_handle_t pool;
	ze_event_handle_t done;
} own;

TDN_API dnnl_ze_interop_engine_create(dnnl_engine_t *out, ze_driver_handle_t driver, ze_device_handle_t device,
                                      ze_context_handle_t context)
{
	struct dnnl_engine *engine;
	TDN_ENTER("dnnl_ze_interop_engine_create");

	if (driver == NULL || device == NULL || context == NULL)
		return dnnl_invalid_arguments;
	engine = tdn_new(TDN_ENGINE, sizeof(*engine));
	engine->device = device;
	engine->context = context;
	*out = engine;
	return dnnl_success;
}

TDN_API dnnl_ze_interop_stream_create(dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list,
                                      int profiling)
{
	const ze_event_pool_desc_t of_pool = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
		                               .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
		                               .count = 1 };
	const ze_event_desc_t of_event = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC };
	struct dnnl_stream *stream;
	own *mine;
	TDN_ENTER("dnnl_ze_interop_stream_create");

	if (!tdn_is(engine, TDN_ENGINE) || list == NULL || profiling != 0)
		return dnnl_invalid_arguments;
	if (api.pool_create == NULL)
		find_functions();
	mine = calloc(1, sizeof(*mine));
	if (mine == NULL || api.pool_create(engine->context, &of_pool, 0, NULL, &mine->pool) != ZE_RESULT_SUCCESS ||
	    api.event_create(mine->pool, &of_event, &mine->done) != ZE_RESULT_SUCCESS)
		abort();
	stream = tdn_new(TDN_STREAM, sizeof(*stream));
	stream->engine = engine;
	stream->queue = list;
	stream->own = mine;
	*out = stream;
	return dnnl_success;
}

static bool copy(const struct dnnl_stream *stream, void *to, const void *from, size_t bytes)
{
	const own *mine = stream->own;

	return api.append_copy(stream->queue, to, from, bytes, mine->done, 0, NULL) == ZE_RESULT_SUCCESS &&
	       api.event_wait(mine->done, UINT64_MAX) == ZE_RESULT_SUCCESS &&
	       api.event_reset(mine->done) == ZE_RESULT_SUCCESS;
}

bool tdn_fetch(const struct dnnl_stream *stream, void *place, void *to, size_t bytes)
{
	return copy(stream, to, place, bytes);
}

bool tdn_store(const struct dnnl_stream *stream, void *place, const void *from, size_t bytes)
{
	return copy(stream, place, from, bytes);
}

void tdn_forget(struct dnnl_stream *stream)
{
	own *mine = stream->own;

	(void)api.event_destroy(mine->done);
	(void)api.pool_destroy(mine->pool);
	free(mine);
}
