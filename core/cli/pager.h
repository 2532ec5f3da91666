/* SPDX-License-Identifier: Apache-2.0 */
/* Where stdout is a terminal, what a command prints is held in a file until it is done.  A page that is
 * longer than the screen is then shown by the pager: EVENHAND_PAGER, else PAGER, else less.  Nothing is lost
 * by a pager that is missing, fails or is left early, since the file has all of it. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

/* There is to be no pager (--no-pager). */
void pager_refuse(void);
/* From here stdout is held.  Nothing happens where it is no terminal, where no pager is wanted (an empty one,
 * cat, TERM=dumb), and where a temporary file cannot be made. */
void pager_hold(void);
/* Shows what is held so far, so that a message on stderr comes behind it.  stdout stays held. */
void pager_show(void);
/* Shows the rest; stdout is the terminal again. */
void pager_release(void);

#endif
