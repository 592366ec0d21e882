// SPDX-License-Identifier: Apache-2.0
// A process with stacks to read. One thread sits in a chain of functions with known names, one in a leaf that has
// neither unwind tables nor a frame pointer, one in a leaf with a frame pointer alone, one counts. It answers each line
// that it reads with what it has counted since the last.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <semaphore>
#include <thread>

// No .cfi directives: the assembler writes no unwind tables for these.
asm(R"(
.text
.globl bare_leaf
.type bare_leaf,@function
bare_leaf:
    push %rbp
    push %rbx
    xor %ebp, %ebp
1:  pause
    cmpl $0, (%rdi)
    je 1b
    pop %rbx
    pop %rbp
    ret
.size bare_leaf, .-bare_leaf
.globl framed_leaf
.type framed_leaf,@function
framed_leaf:
    push %rbp
    mov %rsp, %rbp
1:  pause
    cmpl $0, (%rdi)
    je 1b
    pop %rbp
    ret
.size framed_leaf, .-framed_leaf
)");
extern "C" void bare_leaf(const int* stop);
extern "C" void framed_leaf(const int* stop);

namespace target {

int never = 0;
std::atomic<long> counted{0}, interrupted{0};
std::atomic<int> ready{0};

/// Its own frame is found by the frame pointer, which the leaf has overwritten.
[[gnu::noinline, gnu::optimize("no-omit-frame-pointer")]] void callsBareLeaf() {
    ++ready;
    bare_leaf(&never);
    ++counted; // no tail call
}
[[gnu::noinline]] void callsFramedLeaf() {
    ++ready;
    framed_leaf(&never);
    ++counted;
}
[[gnu::noinline]] void counts() {
    ++ready;
    for (;;) {
        ++counted;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}
/// Held by a read that nothing answers: being looked at must not end it.
[[gnu::noinline]] void waitsForData(int fd) {
    ++ready;
    char byte = 0;
    for (;;)
        if (::read(fd, &byte, 1) < 0)
            ++interrupted;
}
template <int Depth> [[gnu::noinline]] void descend() {
    if constexpr (Depth > 0) {
        descend<Depth - 1>();
        ++counted;
    } else {
        char line[64];
        std::puts("ready");
        std::fflush(stdout);
        while (std::fgets(line, sizeof line, stdin)) {
            std::printf("%ld %ld\n", counted.exchange(0), interrupted.load());
            std::fflush(stdout);
        }
    }
}

} // namespace target

int main() {
    int ends[2];
    if (::pipe(ends) != 0)
        return 1;
    const auto run = [](const char* name, auto body) {
        std::thread thread(body);
        ::pthread_setname_np(thread.native_handle(), name);
        thread.detach();
    };
    run("bare", target::callsBareLeaf);
    run("framed", target::callsFramedLeaf);
    run("counting", target::counts);
    run("reading", [fd = ends[0]] { target::waitsForData(fd); });
    while (target::ready < 4)
        std::this_thread::yield();
    target::descend<5>();
    ::_exit(0);
}
