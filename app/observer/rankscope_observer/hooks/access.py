# SPDX-License-Identifier: Apache-2.0
"""Attributes that report when they are used."""


class OnAccess:
    """Replaces a function of a class, and calls `action(instance)` when the function is looked up for an instance.

    The function itself is called by the program, without a frame of ours in between.
    """

    def __init__(self, function, action):
        self._function, self._action = function, action

    def __get__(self, instance, owner=None):
        if instance is not None:
            self._action(instance)
        return self._function.__get__(instance, owner)
