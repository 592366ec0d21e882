// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/call_facts.h"

namespace rankscope::observer {

void CallFacts::add(const at::Tensor& tensor) {
    if (!tensor.defined())
        return;
    if (!m_hasType) {
        dtype = static_cast<std::uint8_t>(tensor.scalar_type());
        floating = at::isFloatingType(tensor.scalar_type());
        m_hasType = true;
    }
    // numel() of a sparse tensor is that of the dense one
    elements = tensor.layout() != at::kStrided || elements < 0 ? -1 : elements + tensor.numel();
}

void CallFacts::forgetPayload() {
    elements = 0;
    m_hasType = false;
}

} // namespace rankscope::observer
