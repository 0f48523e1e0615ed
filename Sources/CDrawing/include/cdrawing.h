// What deckhand-draw sees of cairo, pango and gdk-pixbuf, and the two things about its own process that only C can ask
// for. Invariant: nothing else in the package includes these libraries; they stay out of the shell's process.

#ifndef CDRAWING_H
#define CDRAWING_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <hb-ot.h>
#include <malloc.h>
#include <pango/pangocairo.h>

/// Forbids this process for good, from here on: the network, other programs and processes, and opening a file for
/// writing or changing a name in a folder; each of them fails with EPERM. Returns 0, or -1 where the kernel cannot.
int cdrawing_drop_rights(void);

#endif
