/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "devmem.h"

typedef struct handle {
	driver_kind kind;
	const void *address;
} handle;

static struct {
	pthread_mutex_t lock;
	handle *handles;
	size_t count, room;
	void (*work)(void);
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

int driver_lock(void)
{
	return pthread_mutex_lock(&state.lock);
}

void driver_unlock(const int *held)
{
	if (*held == 0)
		(void)pthread_mutex_unlock(&state.lock);
}

void driver_note(driver_kind kind, const void *address)
{
	if (state.count == state.room) {
		state.room = state.room == 0 ? 64 : state.room * 2;
		state.handles = realloc(state.handles, state.room * sizeof(handle));
		if (state.handles == NULL)
			abort();
	}
	state.handles[state.count++] = (handle){ kind, address };
}

static size_t place_of(driver_kind kind, const void *address)
{
	size_t i = 0;

	while (i < state.count &&
	       (state.handles[i].address != address || state.handles[i].kind != kind))
		i++;
	return i;
}

bool driver_known(driver_kind kind, const void *address)
{
	return place_of(kind, address) < state.count;
}

void driver_forget(driver_kind kind, const void *address)
{
	const size_t i = place_of(kind, address);

	if (i < state.count)
		state.handles[i] = state.handles[--state.count];
}

void driver_forget_all(driver_kind kind, bool (*belongs)(const void *handle, const void *owner),
                       const void *owner)
{
	for (size_t i = state.count; i-- > 0;)
		if (state.handles[i].kind == kind && belongs(state.handles[i].address, owner))
			state.handles[i] = state.handles[--state.count];
}

size_t driver_live(char *text, size_t size)
{
	size_t counts[DRIVER_KINDS] = { 0 };

	for (size_t i = 0; i < state.count; i++)
		counts[state.handles[i].kind]++;
	snprintf(text, size, "streams %zu, events %zu, modules %zu, graphs %zu, executable graphs %zu, "
	         "memory %zu", counts[DRIVER_STREAM], counts[DRIVER_EVENT], counts[DRIVER_MODULE],
	         counts[DRIVER_GRAPH], counts[DRIVER_GRAPH_EXEC], devmem_count());
	return state.count + devmem_count();
}

int driver_setting(const char *name, int otherwise, int least, int most)
{
	const char *text = getenv(name);
	char *end = NULL;
	long value;

	if (text == NULL || text[0] == '\0')
		return otherwise;
	value = strtol(text, &end, 10);
	if (*end != '\0' || value < least || value > most) {
		fprintf(stderr, "test driver: %s is %d to %d.\n", name, least, most);
		exit(70);
	}
	return (int)value;
}

static void *make_progress(void *ms)
{
	const long each = (long)(intptr_t)ms;
	const struct timespec pause = { each / 1000, each % 1000 * 1000000 };

	for (;;) {
		(void)nanosleep(&pause, NULL);
		(void)pthread_mutex_lock(&state.lock);
		state.work();
		(void)pthread_mutex_unlock(&state.lock);
	}
	return NULL;
}

void driver_progress(void (*work)(void))
{
	const int ms = driver_setting("EVENHAND_TEST_PROGRESS", 0, 0, 60000);
	pthread_t thread;

	state.work = work;
	if (ms > 0 && pthread_create(&thread, NULL, make_progress, (void *)(intptr_t)ms) == 0)
		(void)pthread_detach(thread);
}
