/* SPDX-License-Identifier: Apache-2.0 */
#include "kernelcache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "faults.h"
#include "shared/binarycache.h"

static binarycache cache_of(const host_state *s)
{
	return (binarycache){ .host = s->host, .folder = s->cache_dir, .suffix = ".so",
	                      .warned = s->cache_warned };
}

void kernelcache_key(const host_state *s, const compiler *c, const char *text, char key[65])
{
	char flags[512], digest[65], *all = NULL;
	int n;

	compile_flags_text(c, flags, sizeof(flags));
	s->host->sha256(s->host->ctx, text, strlen(text), digest);
	n = asprintf(&all, "evenhand host kernel 2\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n", digest,
	             c->text, c->real, c->stamp, c->target_cpu, flags, s->cpu.model,
	             s->cpu.features);
	if (n < 0) {
		/* "none" is the key of no entry, so the lookup misses. */
		faults_text(key, 65, "none");
		return;
	}
	s->host->sha256(s->host->ctx, all, (size_t)n, key);
	free(all);
}

bool kernelcache_load(const host_state *s, const char *key, void **binary, size_t *size,
                      char path[PATH_MAX])
{
	const binarycache cache = cache_of(s);

	return binarycache_load(&cache, key, binary, size, path);
}

bool kernelcache_store(host_state *s, const char *key, const void *binary, size_t size,
                       char path[PATH_MAX])
{
	binarycache cache = cache_of(s);
	const bool kept = binarycache_store(&cache, key, binary, size, path);

	s->cache_warned = cache.warned;
	return kept;
}

static binarycache answers_of(const host_state *s)
{
	binarycache cache = cache_of(s);

	cache.suffix = ".version";
	cache.remedy = "the compiler is asked again";
	return cache;
}

/* A program by its first bytes, those of an ELF file. */
static bool is_program(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char first[4];
	bool program;

	if (fd < 0)
		return false;
	program = read(fd, first, sizeof(first)) == (ssize_t)sizeof(first) &&
	          memcmp(first, "\177ELF", sizeof(first)) == 0;
	(void)close(fd);
	return program;
}

void kernelcache_answer_key(const host_state *s, const compiler *c, const char *const argv[],
                            char key[65])
{
	const char *libraries = getenv("LD_LIBRARY_PATH"), *preload = getenv("LD_PRELOAD");
	const char *texts[24] = { "evenhand host compiler 1", c->real, c->stamp, s->cpu.model,
	                          s->cpu.features, libraries != NULL ? libraries : "",
	                          preload != NULL ? preload : "" };
	size_t n = 7;

	faults_text(key, 65, "none");
	if (s->cache_dir == NULL || !is_program(c->real))
		return;
	for (size_t i = 0; argv[i] != NULL; i++) {
		if (n == sizeof(texts) / sizeof(texts[0]))
			return;
		texts[n++] = argv[i];
	}
	binarycache_key(s->host, texts, n, key);
}

char *kernelcache_answer(const host_state *s, const char *key)
{
	const binarycache cache = answers_of(s);
	char path[PATH_MAX], *text;
	void *bytes;
	size_t size;

	if (!binarycache_load(&cache, key, &bytes, &size, path))
		return NULL;
	text = strndup(bytes, size);
	free(bytes);
	return text;
}

void kernelcache_keep_answer(host_state *s, const char *key, const char *text)
{
	binarycache cache = answers_of(s);
	char path[PATH_MAX];

	(void)binarycache_store(&cache, key, text, strlen(text), path);
	s->cache_warned = cache.warned;
}
