/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwell - a probe with one sensor of the host that counts its readings, and one fault, named by
 * EVENHAND_TEST_UNWELL:
 *   none         none
 *   hang-read    the N-th read never returns
 *   stall-read   the N-th read returns after 3 s
 *   lost-read    the N-th read says that the device is lost, the next one is well
 *   crash-read   the N-th read ends in SIGSEGV, by itself and not by raise()
 *   abort-read   the N-th read calls abort()
 *   hang-start   start never returns
 *   crash-start  start ends in SIGSEGV
 * N is EVENHAND_TEST_UNWELL_N (3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evenhand/probe.h"

static struct {
	const eh_host *host;
	const char *fault;
	unsigned long reads, at;
	int *volatile nowhere;
} unwell;

static int has(const char *fault)
{
	return strcmp(unwell.fault, fault) == 0;
}

/* The sanitizers would end the process in a way of their own. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void crash(void)
{
	*unwell.nowhere = 1;
}

static void hang(void)
{
	for (;;)
		pause();
}

static eh_status unwell_start(const eh_host *host, void **self, eh_error *error)
{
	const char *fault = getenv("EVENHAND_TEST_UNWELL"), *n = getenv("EVENHAND_TEST_UNWELL_N");

	(void)error;
	unwell.host = host;
	unwell.fault = fault != NULL ? fault : "none";
	unwell.at = n != NULL ? strtoul(n, NULL, 10) : 3;
	if (has("hang-start"))
		hang();
	if (has("crash-start"))
		crash();
	*self = &unwell;
	return EH_OK;
}

static void unwell_stop(void *self)
{
	(void)self;
}

static eh_status unwell_place_count(void *self, uint32_t *count, eh_error *error)
{
	(void)self;
	(void)error;
	*count = 1;
	return EH_OK;
}

static eh_status unwell_place_info(void *self, uint32_t place, eh_place_info *info, eh_error *error)
{
	(void)self;
	(void)place;
	(void)error;
	info->kind = EH_PLACE_HOST;
	info->channel_count = 1;
	snprintf(info->id, sizeof(info->id), "host");
	snprintf(info->name, sizeof(info->name), "TEST host");
	return EH_OK;
}

static eh_status unwell_channel_info(void *self, uint32_t place, uint32_t channel,
                                     eh_channel_info *info, eh_error *error)
{
	(void)self;
	(void)place;
	(void)channel;
	(void)error;
	info->kind = EH_CHANNEL_OTHER;
	info->part = EH_PART_ALL;
	info->form = EH_FORM_INSTANT;
	snprintf(info->name, sizeof(info->name), "readings");
	return EH_OK;
}

static eh_status unwell_read(void *self, uint32_t place, eh_reading *readings, uint32_t count,
                             eh_error *error)
{
	(void)self;
	(void)place;
	(void)error;
	if (count == 0 || readings[0].skip)
		return EH_OK;
	if (++unwell.reads == unwell.at) {
		if (has("hang-read"))
			hang();
		if (has("stall-read"))
			sleep(3);
		if (has("lost-read")) {
			readings[0].status = EH_E_DEVICE_LOST;
			return EH_OK;
		}
		if (has("crash-read"))
			crash();
		if (has("abort-read"))
			abort();
	}
	readings[0].time_ns = unwell.host->now_ns(unwell.host->ctx);
	readings[0].value = (double)unwell.reads;
	readings[0].status = EH_OK;
	return EH_OK;
}

EH_EXPORT const eh_probe *eh_probe_entry_v1(void)
{
	static const eh_probe_ops ops = {
		.struct_size = sizeof(eh_probe_ops),
		.start = unwell_start,
		.stop = unwell_stop,
		.place_count = unwell_place_count,
		.place_info = unwell_place_info,
		.channel_info = unwell_channel_info,
		.read = unwell_read,
	};
	static const eh_probe probe = {
		.magic = EH_PROBE_MAGIC,
		.struct_size = sizeof(eh_probe),
		.abi_major = EH_ABI_MAJOR,
		.abi_minor = EH_ABI_MINOR,
		.pointer_bytes = sizeof(void *),
		.name = "unwell",
		.title = "A probe for tests that crashes and hangs",
		.version = "1",
		.license = "Apache-2.0",
		.ops = &ops,
	};

	return &probe;
}
