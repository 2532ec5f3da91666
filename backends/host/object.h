/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object with kernels, loaded. */
#ifndef HOST_OBJECT_H
#define HOST_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function that the dialect makes of each kernel NAME, as NAME_entry: runs the groups
 * first..end-1 of the linear group index (x fastest). args[i] points to the value of the i-th
 * argument. */
typedef void (*object_entry)(void **args, const int32_t groups[3], int64_t first, int64_t end);

typedef struct object {
	void *handle;
	int fd;       /* of the memory it was loaded from, -1 = from a file                    */
} object;

/* Loads the file, or, when path is NULL, the bytes.  false: why (size bytes) says why. */
bool object_load(object *o, const char *path, const void *binary, size_t size, char *why,
                 size_t why_size);
object_entry object_find(const object *o, const char *kernel);
void object_unload(object *o);

#endif
