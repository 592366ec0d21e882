# SPDX-License-Identifier: Apache-2.0
"""How a rank's end is reported, and that nothing else changes. The ranks are programs without torch."""
import sys

from observed import ProgramTest

OPEN = """\
import os, sys
if "RANKSCOPE_RUN_DIR" in os.environ:
    from rankscope_observer import rank
    rank.open_rank(0, 1)
"""
IN_CHILD = """\
import multiprocessing, os, sys
def work():
    if "RANKSCOPE_RUN_DIR" in os.environ:
        from rankscope_observer import rank
        rank.open_rank(0, 1)
    {body}
if __name__ == "__main__":
    child = multiprocessing.get_context({context!r}).Process(target=work)
    child.start()
    child.join()
    print("child", child.exitcode)
"""
FINISHED, STOPPED, FAILED = 0, 1, 2


class EndingTest(ProgramTest):
    def check(self, text, expected):
        """The end is as expected; exit code and output are those without the observer."""
        path = self.script(text)
        plain = self.run_program([sys.executable, path], observed=False)
        ran = self.run_program([sys.executable, path])
        self.assertEqual((ran.code, ran.out, ran.err), (plain.code, plain.out, plain.err))
        self.assertEqual(ran.ranks[0].end(), expected)
        return ran

    def check_main(self, body, expected):
        return self.check(OPEN + body, expected)

    def test_finished(self):
        self.check_main("print('done')\n", (FINISHED, 0, ""))

    def test_an_exception(self):
        body = "def load(name):\n    return open(name)\n\nload('/no/such.json')\n"
        text = "FileNotFoundError: [Errno 2] No such file or directory: '/no/such.json' (train.py:6)"
        self.check_main(body, (FAILED, 1, text))

    def test_the_last_line_is_the_users(self):
        self.check_main("import json\njson.loads('{')\n", (FAILED, 1, JSON))

    def test_an_exit_code(self):
        self.check_main("sys.exit(3)\n", (FAILED, 3, ""))
        self.check_main("raise SystemExit(4)\n", (FAILED, 4, ""))
        self.check_main("sys.exit('a text')\n", (FAILED, 1, ""))
        self.check_main("sys.exit()\n", (FINISHED, 0, ""))

    def test_an_exception_that_becomes_an_exit_code(self):
        body = "try:\n    {}['key']\nexcept KeyError:\n    print('sorry')\n    sys.exit(7)\n"
        self.check_main(body, (FAILED, 7, "KeyError: 'key' (train.py:6)"))

    def test_an_exception_that_is_overcome(self):
        body = "try:\n    {}['key']\nexcept KeyError:\n    try:\n        sys.exit(7)\n    except SystemExit:\n        pass\n"
        self.check_main(body, (FINISHED, 0, ""))

    def test_an_interrupt(self):
        self.check_main("raise KeyboardInterrupt\n", (STOPPED, 130, "KeyboardInterrupt (train.py:5)"))

    def test_an_exception_of_a_loader_worker(self):
        body = (
            "raise ValueError('Caught ValueError in DataLoader worker process 0.\\n'\n"
            "  'Original Traceback (most recent call last):\\n'\n"
            "  '  File \"/x/site-packages/torch/worker.py\", line 1, in loop\\n    fetch()\\n'\n"
            "  '  File \"/x/data.py\", line 41, in __getitem__\\n    raise ValueError(i)\\n'\n"
            "  'ValueError: bad sample 7\\n')\n"
        )
        self.check_main(body, (FAILED, 1, "ValueError: bad sample 7 (data.py:41)"))

    def test_nothing_is_reported_of_what_ends_at_once(self):
        self.check_main("print('x', flush=True)\nos._exit(5)\n", None)
        self.check_main("os.kill(os.getpid(), 9)\n", None)
        self.check_main("os.kill(os.getpid(), 15)\n", None)

    def test_other_threads_may_still_run(self):
        body = (
            "import threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.5), print('later'))).start()\n"
            "raise ValueError('first')\n"
        )
        self.check_main(body, (FAILED, 1, "ValueError: first (train.py:7)"))

    def test_a_forked_child_is_no_rank(self):
        body = "pid = os.fork()\nif pid == 0:\n    sys.exit(9)\nprint(os.waitpid(pid, 0)[1] >> 8)\n"
        self.check_main(body, (FINISHED, 0, ""))

    def test_a_fork_lets_other_threads_finish(self):
        body = (
            "import threading, time\n"
            "ended = threading.Event()\n"
            "threading.Thread(target=lambda: (time.sleep(0.0005), ended.set())).start()\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    os._exit(ended.is_set())\n"
            "print(os.waitpid(pid, 0)[1] >> 8)\n"
        )
        ran = self.run_program([sys.executable, self.script("import sys\nsys.setswitchinterval(10)\n" + OPEN + body)])
        self.assertEqual((ran.out, ran.err), ("1\n", ""))

    def test_other_warnings_are_as_before(self):
        body = (
            "import warnings\n"
            "warnings.warn('shown in main', DeprecationWarning)\n"
            "warnings.warn_explicit('not shown elsewhere', DeprecationWarning, 'x.py', 1, module='x')\n"
        )
        self.check_main(body, (FINISHED, 0, ""))

    def test_what_a_rank_starts_is_none(self):
        body = (
            "import subprocess\n"
            "print(subprocess.call([sys.executable, '-c', 'import sys\\n"
            "if \"rankscope_observer\" in sys.modules:\\n"
            "    from rankscope_observer import rank\\n"
            "    sys.exit(rank.open_rank(0, 2) or rank.open_rank(1, 2))']))\n"
        )
        ran = self.check_main(body, (FINISHED, 0, ""))
        self.assertEqual((list(ran.ranks), ran.out), ([0], "0\n"))

    def test_children_of_multiprocessing(self):
        for context in ("fork", "spawn", "forkserver"):
            for body, expected in (
                ("pass", (FINISHED, 0, "")),
                ("raise ValueError('in the child')", (FAILED, 1, "ValueError: in the child (train.py:6)")),
                ("sys.exit(3)", (FAILED, 3, "")),
                ("os._exit(5)", None),
            ):
                with self.subTest(context=context, body=body):
                    self.check(IN_CHILD.format(body=body, context=context), expected)

    def test_a_child_that_passes_its_exception_on(self):
        body = "try:\n        [][1]\n    except IndexError:\n        sys.exit(1)"
        for context in ("fork", "spawn"):
            self.check(IN_CHILD.format(body=body, context=context), (FAILED, 1, "IndexError: list index out of range (train.py:7)"))


JSON = (
    "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1) (train.py:6)"
)
