// SPDX-License-Identifier: Apache-2.0
// A program that only saves checkpoints, to be killed at any moment.
#include "tests/core/trainer/checkpoint/checkpoint_writer.h"

int main(int argc, char** argv) {
    return argc == 2 ? rankscope::trainer::test::writeCheckpoints(argv[1]) : 2;
}
