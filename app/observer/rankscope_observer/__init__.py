# SPDX-License-Identifier: Apache-2.0
"""Reports what a rank of a PyTorch program does, without a change to the program.

Rule of the whole package: it never hurts the program. No function of the program runs inside one of ours, so that its
tracebacks, warnings and signals are what they would be; what torch calls is guarded (guard.py); nothing waits, and
nothing talks to other ranks.
"""
