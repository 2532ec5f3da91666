/* SPDX-License-Identifier: Apache-2.0 */
#include "binarycache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "subprocess.h"
#include "wording.h"

void binarycache_key(const eh_host *host, const char *const texts[], size_t count, char key[65])
{
	size_t size = 0, used = 0;
	char *all;

	for (size_t i = 0; i < count; i++)
		size += strlen(texts[i]) + 24;
	all = malloc(size + 1);
	if (all == NULL) {
		snprintf(key, 65, "none");
		return;
	}
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(all + used, size + 1 - used, "%zu:%s\n", strlen(texts[i]),
		                         texts[i]);
	host->sha256(host->ctx, all, used, key);
	free(all);
}

static bool entry_path(const binarycache *c, const char *key, const char *suffix,
                       char path[PATH_MAX])
{
	return c->folder != NULL && strlen(key) == 64 &&
	       snprintf(path, PATH_MAX, "%s/%s%s", c->folder, key, suffix) < PATH_MAX - 16;
}

/* Reads a regular file that belongs to us or root and that only its owner can change. */
static bool read_private(const char *path, void **data, size_t *size)
{
	struct stat about;
	size_t done = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return false;
	*data = NULL;
	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0 ||
	    about.st_size > 1 << 28 || (about.st_mode & 022) != 0 ||
	    (about.st_uid != geteuid() && about.st_uid != 0))
		goto failed;
	*size = (size_t)about.st_size;
	*data = malloc(*size);
	if (*data == NULL)
		goto failed;
	while (done < *size) {
		const ssize_t n = read(fd, (char *)*data + done, *size - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			goto failed;
	}
	(void)close(fd);
	return true;
failed:
	free(*data);
	*data = NULL;
	(void)close(fd);
	return false;
}

bool binarycache_load(const binarycache *cache, const char *key, void **binary, size_t *size,
                      char path[PATH_MAX])
{
	char digest_path[PATH_MAX], digest[65];
	const char *remedy = cache->remedy != NULL ? cache->remedy : "the kernel is compiled again";
	void *expected = NULL;
	size_t expected_size = 0;
	bool same;

	if (!entry_path(cache, key, cache->suffix, path) ||
	    !entry_path(cache, key, ".sha256", digest_path) ||
	    access(path, F_OK) != 0 || access(digest_path, F_OK) != 0)
		return false;
	if (!read_private(path, binary, size)) {
		wording_say(cache->host, EH_LOG_WARN, "%s in the kernel cache cannot be trusted "
		            "(empty, or others can change it); %s", path, remedy);
		return false;
	}
	cache->host->sha256(cache->host->ctx, *binary, *size, digest);
	same = read_private(digest_path, &expected, &expected_size) && expected_size >= 64 &&
	       memcmp(expected, digest, 64) == 0;
	free(expected);
	if (!same) {
		wording_say(cache->host, EH_LOG_WARN, "%s in the kernel cache is damaged; %s", path,
		            remedy);
		free(*binary);
		*binary = NULL;
	}
	return same;
}

/* Opens the file, empty and locked, under which an entry is written; what a killed process left under
 * that name is used again.  -1 with errno: EWOULDBLOCK when another process writes the same entry. */
static int open_partial(const char *path)
{
	struct stat own, named;
	const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int problem;

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		/* Its writer may have renamed it before it was locked here. */
		if (fstat(fd, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino &&
		    ftruncate(fd, 0) == 0)
			return fd;
		errno = EWOULDBLOCK;
	}
	problem = errno;
	(void)close(fd);
	errno = problem;
	return -1;
}

/* Writes a file beside `path` and renames it; returns 0 or errno.  The folder is the core's, where
 * nobody else makes names. */
static int put_file(const char *path, const void *data, size_t size)
{
	char partial[PATH_MAX];
	int fd, problem = 0;

	snprintf(partial, sizeof(partial), "%.4000s.new", path);
	fd = open_partial(partial);
	if (fd < 0)
		return errno;
	if (!subprocess_write(fd, data, size) || rename(partial, path) != 0) {
		problem = errno;
		(void)unlink(partial);
	}
	if (close(fd) != 0 && problem == 0) {
		problem = errno;
		(void)unlink(path);
	}
	return problem;
}

bool binarycache_store(binarycache *cache, const char *key, const void *binary, size_t size,
                       char path[PATH_MAX])
{
	char digest_path[PATH_MAX], line[160], digest[65];
	int problem;

	if (!entry_path(cache, key, cache->suffix, path) ||
	    !entry_path(cache, key, ".sha256", digest_path))
		return false;
	cache->host->sha256(cache->host->ctx, binary, size, digest);
	snprintf(line, sizeof(line), "%s  %s%s\n", digest, key, cache->suffix);
	problem = put_file(path, binary, size);
	if (problem == 0)
		problem = put_file(digest_path, line, strlen(line));
	if (problem == 0)
		return true;
	if (!cache->warned && problem != EWOULDBLOCK)
		wording_say(cache->host, EH_LOG_WARN, "Compiled kernels cannot be kept in %s: %s; they "
		            "are compiled again in every run", cache->folder, strerror(problem));
	cache->warned = cache->warned || problem != EWOULDBLOCK;
	return false;
}
