"""Time and memory of a process that imports TensorFlow and multiplies two matrices."""
from peer_options import parse, report
from start_child import measure, version_of

PROGRAM = "import tensorflow as tf; tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()"
milliseconds, megabytes = measure(PROGRAM, parse().reps)
report(milliseconds, "ms", version_of("tensorflow-cpu"), rss_mb=megabytes)
