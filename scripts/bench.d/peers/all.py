#!/usr/bin/env python3
"""Runs the peers of one benchmark, one after the other, and prints one JSON line for each. See README.md."""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# bench -> peer -> the ways to run it; the first is the peer's value unless BEST says otherwise
WAYS = {
    "mlp": {"tensorflow": ["fit", "function", "jit"], "pytorch": ["plain"]},
    "cnn": {"tensorflow": ["fit", "function", "jit"], "pytorch": ["nchw", "channels_last"]},
    "dispatch": {"tensorflow": ["eager"], "pytorch": ["eager"]},
    "start": {"tensorflow": ["import"], "pytorch": ["import"]},
}
BEST = {("cnn", "pytorch")}
PROGRAMS = {"mlp": "train.py", "cnn": "train.py", "dispatch": "dispatch.py", "start": "start.py"}


def measure(peer, bench, way, options):
    program = os.path.join(HERE, peer + "_" + PROGRAMS[bench])
    threads = str(options.threads)
    command = [sys.executable, program, bench, "--way", way, "--threads", threads, "--reps", str(options.reps),
               "--seconds", str(options.seconds)]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=threads)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit("%s %s %s failed:\n%s" % (peer, bench, way, done.stderr))
    return json.loads(done.stdout.strip().splitlines()[-1])


def line(peer, bench, options):
    load = os.getloadavg()[0]
    found = {way: measure(peer, bench, way, options) for way in WAYS[bench][peer]}
    ways = list(found)
    chosen = max(ways, key=lambda w: found[w]["value"]) if (bench, peer) in BEST else ways[0]
    main = found[chosen]
    detail = dict(main.get("detail", {}))
    if len(ways) > 1:
        detail.update({w: found[w]["value"] for w in ways})
    return {"peer": peer, "bench": bench, "value": main["value"], "unit": main["unit"], "way": chosen,
            "threads": options.threads, "detail": detail, "version": main["version"], "load": round(load, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", choices=sorted(WAYS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    for peer in WAYS[options.bench]:
        print(json.dumps(line(peer, options.bench, options)), flush=True)


if __name__ == "__main__":
    main()
