/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hip backend's own compiling, with the real hiprtc and without a device.
 *
 *   hip_real compile TEXT ARCHITECTURE [apart|here]   compiles; prints the size, or the error
 *   hip_real arguments CODE KERNEL                    what a code object says of a kernel
 *
 * Ends with 0 when it did, 3 when there is no hiprtc, 1 with a sentence else.
 */
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hip/hip_state.h"

static void lent_log(void *ctx, int level, const char *message)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "%s\n", message);
}

static const char *lent_option(void *ctx, const char *key)
{
	(void)ctx;
	(void)key;
	return NULL;
}

static void lent_sha256(void *ctx, const void *data, size_t size, char hex[65])
{
	unsigned char sum[SHA256_DIGEST_LENGTH];

	(void)ctx;
	(void)SHA256(data, size, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
}

static char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct stat about;
	char *text = NULL;

	if (file != NULL && fstat(fileno(file), &about) == 0)
		text = malloc((size_t)about.st_size + 1);
	if (text != NULL) {
		*size = fread(text, 1, (size_t)about.st_size, file);
		text[*size] = '\0';
	}
	if (file != NULL)
		(void)fclose(file);
	return text;
}

static int compile(const char *text, const char *architecture, bool apart)
{
	static const eh_host host = { .struct_size = sizeof(host), .abi_major = EH_ABI_MAJOR,
		.abi_minor = EH_ABI_MINOR, .log = lent_log, .option = lent_option,
		.sha256 = lent_sha256 };
	const eh_source source = { .struct_size = sizeof(source), .name = "real", .prelude = "",
		.body = text, .digest = "0" };
	hip_self self = { .host = &host, .compile_apart = apart };
	eh_device device = { .self = &self, .api = &self.api };
	eh_program program = { .device = &device };
	eh_error error = { .struct_size = sizeof(error) };
	char log[4000] = "";
	bool present = false;
	int rc = 1;

	if (hip_api_open(&self.api, &host, NULL, &present, &error) != EH_OK ||
	    hip_api_open_hiprtc(&self.hiprtc, &host, &self.api, NULL, &error) != EH_OK) {
		printf("%s\n", error.message);
		return 3;
	}
	snprintf(device.architecture, sizeof(device.architecture), "%s", architecture);
	if (hip_compile(&device, &source, &program, log, sizeof(log), &error) == EH_OK) {
		printf("%zu bytes\n", program.code_size);
		rc = 0;
	} else {
		printf("%s\n%s\n", error.message, log);
	}
	free(program.code);
	return rc;
}

int main(int argc, char **argv)
{
	size_t size = 0;
	char *data = argc >= 4 ? read_all(argv[2], &size) : NULL;
	int rc = 2;

	if (data != NULL && strcmp(argv[1], "compile") == 0) {
		rc = compile(data, argv[3], argc < 5 || strcmp(argv[4], "apart") == 0);
	} else if (data != NULL && strcmp(argv[1], "arguments") == 0) {
		printf("%lld\n", (long long)hip_metadata_arguments(data, size, argv[3]));
		rc = 0;
	} else {
		fprintf(stderr, "usage: hip_real compile TEXT ARCHITECTURE | arguments CODE KERNEL\n");
	}
	free(data);
	return rc;
}
