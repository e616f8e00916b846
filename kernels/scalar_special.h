/* scalar_special.h - special functions: lgamma, digamma, erfinv, ndtri, polygamma, zeta. Part of scalar.h, which
 * includes it.
 *
 * All are computed in double and rounded once for float. Corner cases are TensorFlow's: digamma and polygamma at
 * poles, zeta below 1 and at whole q <= 0.
 */
#ifndef MF_KERNELS_SCALAR_SPECIAL_H
#define MF_KERNELS_SCALAR_SPECIAL_H

#define MFS_PI 3.14159265358979323846
#define MFS_NAN ((double)NAN)
#define MFS_INF ((double)INFINITY)

/* log |Gamma(x)|. The C library's lgamma writes a global sign, so the host takes the reentrant one. */
MFS_FN double MFS_NAME(lgamma, f64)(double x) {
#if defined(__CUDA_ARCH__) || !defined(__GLIBC__)
  return lgamma(x);
#else
  int sign;
  return lgamma_r(x, &sign);
#endif
}
MFS_FN float MFS_NAME(lgamma, f32)(float x) { return (float)MFS_NAME(lgamma, f64)((double)x); }

/* For x > 0: recurrence up to 10, then log(x) - 1/(2x) - sum of B(2k) / (2k x^2k). */
MFS_FN double mfs_digamma_positive(double x) {
  double below = 0;
  for (; x < 10; x += 1) below += 1 / x;
  double r = 1 / (x * x);
  double tail = 1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12));
  tail = r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * tail)));
  return log(x) - 0.5 / x - (x < 1e17 ? tail : 0) - below;
}

/* Reflection for x < 0: digamma(1 - x) - pi / tan(pi x); poles are NaN. */
MFS_FN double MFS_NAME(digamma, f64)(double x) {
  if (x > 0) return mfs_digamma_positive(x);
  double part = x - rint(x);
  if (x != x || part == 0 || x == -MFS_INF) return MFS_NAN;
  return mfs_digamma_positive(1 - x) - (fabs(part) == 0.5 ? 0 : MFS_PI / tan(MFS_PI * part));
}
MFS_FN float MFS_NAME(digamma, f32)(float x) { return (float)MFS_NAME(digamma, f64)((double)x); }

/* A start for the inverse of erfc at 0 < z <= 1: a polynomial in w = -log(z (2 - z)) near the middle (after M. Giles,
 * "Approximating the erfinv function", 2010), the leading terms of the asymptotic series far out. */
MFS_FN double mfs_erfcinv_start(double z) {
  double w = -log(z * (2 - z)), p;
  if (w > 16) {
    double y = sqrt(-log(z));
    y = sqrt(-log(z * y * 1.7724538509055160273));
    return sqrt(-log(z * y * 1.7724538509055160273));
  }
  if (w < 5) {
    w -= 2.5;
    p = 2.81022636e-08;
    p = 3.43273939e-07 + p * w;
    p = -3.5233877e-06 + p * w;
    p = -4.39150654e-06 + p * w;
    p = 0.00021858087 + p * w;
    p = -0.00125372503 + p * w;
    p = -0.00417768164 + p * w;
    p = 0.246640727 + p * w;
    return (1.50140941 + p * w) * (1 - z);
  }
  w = sqrt(w) - 3;
  p = -0.000200214257;
  p = 0.000100950558 + p * w;
  p = 0.00134934322 + p * w;
  p = -0.00367342844 + p * w;
  p = 0.00573950773 + p * w;
  p = -0.0076224613 + p * w;
  p = 0.00943887047 + p * w;
  p = 1.00167406 + p * w;
  return (2.83297682 + p * w) * (1 - z);
}

/* One step of Halley's method for erfc(y) = target, given `error` = erfc(y) - target; the slope is -2 exp(-y^2) /
 * sqrt(pi). */
MFS_FN double mfs_erfc_step(double y, double error) {
  double u = error / (1.1283791670955125739 * exp(-y * y));
  return y + u / (1 - y * u);
}

/* erfc(y) = z for 0 < z < 2; infinite at the ends, NaN beyond. */
MFS_FN double mfs_erfcinv(double z) {
  if (z != z || z < 0 || z > 2) return MFS_NAN;
  if (z == 0 || z == 2) return z == 0 ? MFS_INF : -MFS_INF;
  double half = z > 1 ? 2 - z : z, y = mfs_erfcinv_start(half);
  for (int i = 0; i < 2; i++) y = mfs_erfc_step(y, erfc(y) - half);
  return z > 1 ? -y : y;
}

/* Near 0 by erf, which keeps the digits of small x. */
MFS_FN double MFS_NAME(erfinv, f64)(double x) {
  double a = fabs(x);
  if (!(a < 0.5)) return x < 0 ? -mfs_erfcinv(1 + x) : mfs_erfcinv(1 - x);
  double y = mfs_erfcinv_start(1 - a);
  if (a < 1e-8) y = a * 0.88622692545275801365;
  for (int i = 0; i < 2; i++) y = mfs_erfc_step(y, a - erf(y));
  return x < 0 ? -y : y;
}
MFS_FN float MFS_NAME(erfinv, f32)(float x) { return (float)MFS_NAME(erfinv, f64)((double)x); }

/* The quantile of the standard normal distribution: -sqrt(2) erfcinv(2 p). */
MFS_FN double MFS_NAME(ndtri, f64)(double p) {
  if (p == 0.5) return 0;
  return p <= 0.5 ? -1.4142135623730950488 * mfs_erfcinv(2 * p) : 1.4142135623730950488 * mfs_erfcinv(2 * (1 - p));
}
MFS_FN float MFS_NAME(ndtri, f32)(float p) { return (float)MFS_NAME(ndtri, f64)((double)p); }

/* Tail of the Hurwitz sum from q = w on by Euler and Maclaurin: b = w^-x, s the sum so far. */
MFS_FN double mfs_zeta_tail(double x, double w, double b, double s) {
  /* (2k)! / B(2k), k = 1 ... 12 */
  const double over[12] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1892437580.3183791606, 74724249600.0,
                           -2950130727918.1642244, 116467828143500.67249, -4597978722407472.6105,
                           181521054019435467.73, -7166165256175667011.3};
  double a = 1, k = 0;
  s += b * w / (x - 1) - 0.5 * b;
  for (int i = 0; i < 12; i++) {
    a *= x + k;
    b /= w;
    double t = a * b / over[i];
    s += t;
    if (fabs(t / s) < 1.2e-16) break;
    a *= x + k + 1;
    b /= w;
    k += 2;
  }
  return s;
}

/* Hurwitz zeta: the sum of (q + n)^-x, n = 0, 1, ... Whole q <= 0 is a pole: infinite for even x, else NaN. */
MFS_FN double MFS_NAME(zeta, f64)(double x, double q) {
  if (x == 1) return MFS_INF;
  if (!(x > 1)) return MFS_NAN;
  if (q != q) return q;
  if (q == MFS_INF) return 0;
  bool even = fmod(x, 2.0) == 0 || x == MFS_INF, whole_x = floor(x) == x;
  if (q <= 0 && floor(q) == q) return even ? MFS_INF : MFS_NAN;
  if (q <= 0 && !whole_x) return MFS_NAN;
  if (q < -1e7) return MFS_NAN; /* the sum would not end in reasonable time */
  double a = q, b = pow(a, -x), s = b;
  for (int i = 0; i < 9 || a <= 9; i++) {
    a += 1;
    b = pow(a, -x);
    s += b;
    if (fabs(b / s) < 1.2e-16 || s == MFS_INF) return s;
  }
  return x == MFS_INF ? s : mfs_zeta_tail(x, a, b, s);
}
MFS_FN float MFS_NAME(zeta, f32)(float x, float q) { return (float)MFS_NAME(zeta, f64)((double)x, (double)q); }

/* (-1)^(n+1) n! zeta(n + 1, x); digamma for n = 0; NaN for other n than 0, 1, 2, ... */
MFS_FN double MFS_NAME(polygamma, f64)(double n, double x) {
  if (!(n >= 0) || floor(n) != n) return MFS_NAN;
  if (n == 0) return MFS_NAME(digamma, f64)(x);
  double v = exp(MFS_NAME(lgamma, f64)(n + 1)) * MFS_NAME(zeta, f64)(n + 1, x);
  return fmod(n, 2.0) == 0 ? -v : v;
}
MFS_FN float MFS_NAME(polygamma, f32)(float n, float x) {
  return (float)MFS_NAME(polygamma, f64)((double)n, (double)x);
}

#endif
