/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/objectdata.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Shdr) elf_section;

typedef struct object { const char *bytes; size_t size; } object;

static bool inside(const object *o, uint64_t from, uint64_t size)
{
	return from <= o->size && size <= o->size - from;
}

/* Copied, as the table may lie at any address. */
static elf_section section_at(const object *o, const elf_header *h, size_t index)
{
	elf_section section;

	memcpy(&section, o->bytes + h->e_shoff + index * sizeof(section), sizeof(section));
	return section;
}

/* Data that is loaded, but no code. */
static bool is_data(const elf_section *section)
{
	return section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_ALLOC) != 0 &&
	       (section->sh_flags & SHF_EXECINSTR) == 0;
}

static bool has_sections(const object *o, elf_header *h)
{
	if (o->size < sizeof(*h))
		return false;
	memcpy(h, o->bytes, sizeof(*h));
	return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
	       h->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       h->e_shentsize == sizeof(elf_section) && h->e_shnum > 0 &&
	       inside(o, h->e_shoff, (uint64_t)h->e_shnum * sizeof(elf_section));
}

/* False, without a search, when a section is not inside the file or none has data. */
static bool are_sound(const object *o, const elf_header *h)
{
	bool some = false;

	for (size_t i = 0; i < h->e_shnum; i++) {
		elf_section section = section_at(o, h, i);

		if (is_data(&section) && !inside(o, section.sh_offset, section.sh_size))
			return false;
		some = some || is_data(&section);
	}
	return some;
}

static void search(const object *o, needles *n, needles_hit *hit, void *context)
{
	elf_header h;

	if (!has_sections(o, &h) || !are_sound(o, &h)) {
		needles_search(n, o->bytes, o->size, hit, context);
		return;
	}
	for (size_t i = 0; i < h.e_shnum; i++) {
		elf_section section = section_at(o, &h, i);

		if (is_data(&section))
			needles_search(n, o->bytes + section.sh_offset, section.sh_size, hit, context);
	}
}

bool objectdata_search(const char *path, needles *n, needles_hit *hit, void *context)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	object o = { 0 };
	void *bytes = MAP_FAILED;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	o = (object){ bytes, (size_t)st.st_size };
	search(&o, n, hit, context);
	munmap(bytes, o.size);
	return true;
}
