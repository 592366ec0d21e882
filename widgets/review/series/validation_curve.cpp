// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/validation_curve.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

Samples validationCurve(const std::vector<store::ValidationRow>& validations, CurveAxis axis,
                        const SampleAxis* samplesSeen) {
    Samples samples;
    samples.reserve(validations.size());
    for (const auto& v : validations) {
        Sample s;
        s.min = s.mean = s.max = v.loss;
        s.firstStep = s.lastStep = v.step;
        s.timeNs = v.endNs;
        (std::isfinite(v.loss) ? s.count : s.notFinite) = 1;
        samples.push_back(s);
    }
    place(samples, axis, samplesSeen);
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.x < b.x; });
    return samples;
}

} // namespace rankscope::ui
