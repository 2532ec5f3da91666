/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/trust.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Whether the group is the owner's private group: it has the owner's name, is the owner's primary
 * group, lists no other member, and is not the primary group of another account.  The name is
 * compared because accounts are not listed as members of their primary group, and some directory
 * services do not enumerate accounts. */
static bool group_is_private(uid_t owner, gid_t gid)
{
	const struct passwd *account = getpwuid(owner);
	const struct group *group = getgrgid(gid);
	char *name;
	bool alone;

	if (account == NULL || group == NULL || account->pw_gid != gid ||
	    strcmp(account->pw_name, group->gr_name) != 0)
		return false;
	name = memory_text(account->pw_name); /* the next call overwrites the account */
	alone = true;
	for (char **member = group->gr_mem; alone && *member != NULL; member++)
		alone = strcmp(*member, name) == 0;
	setpwent();
	while (alone && (account = getpwent()) != NULL)
		alone = account->pw_gid != gid || account->pw_uid == owner;
	endpwent();
	free(name);
	return alone;
}

static eh_status trust_stat(const char *path, const struct stat *info, eh_error *error)
{
	if (info->st_uid != 0 && info->st_uid != geteuid())
		return error_set(error, EH_E_UNAVAILABLE,
		                 "%s is not used because it belongs to user %u: only "
		                 "what root or this user (%u) owns is loaded",
		                 path, (unsigned)info->st_uid, (unsigned)geteuid());
	if ((info->st_mode & S_IWOTH) != 0 ||
	    ((info->st_mode & S_IWGRP) != 0 && info->st_gid != 0 &&
	     !group_is_private(info->st_uid, info->st_gid)))
		return error_set(error, EH_E_UNAVAILABLE,
		                 "%s is not used because others can write to it: run "
		                 "chmod go-w on it",
		                 path);
	return EH_OK;
}

eh_status trust_folder(const char *path, eh_error *error)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return error_system(error, errno, "cannot look at the folder %s", path);
	if (!S_ISDIR(info.st_mode))
		return error_set(error, EH_E_UNAVAILABLE, "%s is not a folder", path);
	return trust_stat(path, &info, error);
}

static eh_status trust_folder_of(const char *path, eh_error *error)
{
	char *folder = memory_text(path);
	char *slash = strrchr(folder, '/');
	eh_status status;

	if (slash == NULL)
		status = trust_folder(".", error);
	else {
		slash[slash == folder ? 1 : 0] = '\0';
		status = trust_folder(folder, error);
	}
	free(folder);
	return status;
}

eh_status trust_file(const char *path, eh_error *error)
{
	struct stat info;
	char *real;
	eh_status status;

	if (stat(path, &info) != 0)
		return error_system(error, errno, "cannot look at %s", path);
	if (!S_ISREG(info.st_mode))
		return error_set(error, EH_E_INCOMPATIBLE, "%s is not a regular file", path);
	status = trust_folder_of(path, error);
	if (status == EH_OK)
		status = trust_stat(path, &info, error);
	if (status != EH_OK)
		return status;
	real = realpath(path, NULL);
	if (real == NULL)
		return error_system(error, errno, "cannot follow %s", path);
	status = trust_folder_of(real, error);
	free(real);
	return status;
}
