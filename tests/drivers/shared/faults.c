/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOUR_NS UINT64_C(3600000000000)

enum { MOST = 16 };

typedef enum clock_mode { CLOCK_TRUE, CLOCK_ONE, CLOCK_STUCK, CLOCK_JUMP, CLOCK_BACK } clock_mode;

typedef struct occasion {
	uint64_t number; /* 0 = never */
	bool onwards;
} occasion;

typedef struct planned {
	char function[64];
	char answer[32];
	occasion when;
	uint64_t seen;
} planned;

static struct {
	pthread_mutex_t lock;
	bool read;
	planned calls[MOST];
	size_t call_count;
	occasion kinds[FAULTS_KINDS];
	uint64_t seen[FAULTS_KINDS];
	uint64_t slow_us;
	uint64_t memory;
	clock_mode clock;
	occasion clock_when;
	int log;
} plan = { .lock = PTHREAD_MUTEX_INITIALIZER, .log = -1 };

static const char *const kind_names[FAULTS_KINDS] = { "lost", "hang", "stale", "wrong", "early" };

__attribute__((noreturn)) static void refuse(const char *fault)
{
	fprintf(stderr, "test driver: EVENHAND_TEST_FAULT: \"%s\" is no fault.\n", fault);
	_exit(70);
}

static bool number_of(const char *text, uint64_t *value)
{
	char *end = NULL;

	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 0);
	return *end == '\0';
}

static occasion occasion_of(char *text, const char *fault)
{
	occasion when = { 1, true };
	size_t size;

	if (text == NULL)
		return when;
	size = strlen(text);
	when.onwards = size > 0 && text[size - 1] == '+';
	if (when.onwards)
		text[size - 1] = '\0';
	if (!number_of(text, &when.number) || when.number == 0)
		refuse(fault);
	return when;
}

static bool reached(occasion when, uint64_t seen)
{
	return when.number != 0 && (seen == when.number || (when.onwards && seen > when.number));
}

static void read_clock(const char *value, occasion when, const char *fault)
{
	static const char *const names[] = { "one", "stuck", "jump", "back" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0) {
			plan.clock = (clock_mode)(CLOCK_ONE + i);
			plan.clock_when = when;
			return;
		}
	refuse(fault);
}

static void read_fault(const char *fault)
{
	char text[160];
	char *value, *when_text;
	occasion when;

	if (snprintf(text, sizeof(text), "%s", fault) >= (int)sizeof(text))
		refuse(fault);
	value = strchr(text, '=');
	if (value != NULL)
		*value++ = '\0';
	when_text = strchr(text, '@');
	if (when_text != NULL)
		*when_text++ = '\0';
	when = occasion_of(when_text, fault);
	if (value == NULL) {
		for (size_t i = 0; i < FAULTS_KINDS; i++)
			if (strcmp(text, kind_names[i]) == 0) {
				plan.kinds[i] = when;
				return;
			}
		refuse(fault);
	}
	if (strcmp(text, "slow") == 0 || strcmp(text, "memory") == 0) {
		if (!number_of(value, text[0] == 's' ? &plan.slow_us : &plan.memory))
			refuse(fault);
	} else if (strcmp(text, "clock") == 0) {
		read_clock(value, when, fault);
	} else {
		planned *p = &plan.calls[plan.call_count];

		if (plan.call_count == MOST || strlen(text) >= sizeof(p->function) ||
		    strlen(value) >= sizeof(p->answer) || text[0] == '\0' || value[0] == '\0')
			refuse(fault);
		memcpy(p->function, text, strlen(text) + 1);
		memcpy(p->answer, value, strlen(value) + 1);
		p->when = when;
		plan.call_count++;
	}
}

static void read_plan(void)
{
	const char *text = getenv("EVENHAND_TEST_FAULT");
	const char *calls = getenv("EVENHAND_TEST_CALLS");

	plan.read = true;
	if (calls != NULL && calls[0] != '\0')
		plan.log = open(calls, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	while (text != NULL && *text != '\0') {
		char fault[160];
		size_t size = strcspn(text, ";");

		if (size >= sizeof(fault))
			refuse(text);
		memcpy(fault, text, size);
		fault[size] = '\0';
		if (size > 0)
			read_fault(fault);
		text += size + (text[size] == ';');
	}
}

static void hold(void)
{
	(void)pthread_mutex_lock(&plan.lock);
	if (!plan.read)
		read_plan();
}

static void release(void)
{
	(void)pthread_mutex_unlock(&plan.lock);
}

static void sleep_us(uint64_t us)
{
	struct timespec time = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	(void)nanosleep(&time, NULL);
}

void faults_hang(void)
{
	for (;;)
		(void)pause();
}

/* What the calling thread's newest call is to sleep before it returns. */
static _Thread_local uint64_t linger_ms;

void faults_linger(void)
{
	if (linger_ms > 0)
		sleep_us(linger_ms * 1000);
	linger_ms = 0;
}

static bool answer_code(const char *answer, faults_word word, int64_t *code)
{
	char *end = NULL;
	uint64_t ms = 0;

	if (strcmp(answer, "hang") == 0)
		faults_hang();
	if (strcmp(answer, "crash") == 0)
		abort();
	if (strncmp(answer, "sleep:", 6) == 0) {
		if (!number_of(answer + 6, &ms))
			refuse(answer);
		sleep_us(ms * 1000);
		return false;
	}
	if (strncmp(answer, "linger:", 7) == 0) {
		if (!number_of(answer + 7, &linger_ms))
			refuse(answer);
		return false;
	}
	if (word != NULL && word(answer, code))
		return true;
	*code = strtoll(answer, &end, 0);
	if (end == answer || *end != '\0')
		refuse(answer);
	return true;
}

void faults_note(const char *what)
{
	hold();
	if (plan.log >= 0)
		(void)dprintf(plan.log, "%s\n", what);
	release();
}

bool faults_call(const char *function, faults_word word, int64_t *code)
{
	char answer[sizeof(plan.calls[0].answer)] = "";

	hold();
	if (plan.log >= 0)
		(void)dprintf(plan.log, "%s\n", function);
	for (size_t i = 0; i < plan.call_count; i++) {
		planned *p = &plan.calls[i];

		if (strcmp(p->function, function) == 0 && reached(p->when, ++p->seen) &&
		    answer[0] == '\0')
			memcpy(answer, p->answer, sizeof(answer));
	}
	release();
	return answer[0] != '\0' && answer_code(answer, word, code);
}

bool faults_due(faults_kind kind)
{
	bool due;

	hold();
	due = reached(plan.kinds[kind], ++plan.seen[kind]);
	release();
	return due;
}

uint64_t faults_memory(uint64_t otherwise)
{
	uint64_t bytes;

	hold();
	bytes = plan.memory != 0 ? plan.memory : otherwise;
	release();
	return bytes;
}

void faults_slow(void)
{
	uint64_t us;

	hold();
	us = plan.slow_us;
	release();
	if (us > 0)
		sleep_us(us);
}

uint64_t faults_clock(uint64_t ns, uint64_t *ticks)
{
	clock_mode mode;
	bool due;

	hold();
	mode = plan.clock;
	due = reached(plan.clock_when, ++*ticks);
	release();
	if (!due || mode == CLOCK_TRUE || mode == CLOCK_ONE)
		return ns;
	if (mode == CLOCK_STUCK)
		return 1;
	return mode == CLOCK_JUMP ? ns + HOUR_NS : ns > HOUR_NS ? ns - HOUR_NS : 0;
}

uint64_t faults_elapsed(uint64_t from, uint64_t to)
{
	bool one;

	hold();
	one = plan.clock == CLOCK_ONE;
	release();
	return one ? 1 : to - from;
}
