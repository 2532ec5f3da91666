/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

struct digest {
	EVP_MD_CTX *context;
};

/* libcrypto fails here only without memory or without its default provider. */
static void insist(int ok)
{
	if (ok == 1)
		return;
	fputs("evenhand: error: libcrypto cannot compute SHA-256: the memory that this process may have is "
	      "used up, or its default provider is disabled in openssl.cnf\n", stderr);
	_exit(EXIT_CODE_ENVIRONMENT);
}

void digest_hex(const unsigned char *bytes, size_t size, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * size] = '\0';
}

/* Fetched once: a fetch takes longer than the digest of a short text. */
static EVP_MD *sha256;
static pthread_once_t sha256_once = PTHREAD_ONCE_INIT;

static void drop_sha256(void)
{
	EVP_MD_free(sha256);
}

static void find_sha256(void)
{
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	(void)atexit(drop_sha256);
}

digest *digest_new(void)
{
	digest *d = memory_get(sizeof(*d));

	d->context = EVP_MD_CTX_new();
	insist(d->context != NULL);
	insist(pthread_once(&sha256_once, find_sha256) == 0 && sha256 != NULL);
	insist(EVP_DigestInit_ex(d->context, sha256, NULL));
	return d;
}

void digest_add(digest *d, const void *data, size_t size)
{
	if (size > 0)
		insist(EVP_DigestUpdate(d->context, data, size));
}

void digest_end(digest *d, char hex[65])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];

	insist(EVP_DigestFinal_ex(d->context, bytes, NULL));
	EVP_MD_CTX_free(d->context);
	free(d);
	digest_hex(bytes, 32, hex);
}

void digest_bytes(const void *data, size_t size, char hex[65])
{
	digest *d = digest_new();

	digest_add(d, data, size);
	digest_end(d, hex);
}

eh_status digest_file(const char *path, char hex[65], eh_error *error)
{
	enum { CHUNK = 1 << 18 };
	unsigned char *chunk;
	char digits[65];
	digest *d;
	ssize_t got;
	int fd;
	eh_status status = file_open(path, SIZE_MAX, &fd, error);

	if (status != EH_OK)
		return status;
	chunk = memory_get(CHUNK);
	d = digest_new();
	while ((got = read(fd, chunk, CHUNK)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		digest_add(d, chunk, (size_t)got);
	}
	int failure = errno;

	digest_end(d, digits);
	free(chunk);
	close(fd);
	if (got < 0)
		return error_system(error, failure, "cannot read '%s'", path);
	for (size_t i = 0; i < sizeof(digits); i++)
		hex[i] = digits[i];
	return EH_OK;
}
