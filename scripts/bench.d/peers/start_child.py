"""Runs a Python program several times as a process of its own: median wall time and peak memory."""
import resource
import statistics
import subprocess
import sys
import time


def measure(program, reps):
    """(milliseconds, peak resident megabytes); the first run warms the file cache and does not count."""
    times = []
    for n in range(reps + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        if n:
            times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return round(statistics.median(times) * 1000, 1), round(peak / 1024, 1)


def version_of(package):
    from importlib.metadata import version
    return version(package)
