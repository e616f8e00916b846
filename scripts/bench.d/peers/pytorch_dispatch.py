"""What one eager operation costs in PyTorch: without gradients, recorded, and with its backward."""
from peer_options import loop_ns, parse, report

options = parse()

import torch  # noqa: E402

torch.set_num_threads(options.threads)


def adds(x, y):
    def run(n):
        for _ in range(n):
            x + y
    return run


def chain(n):
    for _ in range(n // 100):
        c = leaf
        for _ in range(100):
            c = c + leaf
        c.backward()


with torch.no_grad():
    add = loop_ns(adds(torch.tensor(1.0), torch.tensor(2.0)), 100000, options.reps)
leaf = torch.tensor(1.0, requires_grad=True)
report(add, "ns", torch.__version__, recorded=loop_ns(adds(leaf, leaf), 100000, options.reps),
       chain=loop_ns(chain, 10000, options.reps))
