/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/audit_key.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/fresh.h"
#include "base/text.h"
#include "base/trust.h"

enum { PUBLIC_SIZE = 32, KEY_HEX = 2 * PUBLIC_SIZE, SIGNATURE_SIZE = 64, LONGEST_NAME = 64 };

struct audit_key {
	char *name;
	EVP_PKEY *pair;
	audit_public public_key;
};

/* ---- names and folders ----------------------------------------------------------------------- */

char *audit_folder(const char *sub)
{
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	/* The XDG specification: relative paths are ignored. */
	if (base != NULL && base[0] == '/')
		return memory_format("%s/evenhand/%s", base, sub);
	if (home != NULL && home[0] == '/')
		return memory_format("%s/.config/evenhand/%s", home, sub);
	return NULL;
}

bool audit_name_ok(const char *name)
{
	size_t size = strlen(name);

	return size > 0 && size <= LONGEST_NAME && name[0] != '.' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] == '\0';
}

eh_status audit_key_path(const char *sub, const char *name, const char *suffix, char **out,
                         eh_error *error)
{
	char *folder;

	if (!audit_name_ok(name))
		return error_set(error, EH_E_USAGE, "'%.80s' is not a valid key name: use up to %d small "
		                 "letters, digits, '-', '_' and '.'", name, LONGEST_NAME);
	folder = audit_folder(sub);
	if (folder == NULL)
		return error_set(error, EH_E_IO, "there is no folder for keys: set HOME or "
		                 "XDG_CONFIG_HOME");
	*out = memory_format("%s/%s%s", folder, name, suffix);
	free(folder);
	return EH_OK;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Exactly 2 * size lower-case digits, so that a value has one spelling. */
static bool from_hex(const char *hex, unsigned char *bytes, size_t size)
{
	return strlen(hex) == 2 * size && strspn(hex, "0123456789abcdef") == 2 * size &&
	       OPENSSL_hexstr2buf_ex(bytes, size, NULL, hex, '\0') == 1;
}

bool audit_public_of(const char *hex, audit_public *out)
{
	unsigned char bytes[PUBLIC_SIZE];

	if (!from_hex(hex, bytes, sizeof(bytes)))
		return false;
	digest_hex(bytes, sizeof(bytes), out->key);
	digest_bytes(bytes, sizeof(bytes), out->fingerprint);
	return true;
}

static eh_status public_of(EVP_PKEY *pair, const char *path, audit_public *out, eh_error *error)
{
	unsigned char bytes[PUBLIC_SIZE];
	size_t size = sizeof(bytes);
	char hex[KEY_HEX + 1];

	if (EVP_PKEY_get_base_id(pair) != EVP_PKEY_ED25519 ||
	    EVP_PKEY_get_raw_public_key(pair, bytes, &size) != 1 || size != sizeof(bytes))
		return error_set(error, EH_E_FORMAT, "%s: this is not an Ed25519 key", path);
	digest_hex(bytes, sizeof(bytes), hex);
	(void)audit_public_of(hex, out);
	return EH_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

static eh_status write_all(int fd, const char *path, const char *data, size_t size, eh_error *error)
{
	for (size_t done = 0; done < size;) {
		ssize_t step = write(fd, data + done, size - done);

		if (step < 0 && errno != EINTR)
			return error_system(error, errno, "cannot write '%s'", path);
		done += step > 0 ? (size_t)step : 0;
	}
	if (fsync(fd) != 0)
		return error_system(error, errno, "cannot write '%s'", path);
	return EH_OK;
}

eh_status audit_key_file(const char *path, mode_t mode, const char *data, size_t size, eh_error *error)
{
	fresh f;
	eh_status status = fresh_open(&f, path, error);

	if (status != EH_OK)
		return status;
	f.mode = mode;
	/* It is empty yet, and its name is random. */
	if (fchmod(f.fd, mode) != 0)
		status = error_system(error, errno, "cannot write '%s'", path);
	if (status == EH_OK)
		status = write_all(f.fd, path, data, size, error);
	if (status == EH_OK)
		status = fresh_place(&f, false, error);
	if (status == EH_OK)
		close(f.fd);
	else
		fresh_drop(&f);
	return status;
}

static eh_status write_new(const char *path, mode_t mode, BIO *body, eh_error *error)
{
	char *data;
	long size = BIO_get_mem_data(body, &data);

	return audit_key_file(path, mode, data, (size_t)size, error);
}

eh_status audit_key_folder(const char *sub, eh_error *error)
{
	char *folder = audit_folder(sub);
	eh_status status;

	if (folder == NULL)
		return error_set(error, EH_E_IO, "there is no folder for keys: set HOME or "
		                 "XDG_CONFIG_HOME");
	status = trust_place(folder, "cannot make the folder", 0700, NULL, NULL, error);
	if (status == EH_OK)
		status = trust_open(folder, TRUST_FOLDER, NULL, NULL, error);
	free(folder);
	return status;
}

static eh_status write_private(const char *path, EVP_PKEY *pair, const char *passphrase,
                               eh_error *error)
{
	bool locked = passphrase != NULL && passphrase[0] != '\0';
	BIO *body = BIO_new(BIO_s_mem());
	eh_status status;

	if (body == NULL ||
	    PEM_write_bio_PKCS8PrivateKey(body, pair, locked ? EVP_aes_256_cbc() : NULL,
	                                  locked ? passphrase : NULL,
	                                  locked ? (int)strlen(passphrase) : 0, NULL, NULL) != 1)
		status = error_set(error, EH_E_NO_MEMORY, "libcrypto could not write the key");
	else
		status = write_new(path, 0600, body, error);
	BIO_free(body);
	return status;
}

static eh_status write_public(const char *path, EVP_PKEY *pair, const char *name,
                              const char *comment, eh_error *error)
{
	BIO *body = BIO_new(BIO_s_mem());
	char *line = memory_format("evenhand key %s%s%s\n", name, comment != NULL ? ": " : "",
	                           comment != NULL ? comment : "");
	eh_status status;
	size_t i;

	/* The comment is one line. */
	for (i = 0; line[i] != '\0' && line[i + 1] != '\0'; i++)
		if ((unsigned char)line[i] < 0x20)
			line[i] = ' ';
	if (body == NULL || BIO_puts(body, line) <= 0 || PEM_write_bio_PUBKEY(body, pair) != 1)
		status = error_set(error, EH_E_NO_MEMORY, "libcrypto could not write the key");
	else
		status = write_new(path, 0644, body, error);
	BIO_free(body);
	free(line);
	return status;
}

/* A name with one file of the pair is that of a command that was interrupted. */
static eh_status refuse_taken(const char *path, const char *public_path, eh_error *error)
{
	bool one = file_exists(path), other = file_exists(public_path);

	if (one && other)
		return error_set(error, EH_E_USAGE, "%s already exists; a key is never overwritten: "
		                 "choose another name", path);
	if (one || other)
		return error_set(error, EH_E_USAGE, "%s already exists, without the other half of the pair, "
		                 "and is never overwritten: remove it if an interrupted command left it, or "
		                 "choose another name", one ? path : public_path);
	return EH_OK;
}

eh_status audit_key_make(const char *name, const char *comment, const char *passphrase,
                         audit_public *made, eh_error *error)
{
	char *path = NULL;
	char *public_path = NULL;
	EVP_PKEY *pair = NULL;
	eh_status status = audit_key_path("keys", name, ".pem", &path, error);

	if (status == EH_OK)
		status = audit_key_path("keys", name, ".pub", &public_path, error);
	if (status == EH_OK)
		status = audit_key_folder("keys", error);
	if (status == EH_OK)
		status = refuse_taken(path, public_path, error);
	if (status == EH_OK) {
		pair = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
		if (pair == NULL)
			status = error_set(error, EH_E_UNSUPPORTED, "libcrypto cannot make an Ed25519 key");
	}
	if (status == EH_OK)
		status = public_of(pair, path, made, error);
	if (status == EH_OK)
		status = write_private(path, pair, passphrase, error);
	if (status == EH_OK) {
		status = write_public(public_path, pair, name, comment, error);
		/* Half a pair would block its name. */
		if (status != EH_OK)
			(void)unlink(path);
	}
	EVP_PKEY_free(pair);
	free(public_path);
	free(path);
	return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

typedef struct asking { const char *path; bool asked; } asking;

static int ask_passphrase(char *out, int room, int writing, void *context)
{
	asking *a = context;
	const char *given = getenv("EVENHAND_KEY_PASSPHRASE");
	char prompt[256];
	size_t size;

	a->asked = true;
	if (given == NULL) {
		snprintf(prompt, sizeof(prompt), "passphrase of %.200s: ", a->path);
		if (!isatty(STDIN_FILENO) ||
		    EVP_read_pw_string_min(out, 0, room, prompt, writing) != 0)
			return -1;
		return (int)strlen(out);
	}
	size = strlen(given);
	if (size > (size_t)room)
		return -1;
	memcpy(out, given, size);
	return (int)size;
}

static eh_status read_private(const char *path, char **data, size_t *size, eh_error *error)
{
	if (!file_exists(path))
		return error_set(error, EH_E_NOT_FOUND, "there is no key %s; `evenhand key new` makes one, "
		                 "`evenhand key list` lists them", path);
	return trust_read(path, TRUST_SECRET, data, size, NULL, error);
}

eh_status audit_key_open(const char *name, audit_key **out, eh_error *error)
{
	char *path = NULL;
	char *data = NULL;
	size_t size;
	EVP_PKEY *pair = NULL;
	audit_public public_key;
	asking a = { NULL, false };
	eh_status status = EH_OK;

	if (strchr(name, '/') != NULL)
		path = memory_text(name);
	else
		status = audit_key_path("keys", name, ".pem", &path, error);
	if (status == EH_OK)
		status = read_private(path, &data, &size, error);
	if (status == EH_OK) {
		BIO *body = BIO_new_mem_buf(data, (int)(size > 65536 ? 65536 : size));

		a.path = path;
		pair = body != NULL ? PEM_read_bio_PrivateKey(body, NULL, ask_passphrase, &a) : NULL;
		BIO_free(body);
		if (pair == NULL)
			status = error_set(error, EH_E_FORMAT, "%s: %s", path, a.asked ?
			                   "the passphrase does not open it (EVENHAND_KEY_PASSPHRASE, or "
			                   "typed at a terminal)" : "this is not a private key in PEM");
		OPENSSL_cleanse(data, size);
	}
	if (status == EH_OK)
		status = public_of(pair, path, &public_key, error);
	if (status == EH_OK) {
		*out = memory_get(sizeof(**out));
		(*out)->name = memory_text(name);
		(*out)->pair = pair;
		(*out)->public_key = public_key;
		pair = NULL;
	}
	EVP_PKEY_free(pair);
	free(data);
	free(path);
	return status;
}

const audit_public *audit_key_public(const audit_key *key)
{
	return &key->public_key;
}

const char *audit_key_name(const audit_key *key)
{
	return key->name;
}

void audit_key_close(audit_key *key)
{
	if (key == NULL)
		return;
	EVP_PKEY_free(key->pair);
	free(key->name);
	free(key);
}

/* The DER form of an Ed25519 public key is these bytes and the key itself: RFC 8410, section 4.  Read
 * here, because PEM_read_bio_PUBKEY looks through all decoders of OpenSSL 3 for every key of a keyring,
 * three quarters of the time of comparing small results. */
static const unsigned char public_prefix[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
	                                       0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };

static eh_status public_of_pem(const char *data, size_t size, const char *path, audit_public *out,
                               eh_error *error)
{
	BIO *body = BIO_new_mem_buf(data, (int)(size > 65536 ? 65536 : size));
	char *name = NULL, *header = NULL;
	char hex[KEY_HEX + 1];
	unsigned char *der = NULL;
	long length = 0;
	eh_status status = EH_OK;

	if (body == NULL || PEM_read_bio(body, &name, &header, &der, &length) != 1 ||
	    strcmp(name, PEM_STRING_PUBLIC) != 0) {
		status = error_set(error, EH_E_FORMAT, "%s: this is not a public key in PEM; `evenhand key "
		                   "new` writes one as NAME.pub", path);
	} else if (length != sizeof(public_prefix) + PUBLIC_SIZE ||
	           memcmp(der, public_prefix, sizeof(public_prefix)) != 0) {
		status = error_set(error, EH_E_FORMAT, "%s: this is not an Ed25519 key", path);
	} else {
		digest_hex(der + sizeof(public_prefix), PUBLIC_SIZE, hex);
		(void)audit_public_of(hex, out);
	}
	OPENSSL_free(name);
	OPENSSL_free(header);
	OPENSSL_free(der);
	BIO_free(body);
	return status;
}

eh_status audit_public_own(const char *path, audit_public *out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status = trust_read(path, TRUST_FILE, &data, &size, NULL, error);

	if (status != EH_OK)
		return status;
	status = public_of_pem(data, size, path, out, error);
	free(data);
	return status;
}

static eh_status public_of_file(const char *path, audit_public *out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status;

	if (!file_exists(path) && audit_name_ok(path))
		return error_set(error, EH_E_NOT_FOUND, "there is no key or file '%s'; `evenhand key "
		                 "list` shows the keys", path);
	status = file_read(path, &data, &size, error);
	if (status != EH_OK)
		return status;
	status = public_of_pem(data, size, path, out, error);
	free(data);
	return status;
}

eh_status audit_public_read(const char *path, audit_public *out, eh_error *error)
{
	char *own = NULL;
	eh_status status;

	if (!file_exists(path) && audit_name_ok(path) &&
	    audit_key_path("keys", path, ".pub", &own, NULL) == EH_OK && file_exists(own))
		status = audit_public_own(own, out, error);
	else
		status = public_of_file(path, out, error);
	free(own);
	return status;
}

/* ---- signing --------------------------------------------------------------------------------- */

eh_status audit_sign_bytes(const audit_key *key, const void *data, size_t size,
                           char hex[AUDIT_SIGNATURE_HEX + 1], eh_error *error)
{
	unsigned char bytes[SIGNATURE_SIZE];
	size_t got = sizeof(bytes);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok = context != NULL &&
	          EVP_DigestSignInit(context, NULL, NULL, NULL, key->pair) == 1 &&
	          EVP_DigestSign(context, bytes, &got, data, size) == 1 && got == sizeof(bytes);

	EVP_MD_CTX_free(context);
	if (!ok)
		return error_set(error, EH_E_UNSUPPORTED, "libcrypto could not sign");
	digest_hex(bytes, sizeof(bytes), hex);
	return EH_OK;
}

bool audit_verify_bytes(const audit_public *key, const void *data, size_t size, const char *hex)
{
	unsigned char bytes[PUBLIC_SIZE];
	unsigned char signature[SIGNATURE_SIZE];
	EVP_MD_CTX *context;
	EVP_PKEY *pair;
	bool ok;

	if (!from_hex(key->key, bytes, sizeof(bytes)) || !from_hex(hex, signature, sizeof(signature)))
		return false;
	pair = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, sizeof(bytes));
	context = EVP_MD_CTX_new();
	ok = pair != NULL && context != NULL &&
	     EVP_DigestVerifyInit(context, NULL, NULL, NULL, pair) == 1 &&
	     EVP_DigestVerify(context, signature, sizeof(signature), data, size) == 1;
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(pair);
	return ok;
}
