"""Training throughput of PyTorch's plain loop. Ways of cnn: nchw, channels_last."""
from peer_options import parse, report, seconds_per_call

options = parse()

import torch  # noqa: E402
from torch import nn  # noqa: E402

torch.set_num_threads(options.threads)
torch.manual_seed(0)
BATCH = 64


def mlp():
    return (nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)),
            torch.randn(BATCH, 784))


def cnn():
    model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Flatten(), nn.Linear(64 * 12 * 12, 128), nn.ReLU(), nn.Linear(128, 10))
    return model, torch.randn(BATCH, 1, 28, 28)


model, x = {"mlp": mlp, "cnn": cnn}[options.bench]()
if options.way == "channels_last":
    model, x = model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
y = torch.randint(0, 10, (BATCH,))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
loss_of = nn.CrossEntropyLoss()


def run(n):
    for _ in range(n):
        optimizer.zero_grad(set_to_none=True)
        value = loss_of(model(x), y)
        value.backward()
        optimizer.step()
    value.item()


report(round(BATCH / seconds_per_call(run, options), 1), "samples/s", torch.__version__)
