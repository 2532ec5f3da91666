/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lastwords.h"

#include <string.h>

#include "base/text.h"

void last_words_add(last_words *words, const char *data, size_t size)
{
	size_t room = sizeof(words->bytes) - 1;

	if (size >= room) {
		memcpy(words->bytes, data + size - room, room);
		words->size = room;
		return;
	}
	if (words->size + size > room) {
		size_t drop = words->size + size - room;

		memmove(words->bytes, words->bytes + drop, words->size - drop);
		words->size -= drop;
	}
	memcpy(words->bytes + words->size, data, size);
	words->size += size;
}

void last_words_tell(last_words *words, char *out, size_t size)
{
	size_t from = 0, n = 0;

	if (words->size == sizeof(words->bytes) - 1) {
		while (from < words->size && words->bytes[from] != '\n' && from < 128)
			from++;
		if (from == 128)
			for (from = 0; from < words->size && ((unsigned char)words->bytes[from] & 0xc0) == 0x80;)
				from++;
	}
	for (size_t i = 0; i < words->size; i++)
		if (words->bytes[i] == '\0')
			words->bytes[i] = ' ';
	text_clean(words->bytes);
	for (; from < words->size && n + 1 < size; from++)
		if (words->bytes[from] != ' ' || (n > 0 && out[n - 1] != ' '))
			out[n++] = words->bytes[from];
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}
