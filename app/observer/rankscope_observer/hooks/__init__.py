# SPDX-License-Identifier: Apache-2.0
"""The observer's places in torch. Each module has functions that get a module of torch once it is imported."""
