"""What one eager operation costs in TensorFlow: plain, recorded on a tape, and with its backward."""
from peer_options import loop_ns, parse, report

options = parse()

import tensorflow as tf  # noqa: E402

a, b, v = tf.constant(1.0), tf.constant(2.0), tf.Variable(1.0)


def plain(n):
    for _ in range(n):
        a + b


def recorded(n, backward=False):
    for _ in range(n // 100):
        with tf.GradientTape() as tape:
            c = v * 1.0
            for _ in range(99):
                c = c + b
        if backward:
            tape.gradient(c, v)


add = loop_ns(plain, 20000, options.reps)
report(add, "ns", tf.__version__, recorded=loop_ns(recorded, 10000, options.reps),
       chain=loop_ns(lambda n: recorded(n, True), 5000, options.reps))
