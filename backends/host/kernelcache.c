/* SPDX-License-Identifier: Apache-2.0 */
#include "kernelcache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
