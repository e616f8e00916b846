/* type_sets.h - the sets of element types that TensorFlow's OpDefs of arithmetic allow, as attribute text.
 *
 * Each is the complete attribute item "T: {...}"; entries put them into .attrs. The order of types has no meaning.
 * An op whose set occurs once spells it in its own file.
 */
#ifndef MF_OPS_MATH_TYPE_SETS_H
#define MF_OPS_MATH_TYPE_SETS_H

/* Everything numeric (AddV2, Mul, RealDiv ...). */
#define MFI_T_NUMERIC                                                                                          \
  "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, " \
  "complex128}"
/* Numbers with an order (Less, Maximum, Relu ...). */
#define MFI_T_REAL "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64}"
/* Integers (BitwiseAnd ...). */
#define MFI_T_INTEGER "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}"
/* Floating point and complex (Exp, Sqrt ...). */
#define MFI_T_FLOAT_COMPLEX "T: {bfloat16, half, float, double, complex64, complex128}"
/* Floating point (Erf, Softmax ...). */
#define MFI_T_FLOAT "T: {bfloat16, half, float, double}"
/* Signed numbers (Abs), and those with complex ones (Neg, Sign, Reciprocal ...). */
#define MFI_T_SIGNED "T: {bfloat16, half, float, double, int8, int16, int32, int64}"
#define MFI_T_SIGNED_COMPLEX "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
/* numbertype of REGISTER_OP with every quantised type (Sum, AddN, ClipByValue ...), without the closing brace. */
#define MFI_T_ALL_NUMBERS_OPEN                                                                             \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, uint16, complex128, half, uint32, uint64"
#define MFI_T_ALL_NUMBERS MFI_T_ALL_NUMBERS_OPEN "}"
/* The real ones among them (Max, ArgMax ...), without the closing brace. */
#define MFI_T_ORDERED_NUMBERS_OPEN                                                                         \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, " \
  "qint32, qint16, quint16"

#endif
