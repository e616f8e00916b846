"""Command line of scripts/golden: picks the writer of a target and hands it the remaining names."""
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOLDEN = os.path.join(ROOT, "tests", "golden")

# target -> module with write(names); the order is the order of "all"
TARGETS = {
    "digits": "digits",
    "png": "png",
    "opdefs": "opdefs",
    "ops": "ops",
    "api": "api",
    "variables": "variables",
    "datasets": "datasets",
    "keras": "keras_files",
}


def main(argv):
    target, names = argv[0], argv[1:]
    if target != "all" and target not in TARGETS:
        sys.exit("golden: unknown target %r, expected one of: %s, all" % (target, ", ".join(TARGETS)))
    for name in TARGETS if target == "all" else [target]:
        importlib.import_module(TARGETS[name]).write(names)


if __name__ == "__main__":
    main(sys.argv[1:])
