/* numpy_float.h - floating-point numbers as numpy prints them, alone and in columns. Knows no Lua.
 *
 * Digits are the fewest that identify the value among those of its type; in arrays at most 8 behind the point. In an array all
 * numbers share one layout: positional, or with exponents when the values differ too much in size.
 */
#ifndef MFL_BIND_NUMPY_FLOAT_H
#define MFL_BIND_NUMPY_FLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensor/dtype.h"

enum { MFL_FLOAT_TEXT = 400 };   /* the longest positional text: 309 digits, a point, 17 more */

/* The layout of a column. Filled in two passes: mfl_column_see over all values, mfl_column_decide, then mfl_column_measure over
 * all values. */
typedef struct mfl_column {
  mf_dtype type;            /* float16, float32 or float64 (parts of complex numbers, too) */
  bool plus;                /* positive numbers get a '+' (imaginary parts) */
  bool exponents;
  bool any, any_nonzero, any_nonfinite, any_negative_inf;
  double least, greatest;   /* of the absolute values that are finite and not 0 */
  int left, right;          /* characters before and behind the point */
  int exponent_size;
} mfl_column;

void mfl_column_see(mfl_column *c, double value);
void mfl_column_decide(mfl_column *c);
void mfl_column_measure(mfl_column *c, double value);
/* After measuring: room for nan and inf. */
void mfl_column_finish(mfl_column *c);
/* Writes the padded number; returns its length. */
int mfl_column_text(const mfl_column *c, double value, char text[MFL_FLOAT_TEXT]);

/* A number alone, as str(numpy.float32(x)): "1.0", "1e+20". `complex_part`: without ".0". */
int mfl_float_text(mf_dtype type, double value, bool complex_part, char text[MFL_FLOAT_TEXT]);

#endif
