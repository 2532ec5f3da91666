/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the kernels' arguments from a code object, because the runtime does not report their
 * number.  They are in the note of type NT_AMDGPU_METADATA (32), a MessagePack map with
 * "amdhsa.kernels", as the AMDGPU backend's user guide of LLVM defines it for code objects of
 * version 3 and later.
 */
#include <elf.h>
#include <string.h>

#include "hip_state.h"

enum { NOTE_METADATA = 32, DEEPEST = 16 };

typedef struct reader {
	const unsigned char *at, *end;
	bool broken;
} reader;

typedef enum item_type { ITEM_OTHER, ITEM_TEXT, ITEM_ARRAY, ITEM_MAP } item_type;

typedef struct item {
	item_type type;
	uint64_t count;      /* of elements, of pairs, of bytes                                */
	const char *text;    /* not terminated                                                 */
} item;

static uint64_t take(reader *r, unsigned bytes)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < bytes) {
		r->broken = true;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | *r->at++;
	return value;
}

static void pass(reader *r, uint64_t bytes)
{
	if ((uint64_t)(r->end - r->at) < bytes)
		r->broken = true;
	else
		r->at += bytes;
}

/* Reads the head of the next value.  A text is skipped; the elements of an array or map are not. */
static item next(reader *r)
{
	const unsigned head = (unsigned)take(r, 1);
	item it = { ITEM_OTHER, 0, NULL };

	if (head >= 0x80 && head <= 0x8f) {
		it = (item){ ITEM_MAP, head & 0x0f, NULL };
	} else if (head >= 0x90 && head <= 0x9f) {
		it = (item){ ITEM_ARRAY, head & 0x0f, NULL };
	} else if (head >= 0xa0 && head <= 0xbf) {
		it = (item){ ITEM_TEXT, head & 0x1f, NULL };
	} else if (head >= 0xd9 && head <= 0xdb) {
		it.type = ITEM_TEXT;
		it.count = take(r, 1u << (head - 0xd9));
	} else if (head == 0xdc || head == 0xdd) {
		it.type = ITEM_ARRAY;
		it.count = take(r, head == 0xdc ? 2 : 4);
	} else if (head == 0xde || head == 0xdf) {
		it.type = ITEM_MAP;
		it.count = take(r, head == 0xde ? 2 : 4);
	} else if (head >= 0xcc && head <= 0xcf) {
		pass(r, 1u << (head - 0xcc));
	} else if (head >= 0xd0 && head <= 0xd3) {
		pass(r, 1u << (head - 0xd0));
	} else if (head == 0xca || head == 0xcb) {
		pass(r, head == 0xca ? 4 : 8);
	} else if (head >= 0xc4 && head <= 0xc6) {
		pass(r, take(r, 1u << (head - 0xc4)));
	} else if (head >= 0xc7 && head <= 0xc9) {
		pass(r, take(r, 1u << (head - 0xc7)) + 1);
	} else if (head >= 0xd4 && head <= 0xd8) {
		pass(r, (1u << (head - 0xd4)) + 1);
	}
	if (it.type == ITEM_TEXT) {
		it.text = (const char *)r->at;
		pass(r, it.count);
	}
	return it;
}

static void pass_value(reader *r)
{
	uint64_t left[DEEPEST];
	unsigned depth = 0;

	left[0] = 1;
	while (!r->broken) {
		item it;

		while (left[depth] == 0) {
			if (depth == 0)
				return;
			depth--;
		}
		left[depth]--;
		it = next(r);
		if (it.type != ITEM_ARRAY && it.type != ITEM_MAP)
			continue;
		if (++depth == DEEPEST)
			r->broken = true;
		else
			left[depth] = it.type == ITEM_MAP ? it.count * 2 : it.count;
	}
}

static bool is_text(const item *it, const char *text)
{
	return it->type == ITEM_TEXT && it->count == strlen(text) &&
	       memcmp(it->text, text, it->count) == 0;
}

/* The arguments that the caller passes, without those that the runtime adds, "hidden_...". */
static int64_t count_arguments(reader *r)
{
	const item list = next(r);
	int64_t count = 0;

	if (list.type != ITEM_ARRAY)
		r->broken = true;
	for (uint64_t i = 0; i < list.count && !r->broken; i++) {
		const item one = next(r);
		bool hidden = false;

		if (one.type != ITEM_MAP)
			r->broken = true;
		for (uint64_t k = 0; k < one.count && !r->broken; k++) {
			const item key = next(r);
			reader at = *r;
			const item value = next(&at);

			if (is_text(&key, ".value_kind") && value.type == ITEM_TEXT && value.count > 7 &&
			    memcmp(value.text, "hidden_", 7) == 0)
				hidden = true;
			pass_value(r);
		}
		count += !hidden;
	}
	return count;
}

static int64_t search_kernels(reader *r, const char *kernel)
{
	const item list = next(r);

	if (list.type != ITEM_ARRAY)
		return CHECKS_ANY_COUNT;
	for (uint64_t i = 0; i < list.count && !r->broken; i++) {
		const item one = next(r);
		int64_t count = 0;
		bool found = false;

		if (one.type != ITEM_MAP)
			return CHECKS_ANY_COUNT;
		for (uint64_t k = 0; k < one.count && !r->broken; k++) {
			const item key = next(r);
			reader at = *r;

			if (is_text(&key, ".args")) {
				count = count_arguments(&at);
				r->broken |= at.broken;
			} else if (is_text(&key, ".name")) {
				const item name = next(&at);

				found = is_text(&name, kernel);
			}
			pass_value(r);
		}
		if (found && !r->broken)
			return count;
	}
	return CHECKS_ANY_COUNT;
}

static int64_t search_metadata(const unsigned char *begin, size_t size, const char *kernel)
{
	reader r = { begin, begin + size, false };
	const item all = next(&r);

	for (uint64_t k = 0; all.type == ITEM_MAP && k < all.count && !r.broken; k++) {
		const item key = next(&r);

		if (is_text(&key, "amdhsa.kernels"))
			return search_kernels(&r, kernel);
		pass_value(&r);
	}
	return CHECKS_ANY_COUNT;
}

static int64_t search_notes(const unsigned char *begin, size_t size, const char *kernel)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, body;

		memcpy(&note, begin + at, sizeof(note));
		at += sizeof(note);
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		body = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > size - at || note.n_descsz > size - at - name)
			return CHECKS_ANY_COUNT;
		if (note.n_type == NOTE_METADATA && note.n_namesz == 7 &&
		    memcmp(begin + at, "AMDGPU", 7) == 0)
			return search_metadata(begin + at + name, note.n_descsz, kernel);
		if (body > size - at - name)
			return CHECKS_ANY_COUNT;
		at += name + body;
	}
	return CHECKS_ANY_COUNT;
}

static int64_t search_elf(const unsigned char *elf, size_t size, const char *kernel)
{
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return CHECKS_ANY_COUNT;
	memcpy(&head, elf, sizeof(head));
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr))
		return CHECKS_ANY_COUNT;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		const uint64_t at = head.e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr part;
		int64_t count;

		if (at > size || size - at < sizeof(part))
			return CHECKS_ANY_COUNT;
		memcpy(&part, elf + at, sizeof(part));
		if (part.p_type != PT_NOTE || part.p_offset > size ||
		    part.p_filesz > size - part.p_offset)
			continue;
		count = search_notes(elf + part.p_offset, (size_t)part.p_filesz, kernel);
		if (count != CHECKS_ANY_COUNT)
			return count;
	}
	return CHECKS_ANY_COUNT;
}

int64_t hip_metadata_arguments(const void *code, size_t size, const char *kernel)
{
	const unsigned char *at = code, *end = at + size;
	int64_t count = CHECKS_ANY_COUNT;

	/* Older versions make a bundle that has an empty file for the host before the device's
	 * file. */
	while (count == CHECKS_ANY_COUNT &&
	       (at = memmem(at, (size_t)(end - at), ELFMAG, SELFMAG)) != NULL) {
		count = search_elf(at, (size_t)(end - at), kernel);
		at += SELFMAG;
	}
	return count;
}
