// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/utterance.h"

#include "core/plan/data/manifest.h"

namespace rankscope::trainer {

DurationFilter::DurationFilter(std::shared_ptr<const UtteranceSet> source, double minSeconds, double maxSeconds)
    : m_source(std::move(source)) {
    for (std::int64_t i = 0; i < m_source->size(); ++i) {
        switch (plan::fits(m_source->get(i).duration, minSeconds, maxSeconds)) {
        case plan::Fit::TooShort:
            ++m_tooShort;
            break;
        case plan::Fit::TooLong:
            ++m_tooLong;
            break;
        case plan::Fit::Used:
            m_kept.push_back(i);
        }
    }
}

} // namespace rankscope::trainer
