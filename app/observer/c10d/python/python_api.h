// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rankscope::observer {

/// The functions of Python's C interface that the kernels need, found in the running process: the library is not linked
/// with any version of Python. Frames, code objects and exceptions are addresses here.
struct PythonApi {
    using Object = void*;

    Object (*threadState)() = nullptr; ///< of the calling thread; null: it has none
    int (*isFinalizing)() = nullptr;   ///< may be null
    int (*ensure)() = nullptr;
    void (*release)(int) = nullptr;
    Object (*frame)() = nullptr;           ///< borrowed
    Object (*frameBack)(Object) = nullptr; ///< new reference
    Object (*frameCode)(Object) = nullptr; ///< new reference
    int (*framePosition)(Object) = nullptr;
    void (*incRef)(Object) = nullptr;
    void (*decRef)(Object) = nullptr;
    Object (*typeOf)(Object) = nullptr; ///< new reference
    void (*setError)(Object type, Object value) = nullptr;
    int (*addPendingCall)(int (*)(void*), void*) = nullptr;

    /// Returns null outside Python, or if a function is missing.
    static const PythonApi* get();
};

/// An exception that the program's signal handler raised while this thread was calling Python. It is raised again where
/// the program's own code continues.
class InterruptedCallback {
public:
    static void keep(PythonApi::Object exception);
    /// Call it once the callback has returned. Does nothing if no exception was kept.
    static void raiseLater();
};

/// Holds the GIL while it exists.
class PythonLock {
public:
    explicit PythonLock(const PythonApi& api) : m_api(api), m_state(api.ensure()) {}
    ~PythonLock() { m_api.release(m_state); }
    PythonLock(const PythonLock&) = delete;
    PythonLock& operator=(const PythonLock&) = delete;

private:
    const PythonApi& m_api;
    int m_state;
};

} // namespace rankscope::observer
