/* SPDX-License-Identifier: Apache-2.0 */
#include "object.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faults.h"

/* A descriptor of memory that holds the bytes. */
static int memory_file(const void *binary, size_t size)
{
	const int fd = memfd_create("evenhand-kernel", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < size) {
		const ssize_t n = write(fd, (const char *)binary + done, size - done);

		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno != EINTR) {
			const int problem = errno;

			(void)close(fd);
			errno = problem;
			return -1;
		}
	}
	return fd;
}

bool object_load(object *o, const char *path, const void *binary, size_t size, char *why,
                 size_t why_size)
{
	char name[64];

	o->handle = NULL;
	o->fd = -1;
	if (path == NULL) {
		o->fd = memory_file(binary, size);
		if (o->fd < 0) {
			faults_text(why, why_size, "memfd_create: %s", strerror(errno));
			return false;
		}
		/* The descriptor stays open while it is loaded: dlopen tells objects apart by
		 * name first, and the number must not be given out again. */
		faults_text(name, sizeof(name), "/proc/self/fd/%d", o->fd);
		path = name;
	}
	o->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (o->handle != NULL)
		return true;
	faults_text(why, why_size, "%s", dlerror());
	object_unload(o);
	return false;
}

object_entry object_find(const object *o, const char *kernel)
{
	char symbol[256];
	union { void *data; object_entry function; } found;

	if (snprintf(symbol, sizeof(symbol), "%s_entry", kernel) >= (int)sizeof(symbol))
		return NULL;
	found.data = dlsym(o->handle, symbol);
	return found.data != NULL ? found.function : NULL;
}

void object_unload(object *o)
{
	if (o->handle != NULL)
		(void)dlclose(o->handle);
	if (o->fd >= 0)
		(void)close(o->fd);
	o->handle = NULL;
	o->fd = -1;
}
