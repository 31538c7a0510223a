"""`trainers.pretrain` that leaves the weights it ends with: `python one_worker.py FILE --run_dir=... ...`."""

import sys

import numpy as np

from trainers import pretrain


def main():
    path, train = sys.argv[1], pretrain.train

    def keeping(*arguments):
        trained = train(*arguments)
        if trained:
            np.savez(path, *[np.array(weight) for weight in trained[0].weights])
        return trained

    pretrain.train = keeping
    pretrain.start(sys.argv[2:])


if __name__ == "__main__":
    main()
