// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/python_api.h"

#include <dlfcn.h>

namespace rankscope::observer {
namespace {

template <class F> bool lookUp(F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
}

} // namespace

std::optional<PythonApi> PythonApi::find() {
    PythonApi api;
    if (!lookUp(api.isFinalizing, "Py_IsFinalizing")) // since 3.13
        lookUp(api.isFinalizing, "_Py_IsFinalizing");
    // the instruction where there is a function for it (since 3.11), else the line: both tell calls apart
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

} // namespace rankscope::observer
