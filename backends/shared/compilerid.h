/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a compiler that is made of libraries, for the keys of kernel caches: a version
 * stays the same when a file is replaced. */
#ifndef SHARED_COMPILERID_H
#define SHARED_COMPILERID_H

#include "vendorlib.h"

/*
 * The SHA-256 over the files of an open library and of its helpers; "" when one cannot be read.  A
 * helper (the list ends with NULL) is a file of that name beside the library, and every object of
 * this process whose file name begins so.  Reads the files whole: call it once.
 */
void compilerid_of(const vendorlib *library, const eh_host *host, const char *const helpers[],
                   char hex[65]);

#endif
