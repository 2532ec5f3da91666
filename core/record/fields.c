/* SPDX-License-Identifier: Apache-2.0 */
#include "record/fields.h"

#include <string.h>

#include "base/text.h"

#define YES true
#define NO false
#define DRIVER_REMEDY "install the driver of the device and check its rights (evenhand devices)"
#define PROC_REMEDY "needs /proc and /sys of the host, which a container may hide"

static const disclosure_field fields[] = {
	{ "device.name", "device", "name", NULL, YES, NO, DRIVER_REMEDY },
	{ "device.memory", "device", "memory_bytes", NULL, YES, NO, DRIVER_REMEDY },
	{ "device.compute-units", "device", "compute_units", NULL, NO, NO, DRIVER_REMEDY },
	{ "device.uuid", "device", "uuid", NULL, NO, YES, DRIVER_REMEDY },
	{ "device.pci", "device", "pci", NULL, NO, YES, DRIVER_REMEDY },
	{ "hardware.model", "device", "name", NULL, NO, NO, DRIVER_REMEDY },
	{ "hardware.ecc", "hardware", "ecc", "hardware-ecc", YES, NO,
	  "needs the EDAC driver of the host, or the management library of the device" },
	{ "hardware.partition", "hardware", "partition", "hardware-partition", NO, NO,
	  "needs the management library of the device" },
	{ "hardware.clocks", "hardware", "clock-max-mhz", "hardware-clocks", YES, NO,
	  "needs cpufreq in /sys, or a driver that tells the clock" },
	{ "hardware.power-cap", "hardware", "power-cap-watts", "hardware-power-cap", YES, NO,
	  "needs powercap (RAPL) or hwmon in /sys, readable for this user" },
	{ "interconnect.link", "interconnect", "max-link-speed|link", "interconnect-link", NO, NO,
	  "needs the device's PCI address and /sys/bus/pci" },
	{ "interconnect.numa", "interconnect", "numa-node", "interconnect-numa", NO, NO,
	  "needs the device's PCI address and /sys/bus/pci" },
	{ "firmware.version", "firmware", "version", "firmware-version", YES, NO,
	  "needs /sys/class/dmi, or the management library of the device" },
	{ "driver.version", "driver", "version", NULL, YES, YES, DRIVER_REMEDY },
	{ "runtime.version", "runtime", "version|sha256", NULL, YES, YES, DRIVER_REMEDY },
	{ "runtime.sha256", "runtime", "sha256", NULL, NO, YES,
	  "the file of the runtime has to be readable" },
	{ "compiler.version", "compiler", "version", NULL, YES, NO,
	  "install a compiler that tells its version" },
	{ "compiler.flags", "compiler", "flags", NULL, YES, NO,
	  "use a backend that tells the flags it compiles with" },
	{ "compiler.sha256", "compiler", "sha256", NULL, NO, NO,
	  "the file of the compiler has to be readable" },
	{ "library.version", "library", "version", NULL, NO, NO,
	  "use a backend that tells the libraries it calls" },
	{ "harness.commit", "harness", "commit", NULL, YES, NO,
	  "build evenhand from a commit of its repository" },
	{ "harness.sha256", "harness", "sha256", NULL, NO, NO,
	  "the program's file has to be readable" },
	{ "os.version", "operating-system", "version", NULL, YES, NO, PROC_REMEDY },
	{ "os.libc", "operating-system", "libc", NULL, NO, NO, PROC_REMEDY },
	{ "host.cpu", "hardware", "vendor", NULL, NO, NO, PROC_REMEDY },
	{ "host.microcode", "hardware", "microcode", "host-microcode", YES, NO, PROC_REMEDY },
	{ "host.governor", "host", "frequency-governor", "host-governor", YES, NO,
	  "needs cpufreq in /sys, which virtual machines rarely have" },
	{ "host.turbo", "host", "turbo", "host-turbo", NO, NO,
	  "needs cpufreq in /sys, which virtual machines rarely have" },
	{ "host.virtualization", "host", "virtualization", NULL, YES, NO, PROC_REMEDY },
	{ "host.container", "host", "container", NULL, YES, NO, PROC_REMEDY },
	{ "host.mitigations", "host", "mitigations", NULL, NO, NO, PROC_REMEDY },
	{ "host.clock-source", "host", "clock-source", NULL, NO, NO, PROC_REMEDY },
	{ "site.cooling", "site", "cooling", "cooling", YES, NO, "only you know it" },
	{ "site.power-policy", "site", "power-policy", "power-policy", YES, NO, "only you know it" },
	{ "site.price", "site", "price", "price", NO, NO, "only you know it" },
	{ "site.ambient", "site", "ambient", "ambient", NO, NO, "only you know it" },
	{ "site.location", "site", "location", "location", NO, NO, "only you know it" },
	{ "site.notes", "site", "notes", "notes", NO, NO, "only you know it" },
	{ "who.tester", "who", "tester", "tester", YES, NO, "set EVENHAND_TESTER" },
	{ "who.party", "who", "party", "party", YES, NO, "set EVENHAND_PARTY" },
	{ "who.sponsor", "who", "sponsor", "sponsor", NO, NO, "set EVENHAND_SPONSOR" },
};
#define COUNT (sizeof(fields) / sizeof(*fields))

size_t disclosure_fields(const disclosure_field **out)
{
	*out = fields;
	return COUNT;
}

const disclosure_field *disclosure_field_find(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

const char *disclosure_field_near(const char *name)
{
	const char *names[COUNT];

	for (size_t i = 0; i < COUNT; i++)
		names[i] = fields[i].name;
	return text_nearest(name, names, COUNT);
}
