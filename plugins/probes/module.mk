# One shared object per folder with sources, but shared/, which every probe is linked with.  They
# are built from headers of their own alone, wherever a C compiler is.
probe_names := $(filter-out shared,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard $(srcdir)/plugins/probes/*/*.c))))))
probe_shared := $(sort $(wildcard $(srcdir)/plugins/probes/shared/*.c))
OBJECTS += $(call objects,$(probe_shared))
$(call objects,$(probe_shared)): private CORE_CPPFLAGS :=
$(foreach p,$(probe_names),$(eval $(call plugin_rule,$(p),$(sort $(wildcard $(srcdir)/plugins/probes/$(p)/*.c)),probes,,$(LIBS))))
$(probe_names:%=lib/evenhand/probes/%.so): $(call objects,$(probe_shared))
