// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/utterance.h"

namespace rankscope::trainer {

DurationFilter::DurationFilter(std::shared_ptr<const UtteranceSet> source, double minSeconds, double maxSeconds)
    : m_source(std::move(source)) {
    for (std::int64_t i = 0; i < m_source->size(); ++i) {
        const double seconds = m_source->get(i).duration;
        if (minSeconds > 0 && seconds < minSeconds)
            ++m_tooShort;
        else if (maxSeconds > 0 && seconds > maxSeconds)
            ++m_tooLong;
        else
            m_kept.push_back(i);
    }
}

} // namespace rankscope::trainer
