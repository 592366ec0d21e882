# SPDX-License-Identifier: Apache-2.0
"""Hooks that fail."""
import signal
import sys
import unittest

import observed

sys.path.insert(0, str(observed.OBSERVER))

from rankscope_observer import guard  # noqa: E402


class GuardTest(unittest.TestCase):
    def setUp(self):
        self.notes = []
        guard.write_notes_with(lambda severity, text: self.notes.append((severity, text.decode())))
        self.addCleanup(guard.HOOKS.pop, f"{__name__}.hooked", None)
        self.calls = 0

    def make(self, function):
        function.__name__, function.__module__ = "hooked", f"package.{__name__}"
        return guard.hook(function)

    def test_the_first_exception_switches_a_hook_off(self):
        def fails(value):
            self.calls += 1
            raise ValueError(f"no {value}")

        hooked = self.make(fails)
        self.assertIsNone(hooked(1))
        self.assertIsNone(hooked(2))
        self.assertEqual(self.calls, 1)
        self.assertEqual(len(self.notes), 1)
        self.assertEqual(self.notes[0][0], 2)
        self.assertRegex(self.notes[0][1], r"hooked is off: ValueError: no 1 \(test_guard.py:\d+\)")
        self.assertFalse(guard.HOOKS[f"{__name__}.hooked"].is_on)

    def test_a_hook_passes_its_result_on(self):
        self.assertEqual(self.make(lambda a, b: a + b)(1, 2), 3)

    def test_the_programs_signal_handler_may_raise(self):
        def handler(number, frame):
            raise TimeoutError("the program's own")

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        hooked = self.make(lambda: signal.raise_signal(signal.SIGUSR1))
        with self.assertRaises(TimeoutError):
            hooked()
        self.assertEqual(self.notes, [])
        self.assertTrue(guard.HOOKS[f"{__name__}.hooked"].is_on)

    def test_what_is_no_error_passes(self):
        def leaves():
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.make(leaves)()

    def test_notes_wait_for_the_rank(self):
        guard._write_note = None
        guard.note(1, "early")
        guard.write_notes_with(lambda severity, text: self.notes.append((severity, text.decode())))
        self.assertEqual(self.notes, [(1, "early")])


if __name__ == "__main__":
    unittest.main()
