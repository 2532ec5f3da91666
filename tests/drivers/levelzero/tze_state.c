/* SPDX-License-Identifier: Apache-2.0 */
#include "tze_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	const char *what;
	long count;
} kinds[16];

void tze_lock(void)
{
	(void)pthread_mutex_lock(&lock);
}

void tze_unlock(void)
{
	(void)pthread_mutex_unlock(&lock);
}

bool tze_word(const char *word, int64_t *code)
{
	static const struct {
		const char *word;
		ze_result_t code;
	} words[] = {
		{ "lost", ZE_RESULT_ERROR_DEVICE_LOST },
		{ "oom", ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY },
		{ "hostmem", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY },
		{ "build", ZE_RESULT_ERROR_MODULE_BUILD_FAILURE },
		{ "unsupported", ZE_RESULT_ERROR_UNSUPPORTED_FEATURE },
		{ "enumeration", ZE_RESULT_ERROR_INVALID_ENUMERATION },
		{ "notready", ZE_RESULT_NOT_READY },
		{ "invalid", ZE_RESULT_ERROR_INVALID_ARGUMENT },
		{ "unknown", ZE_RESULT_ERROR_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0) {
			*code = (int64_t)words[i].code;
			return true;
		}
	return false;
}

uint64_t tze_setting(const char *key, uint64_t otherwise)
{
	const char *text = getenv("EVENHAND_TEST_ZE");
	const size_t length = strlen(key);

	while (text != NULL && *text != '\0') {
		if (strncmp(text, key, length) == 0 && text[length] == '=')
			return strtoull(text + length + 1, NULL, 0);
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return otherwise;
}

void tze_live(const char *what, int change)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].what == NULL || strcmp(kinds[i].what, what) == 0) {
			kinds[i].what = what;
			kinds[i].count += change;
			return;
		}
	abort();
}

void *tze_new(size_t size)
{
	void *memory = calloc(1, size);

	if (memory == NULL)
		abort();
	return memory;
}

/* For the sweep: how many objects were not given back, and which. */
__attribute__((visibility("default"))) size_t evenhand_test_live(char *text, size_t size);

size_t evenhand_test_live(char *text, size_t size)
{
	size_t all = 0, used = 0;

	if (size > 0)
		text[0] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && kinds[i].what != NULL; i++) {
		if (kinds[i].count == 0)
			continue;
		all += (size_t)labs(kinds[i].count);
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%ld %s", used > 0 ? ", " : "",
			                         kinds[i].count, kinds[i].what);
	}
	return all;
}
