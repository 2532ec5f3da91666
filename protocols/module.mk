# Released protocols are data; they are never edited after a release.
protocol_files := $(sort $(wildcard $(srcdir)/protocols/*.ini))
DATA += $(addprefix share/evenhand/protocols/,$(notdir $(protocol_files)))
share/evenhand/protocols/%.ini: $(srcdir)/protocols/%.ini
	$(folder)
	$(copy)

claim_files := $(sort $(wildcard $(srcdir)/protocols/claims/*.ini))
DATA += $(addprefix share/evenhand/claims/,$(notdir $(claim_files)))
share/evenhand/claims/%.ini: $(srcdir)/protocols/claims/%.ini
	$(folder)
	$(copy)
