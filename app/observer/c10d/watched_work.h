// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace rankscope::observer {

/// Wraps work that has no future, such as that of Gloo's send, receive and reduce-scatter. Reports the end of the work
/// when the program waits for it or finds it completed, or at the latest when the program releases it. All other calls
/// go to the wrapped work.
class WatchedWork final : public c10d::Work {
public:
    /// `handle`: of rs_enter().
    WatchedWork(c10::intrusive_ptr<c10d::Work> inner, std::uint64_t handle);
    ~WatchedWork() override;
    WatchedWork(const WatchedWork&) = delete;
    WatchedWork& operator=(const WatchedWork&) = delete;

    bool isCompleted() override;
    bool isSuccess() const override { return m_inner->isSuccess(); }
    std::exception_ptr exception() const override { return m_inner->exception(); }
    int sourceRank() const override { return m_inner->sourceRank(); }
    std::vector<at::Tensor> result() override { return m_inner->result(); }
    void synchronize() override { m_inner->synchronize(); }
    bool wait(std::chrono::milliseconds timeout) override;
    void abort() override { m_inner->abort(); }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return m_inner->getFuture(); }
    c10::intrusive_ptr<c10::ivalue::Future> getFutureResult() override { return m_inner->getFutureResult(); }
    float getDuration() const override { return m_inner->getDuration(); }
    uint64_t getSequencenumber() const override { return m_inner->getSequencenumber(); }

    // Virtual in some versions of PyTorch only, therefore without `override`.
    // NOLINTBEGIN(modernize-use-override)
    void blockCurrentStream() { blockStreamOf(*m_inner); }
    std::chrono::milliseconds getTimeout() const { return timeoutOf(*m_inner); }
    uint64_t getCompletionKey() const { return completionKeyOf(*m_inner); }
    // NOLINTEND(modernize-use-override)

private:
    template <class W> static void blockStreamOf(W& work) {
        if constexpr (requires { work.blockCurrentStream(); })
            work.blockCurrentStream();
    }
    template <class W> static std::chrono::milliseconds timeoutOf(const W& work) {
        if constexpr (requires { work.getTimeout(); })
            return work.getTimeout();
        else
            return {};
    }
    template <class W> static uint64_t completionKeyOf(const W& work) {
        if constexpr (requires { work.getCompletionKey(); })
            return work.getCompletionKey();
        else
            return 0;
    }
    void end(bool failed) noexcept;

    c10::intrusive_ptr<c10d::Work> m_inner;
    std::atomic<std::uint64_t> m_handle; ///< 0: its end was reported
};

} // namespace rankscope::observer
