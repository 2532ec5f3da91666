/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/probestart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum { LONGEST_SECONDS = 10 };

/* Shared with the thread, which owns and frees it once the caller has given up. */
typedef struct starting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done, given_up;
	char *path;
	probes_one probe;
	eh_status status;
	eh_error error;
} starting;

static starting *new_starting(const char *path)
{
	pthread_condattr_t attributes;
	starting *s = memory_get(sizeof(*s));

	if (pthread_condattr_init(&attributes) != 0) {
		free(s);
		return NULL;
	}
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_cond_init(&s->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	s->path = memory_text(path);
	s->error = (eh_error)ERROR_INIT;
	return s;
}

static void free_starting(starting *s)
{
	(void)pthread_cond_destroy(&s->changed);
	(void)pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s);
}

static void *start_probe(void *context)
{
	starting *s = context;
	bool given_up;

	s->status = probes_start(&s->probe, s->path, &s->error);
	pthread_mutex_lock(&s->lock);
	s->done = true;
	given_up = s->given_up;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	/* A probe that started too late stays started: stopping it now may not be safe. */
	if (given_up)
		free_starting(s);
	return NULL;
}

/* Whether the thread finished in time; if not, it is given up. */
static bool wait_for(starting *s)
{
	struct timespec until = { 0 };
	int waited = 0;
	bool done;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LONGEST_SECONDS;
	pthread_mutex_lock(&s->lock);
	while (!s->done && waited == 0)
		waited = pthread_cond_timedwait(&s->changed, &s->lock, &until);
	done = s->done;
	s->given_up = !done;
	pthread_mutex_unlock(&s->lock);
	return done;
}

eh_status probestart_in_time(probes_one *out, const char *path, eh_error *error)
{
	starting *s = new_starting(path);
	eh_status status;
	pthread_t thread;

	memset(out, 0, sizeof(*out));
	if (s == NULL)
		return error_set(error, EH_E_NO_MEMORY, "no memory is left to start the probe %s", path);
	if (pthread_create(&thread, NULL, start_probe, s) != 0) {
		free_starting(s);
		return error_set(error, EH_E_INTERNAL, "no thread for the start of the probe %s", path);
	}
	if (!wait_for(s)) {
		(void)pthread_detach(thread);
		return error_set(error, EH_E_TIMEOUT, "its start did not return within %d s", LONGEST_SECONDS);
	}
	(void)pthread_join(thread, NULL);
	*out = s->probe;
	status = s->status;
	if (status != EH_OK && error != NULL)
		*error = s->error;
	free_starting(s);
	return status;
}
