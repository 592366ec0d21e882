// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/python/python_api.h"

#include <dlfcn.h>

#include <optional>
#include <utility>

namespace rankscope::observer {
namespace {

template <class F> bool lookUp(F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
}

std::optional<PythonApi> findApi() {
    PythonApi api;
    if (!lookUp(api.isFinalizing, "Py_IsFinalizing")) // since 3.13
        lookUp(api.isFinalizing, "_Py_IsFinalizing");
    // the instruction where there is a function for it (since 3.11), else the line: both distinguish calls
    if (!lookUp(api.framePosition, "PyFrame_GetLasti") && !lookUp(api.framePosition, "PyFrame_GetLineNumber"))
        return std::nullopt;
    if (lookUp(api.threadState, "PyGILState_GetThisThreadState") && lookUp(api.ensure, "PyGILState_Ensure") &&
        lookUp(api.release, "PyGILState_Release") && lookUp(api.frame, "PyEval_GetFrame") &&
        lookUp(api.frameBack, "PyFrame_GetBack") && lookUp(api.frameCode, "PyFrame_GetCode") &&
        lookUp(api.incRef, "Py_IncRef") && lookUp(api.decRef, "Py_DecRef") && lookUp(api.typeOf, "PyObject_Type") &&
        lookUp(api.setError, "PyErr_SetObject") && lookUp(api.addPendingCall, "Py_AddPendingCall"))
        return api;
    return std::nullopt;
}

thread_local PythonApi::Object t_exception = nullptr;

/// Called by Python in its main thread.
int raiseNow(void* exception) {
    const PythonApi& api = *PythonApi::get();
    const PythonApi::Object type = api.typeOf(exception);
    api.setError(type, exception);
    api.decRef(type);
    api.decRef(exception);
    return -1;
}

} // namespace

const PythonApi* PythonApi::get() {
    static const std::optional<PythonApi> api = findApi();
    return api ? &*api : nullptr;
}

void InterruptedCallback::keep(PythonApi::Object exception) {
    const PythonApi* api = PythonApi::get();
    if (!api || t_exception)
        return;
    api->incRef(exception);
    t_exception = exception;
}

void InterruptedCallback::raiseLater() {
    if (PythonApi::Object exception = std::exchange(t_exception, nullptr))
        PythonApi::get()->addPendingCall(raiseNow, exception); // if that fails, 32 other calls are waiting
}

} // namespace rankscope::observer
