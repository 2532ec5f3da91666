/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slowed - the host backend, and the same with work added: devices plus-0, plus-3, plus-5 and plus-10
 * keep the processor busy for 0, 3, 5 and 10 % of the time of each launch after it; same is plus-0
 * once more.
 * What is planted this way is a slowdown of known size, not an edited number.
 * EVENHAND_SLOWED_HOST is the path of host.so.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evenhand/backend.h"

static const struct { const char *id; unsigned percent; } devices[] = {
	{ "plus-0", 0 }, { "same", 0 }, { "plus-3", 3 }, { "plus-5", 5 }, { "plus-10", 10 },
};
#define DEVICE_COUNT ((uint32_t)(sizeof(devices) / sizeof(devices[0])))

static struct {
	const eh_backend_ops *honest;
	const eh_host *host;
	unsigned percent;
	eh_backend_ops ops;
	eh_backend backend;
} slowed;

static eh_status fail(eh_error *error, eh_status code, const char *message)
{
	if (error != NULL) {
		error->code = code;
		snprintf(error->message, sizeof(error->message), "%s", message);
	}
	return code;
}

static eh_status slowed_start(const eh_host *host, void **self, eh_error *error)
{
	slowed.host = host;
	return slowed.honest->start(host, self, error);
}

static eh_status slowed_count(void *self, uint32_t *count, eh_error *error)
{
	eh_status status = slowed.honest->device_count(self, count, error);

	if (status == EH_OK && *count == 0)
		return fail(error, EH_E_UNAVAILABLE, "the host backend found no compiler");
	*count = DEVICE_COUNT;
	return status;
}

static eh_status slowed_info(void *self, uint32_t index, eh_device_info *info, eh_error *error)
{
	eh_status status;

	if (index >= DEVICE_COUNT)
		return fail(error, EH_E_INVALID_ARGUMENT, "there is no such device");
	status = slowed.honest->device_info(self, 0, info, error);
	snprintf(info->id, sizeof(info->id), "%s", devices[index].id);
	return status;
}

static eh_status slowed_open(void *self, uint32_t index, eh_device **device, eh_error *error)
{
	if (index >= DEVICE_COUNT)
		return fail(error, EH_E_INVALID_ARGUMENT, "there is no such device");
	slowed.percent = devices[index].percent;
	return slowed.honest->device_open(self, 0, device, error);
}

static eh_status slowed_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                               eh_error *error)
{
	uint64_t from = slowed.host->now_ns(slowed.host->ctx);
	eh_status status = slowed.honest->launch(queue, kernel, launch, error);
	uint64_t to = slowed.host->now_ns(slowed.host->ctx);
	uint64_t until = to + (to - from) * slowed.percent / 100;

	while (slowed.percent > 0 && slowed.host->now_ns(slowed.host->ctx) < until)
		;
	return status;
}

static const void *slowed_extension(void *self, const char *name)
{
	(void)self;
	(void)name;
	return NULL;
}

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	const char *path = getenv("EVENHAND_SLOWED_HOST");
	void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	eh_backend_entry entry = NULL;

	if (slowed.honest != NULL)
		return &slowed.backend;
	if (library != NULL)
		*(void **)&entry = dlsym(library, EH_BACKEND_ENTRY_NAME);
	if (entry == NULL)
		return NULL;
	slowed.honest = entry()->ops;
	memcpy(&slowed.ops, slowed.honest, sizeof(slowed.ops));
	slowed.ops.start = slowed_start;
	slowed.ops.device_count = slowed_count;
	slowed.ops.device_info = slowed_info;
	slowed.ops.device_open = slowed_open;
	slowed.ops.launch = slowed_launch;
	slowed.ops.extension = slowed_extension;
	slowed.backend = *entry();
	slowed.backend.name = "slowed";
	slowed.backend.title = "TEST: the host with work added";
	slowed.backend.ops = &slowed.ops;
	return &slowed.backend;
}
