# SPDX-License-Identifier: Apache-2.0
"""The observer's hooks in torch. Each module has functions to call with a module of torch once it is imported."""
