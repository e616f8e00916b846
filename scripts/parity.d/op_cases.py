#!/usr/bin/env python3
"""All op cases of scripts/golden with other pseudo-random values, made by TensorFlow now and run by the op harness.

usage: op_cases.py [--salt TEXT] [OP...]     the same salt gives the same values
"""
import argparse
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sides"))

from both_sides import ROOT, Comparison, moonflow  # noqa: E402

MOST_LINES = 60


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--salt", default=str(int(time.time())))
    parser.add_argument("ops", nargs="*")
    options = parser.parse_args()
    check = Comparison("op_cases")
    environment = dict(os.environ, MF_PEERS=sys.executable, MF_GOLDEN_SALT=options.salt, MF_GOLDEN_OPS=check.folder)
    subprocess.run([os.path.join(ROOT, "scripts", "golden"), "ops"] + options.ops, env=environment, check=True,
                   stderr=subprocess.DEVNULL)
    said = moonflow("op_cases.lua", check.folder).strip().splitlines()
    for line in said[:-1][:MOST_LINES]:
        print("  " + line)
    print("salt %s: %s" % (options.salt, said[-1]))
    ran, differ = [int(n) for n in re.match(r"(\d+) cases, (\d+) differ", said[-1]).groups()]
    check.compared = ran
    check.holds("%d cases differ" % differ, differ == 0)
    check.finish()


if __name__ == "__main__":
    main()
