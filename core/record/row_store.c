/* SPDX-License-Identifier: Apache-2.0 */
#include "record/row_store.h"

#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/spill.h"
#include "base/text.h"

/* Lists of fewer bytes stay in the heap, and so do rows whose lists together are not worth a page. */
enum { STORE_LIST = 512, STORE_ROW = 4096 };

/* The least that is mapped at once: a process has at most about 65,000 mappings. */
static const size_t store_extent = (size_t)64 << 20;
/* What Linux maps around a page that is read, aligned to as much (fault_around_bytes). */
static const uintptr_t store_around = 65536;

/* Part of the file, in memory.  What is not written yet is mapped as well. */
typedef struct extent { char *at; size_t start, size; } extent;

/* Where a row is; NULL: in the heap. */
typedef struct stored { char *at; size_t size, extent; } stored;

struct row_store {
	pthread_mutex_t lock;
	spill file;
	bool closed;             /* no further row goes to the file                              */
	extent *extents;
	size_t extent_count;
	stored *rows;
};

row_store *row_store_new(size_t rows)
{
	row_store *s = memory_get(sizeof(*s));

	(void)pthread_mutex_init(&s->lock, NULL);
	s->rows = memory_get((rows + 1) * sizeof(*s->rows));
	return s;
}

/* ---- the numbers of a row -------------------------------------------------------------------- */

static void move_all(record_case *row, record_pool *pool, layout_mover *move, void *context)
{
	layout_move_numbers(record_case_layout(), row, move, context);
	record_pool_move(pool, move, context);
}

static void *add_size(void *context, void *items, size_t size)
{
	*(size_t *)context += size >= STORE_LIST ? size : 0;
	return items;
}

static void *write_numbers(void *context, void *items, size_t size)
{
	row_store *s = context;

	if (size >= STORE_LIST && !s->closed && spill_add(&s->file, items, size, NULL) != EH_OK)
		s->closed = true;
	return items;
}

/* They are mapped in the order in which they were written. */
static void *take_place(void *context, void *items, size_t size)
{
	char **at = context, *place = *at;

	if (size < STORE_LIST)
		return items;
	free(items);
	*at += size;
	return place;
}

static void *take_out(void *context, void *items, size_t size)
{
	(void)context;
	return size >= STORE_LIST ? NULL : items;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool file_takes_memory(const spill *file)
{
	struct statfs about;

	return fstatfs(file->fd, &about) != 0 || about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC;
}

static char *map_more(row_store *s, size_t start, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, s->file.fd, (off_t)start);

	if (at == MAP_FAILED)
		return NULL;
	s->extents = memory_grow(s->extents, (s->extent_count + 1) * sizeof(*s->extents));
	s->extents[s->extent_count++] = (extent){ at, start, size };
	return at;
}

/* Where the file's bytes from `start` on are in memory; NULL where they cannot be mapped. */
static char *map(row_store *s, size_t start, size_t size)
{
	const extent *last = s->extent_count > 0 ? &s->extents[s->extent_count - 1] : NULL;

	if (last != NULL && start + size <= last->start + last->size)
		return last->at + (start - last->start);
	return map_more(s, start, size > store_extent ? size : store_extent);
}

/* No row is behind `start`, nor will be. */
static void give_back(row_store *s, size_t start)
{
	if (s->extent_count == 0)
		spill_close(&s->file);
	else if (s->file.opened && ftruncate(s->file.fd, (off_t)start) == 0)
		s->file.size = start;
}

/* Writes the numbers at the start of a page, which they share with no other row. */
static stored store(row_store *s, record_case *row, record_pool *pool)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), start = (s->file.size + page - 1) / page * page;
	stored in = { 0 };

	s->file.size = start;
	move_all(row, pool, write_numbers, s);
	if (start == 0 && s->file.opened && file_takes_memory(&s->file))
		s->closed = true;
	in.size = s->file.size - start;
	in.at = s->closed ? NULL : map(s, start, in.size);
	s->closed = in.at == NULL;
	in.extent = s->extent_count - 1;
	if (s->closed)
		give_back(s, start);
	return in;
}

void row_store_put(row_store *s, size_t i, record_case *row, record_pool *pool)
{
	size_t size = 0;
	char *at;

	move_all(row, pool, add_size, &size);
	if (size < STORE_ROW)
		return;
	(void)pthread_mutex_lock(&s->lock);
	if (!s->closed)
		s->rows[i] = store(s, row, pool);
	(void)pthread_mutex_unlock(&s->lock);
	at = s->rows[i].at;
	if (at != NULL)
		move_all(row, pool, take_place, &at);
}

/* With what was mapped around it; others read that again from the file. */
void row_store_rest(const row_store *s, size_t i)
{
	const stored *in = s != NULL ? &s->rows[i] : NULL;
	const extent *of;
	size_t before, after;

	if (in == NULL || in->at == NULL)
		return;
	of = &s->extents[in->extent];
	before = (uintptr_t)in->at % store_around;
	after = store_around - 1 - ((uintptr_t)in->at + in->size - 1) % store_around;
	if (before > (size_t)(in->at - of->at))
		before = (size_t)(in->at - of->at);
	if (after > of->size - (size_t)(in->at - of->at) - in->size)
		after = of->size - (size_t)(in->at - of->at) - in->size;
	(void)madvise(in->at - before, before + in->size + after, MADV_DONTNEED);
}

void row_store_take_out(row_store *s, size_t i, record_case *row, record_pool *pool)
{
	if (s == NULL || s->rows[i].at == NULL)
		return;
	move_all(row, pool, take_out, NULL);
	s->rows[i].at = NULL;
}

void row_store_free(row_store *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->extent_count; i++)
		(void)munmap(s->extents[i].at, s->extents[i].size);
	free(s->extents);
	spill_close(&s->file);
	(void)pthread_mutex_destroy(&s->lock);
	free(s->rows);
	free(s);
}
