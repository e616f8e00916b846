"""Command line and timing of every peer program."""
import argparse
import json
import statistics
import time


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--way", default="")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    return parser.parse_args()


def seconds_per_call(run, options):
    """run(n) does the thing n times; the median over options.reps of about options.seconds each."""
    run(3)
    start = time.perf_counter()
    run(1)
    once = time.perf_counter() - start
    n = max(2, int(options.seconds / max(once, 1e-9)))
    found = []
    for _ in range(options.reps):
        start = time.perf_counter()
        run(n)
        found.append((time.perf_counter() - start) / n)
    return statistics.median(found)


def loop_ns(run, n, reps):
    """Median nanoseconds of one of n turns of run(n)."""
    run(n // 10 + 1)
    found = []
    for _ in range(reps):
        start = time.perf_counter()
        run(n)
        found.append((time.perf_counter() - start) / n)
    return round(statistics.median(found) * 1e9, 1)


def report(value, unit, version, **detail):
    print(json.dumps({"value": value, "unit": unit, "version": version, "detail": detail}), flush=True)
