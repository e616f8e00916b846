"""Time and memory of a process that imports PyTorch and multiplies two matrices."""
from peer_options import parse, report
from start_child import measure, version_of

PROGRAM = "import torch; torch.tensor([[1.0, 2.0]]) @ torch.tensor([[3.0], [4.0]])"
milliseconds, megabytes = measure(PROGRAM, parse().reps)
report(milliseconds, "ms", version_of("torch"), rss_mb=megabytes)
