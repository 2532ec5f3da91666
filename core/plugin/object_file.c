/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/object_file.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "base/trust.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define OWN_MACHINE EM_PPC64
#elif defined(__riscv)
#define OWN_MACHINE EM_RISCV
#endif

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static bool inside(uint64_t offset, uint64_t bytes, size_t size)
{
	return offset <= size && bytes <= size - offset;
}

static eh_status check_bytes(const char *path, const char *data, size_t size, eh_error *error)
{
	ElfW(Ehdr) header;

	if (size < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG) != 0)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is not a shared object: it does not begin as an "
		                 "ELF file does",
		                 path);
	if (data[EI_CLASS] != OWN_CLASS)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s was built for a %d-bit machine, and this program "
		                 "is %d-bit",
		                 path, data[EI_CLASS] == ELFCLASS64 ? 64 : 32,
		                 (int)(8 * sizeof(void *)));
	if (size < sizeof(header))
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is truncated: its %zu bytes do not hold the ELF "
		                 "header; copy or build it again",
		                 path, size);
	memcpy(&header, data, sizeof(header));
	if (header.e_type != ET_DYN)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is an ELF file but not a shared object: link it "
		                 "with -shared",
		                 path);
#ifdef OWN_MACHINE
	if (header.e_machine != OWN_MACHINE)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s was built for another kind of machine (ELF "
		                 "machine %u, this is %u)",
		                 path, (unsigned)header.e_machine, (unsigned)OWN_MACHINE);
#endif
	if (header.e_phentsize != sizeof(ElfW(Phdr)) ||
	    !inside(header.e_phoff, (uint64_t)header.e_phnum * sizeof(ElfW(Phdr)), size))
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is truncated or damaged: its program headers "
		                 "lie beyond its %zu bytes; copy or build it again",
		                 path, size);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) part;

		memcpy(&part, data + header.e_phoff + i * sizeof(part), sizeof(part));
		if (part.p_type == PT_LOAD && !inside(part.p_offset, part.p_filesz, size))
			return error_set(error, EH_E_INCOMPATIBLE,
			                 "%s is truncated: it has %zu bytes and its "
			                 "contents reach to %llu; copy or build it again",
			                 path, size,
			                 (unsigned long long)part.p_offset + part.p_filesz);
	}
	/* The table of sections is the last part of a file as linkers write it. */
	if (header.e_shnum != 0 &&
	    !inside(header.e_shoff, (uint64_t)header.e_shnum * sizeof(ElfW(Shdr)), size))
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is truncated: it has %zu bytes and its section "
		                 "headers lie beyond them; copy or build it again",
		                 path, size);
	return EH_OK;
}

eh_status object_file_trust(const char *path, char **real, eh_error *error)
{
	char *data, *place;
	size_t size;
	eh_status status = trust_read(path, TRUST_FILE, &data, &size, &place, error);

	if (status != EH_OK)
		return status;
	status = check_bytes(path, data, size, error);
	free(data);
	if (status == EH_OK && real != NULL)
		*real = place;
	else
		free(place);
	return status;
}

static bool added_by_tools(const char *name)
{
	return name[0] == '\0' || strncmp(name, "__", 2) == 0 || strcmp(name, "_init") == 0 ||
	       strcmp(name, "_fini") == 0 || strcmp(name, "_edata") == 0 ||
	       strcmp(name, "_end") == 0;
}

static bool section_at(const char *data, size_t size, const ElfW(Ehdr) *header, unsigned index,
                       ElfW(Shdr) *out)
{
	if (index >= header->e_shnum)
		return false;
	memcpy(out, data + header->e_shoff + index * sizeof(*out), sizeof(*out));
	return out->sh_type == SHT_NOBITS || inside(out->sh_offset, out->sh_size, size);
}

static void add_exports(const char *data, const ElfW(Shdr) *symbols, const ElfW(Shdr) *strings,
                        text *names, size_t *count)
{
	for (uint64_t at = 0; at + sizeof(ElfW(Sym)) <= symbols->sh_size; at += sizeof(ElfW(Sym))) {
		ElfW(Sym) symbol;
		unsigned bind;
		const char *name;

		memcpy(&symbol, data + symbols->sh_offset + at, sizeof(symbol));
		bind = ELF64_ST_BIND(symbol.st_info);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings->sh_size ||
		    (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE))
			continue;
		name = data + strings->sh_offset + symbol.st_name;
		if (memchr(name, '\0', strings->sh_size - symbol.st_name) == NULL ||
		    added_by_tools(name))
			continue;
		text_add(names, "%s%s", *count > 0 ? ", " : "", name);
		(*count)++;
	}
}

char *object_file_exports(const char *path, size_t *count)
{
	char *data;
	size_t size;
	text names = { 0 };
	ElfW(Ehdr) header;
	bool found = false;

	*count = 0;
	if (file_read(path, &data, &size, NULL) != EH_OK)
		return NULL;
	if (check_bytes(path, data, size, NULL) != EH_OK)
		goto out;
	memcpy(&header, data, sizeof(header));
	if (header.e_shentsize != sizeof(ElfW(Shdr)) ||
	    !inside(header.e_shoff, (uint64_t)header.e_shnum * sizeof(ElfW(Shdr)), size))
		goto out;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		ElfW(Shdr) symbols, strings;

		if (!section_at(data, size, &header, i, &symbols) ||
		    symbols.sh_type != SHT_DYNSYM ||
		    !section_at(data, size, &header, symbols.sh_link, &strings))
			continue;
		found = true;
		add_exports(data, &symbols, &strings, &names, count);
	}
out:
	free(data);
	if (!found) {
		text_free(&names);
		return NULL;
	}
	return names.data != NULL ? names.data : memory_text("");
}
