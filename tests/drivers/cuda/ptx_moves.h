/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that move, convert, compare and jump, one emitter each. */
#ifndef PTX_MOVES_H
#define PTX_MOVES_H

#include "ptx_inside.h"

void ptx_emit_setp(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_mov(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_cvt(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_cvta(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_ld(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_st(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_atom(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_bra(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_ret(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_trap(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_bar(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
void ptx_emit_nothing(ptx_text *t, const ptx_instruction *i, const ptx_type *type);

#endif
