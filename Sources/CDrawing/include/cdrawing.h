// The interface of deckhand-draw to cairo, pango and gdk-pixbuf, and to giving up its rights.
// Invariant: nothing else in the package includes these libraries; they stay out of the shell's process.

#ifndef CDRAWING_H
#define CDRAWING_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <hb-ot.h>
#include <malloc.h>
#include <pango/pangocairo.h>

#include "confine.h"

#endif
