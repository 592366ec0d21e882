// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/optim/learning_rate_schedule.h"

#include "core/trainer/argument_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rankscope::trainer {
namespace {

using Terms = ScheduleTerms;
using Step = std::int64_t;

double real(Step n) {
    return static_cast<double>(n);
}

/// Returns part / whole, or 1 if whole is 0: the curve is then at its end.
double share(Step part, Step whole) {
    return whole > 0 ? real(part) / real(whole) : 1;
}

/// Computes warm-up, hold and end, which most schedules share; `rest` gives the curve between them.
template <double (*rest)(const Terms&, Step)> double framed(const Terms& t, Step step) {
    if (t.warmup > 0 && step <= t.warmup)
        return t.lr * (real(step + 1) / real(t.warmup + 1));
    if (step >= t.warmup && step < t.holdEnd)
        return t.lr;
    if (!t.endless && step > t.end)
        return t.minLr;
    return rest(t, step);
}

double constant(const Terms& t, Step) {
    return t.lr;
}

double square(const Terms& t, Step step) {
    const double left = share(t.end - step, t.end - t.warmup);
    return std::max(t.lr * std::pow(left, 2), t.minLr);
}

double squareRoot(const Terms& t, Step step) { // over the whole run, as if there had been no warm-up
    return std::max(t.lr * std::sqrt(share(t.end - step, t.end)), t.minLr);
}

double linear(const Terms& t, Step step) {
    return t.minLr + (1 - share(step - t.warmup, t.end - t.warmup)) * (t.lr - t.minLr);
}

double inverseSquareRoot(const Terms& t, Step step) {
    return t.lr / std::sqrt(share(step + 1, t.warmup + 1));
}

double cosine(const Terms& t, Step step) {
    const double turn = std::numbers::pi * share(step - t.warmup, t.end - t.warmup);
    return (t.lr - t.minLr) * (0.5 * (1 + std::cos(turn))) + t.minLr;
}

/// Megatron's cosine: another warm-up, which starts at 0, and a constant part at the end.
double cosineThenConstant(const Terms& t, Step step) {
    if (t.warmup > 0 && step <= t.warmup)
        return t.lr * real(step) / real(t.warmup);
    const Step decay = t.end - (t.constant + t.warmup);
    if (step > t.warmup + decay)
        return t.minLr;
    const double turn = std::numbers::pi * share(step - t.warmup, decay);
    return t.minLr + 0.5 * (std::cos(turn) + 1) * (t.lr - t.minLr);
}

double polynomial(const Terms& t, Step step, Step decay) {
    double length = real(decay), at = real(step);
    if (decay <= 0)
        return t.minLr;
    if (t.cycle)
        length *= step == 0 ? 1 : std::ceil(at / length);
    else
        at = std::min(at, length);
    return (t.lr - t.minLr) * std::pow(1 - at / length, t.power) + t.minLr;
}

double polynomialDecay(const Terms& t, Step step) {
    return polynomial(t, step - t.warmup, t.end - t.warmup);
}

double polynomialHoldDecay(const Terms& t, Step step) {
    return polynomial(t, step - t.holdEnd, t.end - std::max(t.warmup, t.holdEnd));
}

double oneMinusSquareRoot(const Terms& t, Step step) {
    return std::max(t.minLr, t.lr * (1 - std::sqrt(share(step - t.holdEnd, t.end - t.holdEnd))));
}

double holdLinear(const Terms& t, Step step) {
    return t.lr - (t.lr - t.minLr) * share(step - t.holdEnd, t.end - t.holdEnd);
}

double noamHold(const Terms& t, Step step) {
    const Step hold = t.holdEnd > 0 ? t.holdEnd - t.warmup : 0;
    const double peak = std::max(1.0, std::pow(real(t.warmup), t.decayRate));
    return std::max(t.lr * peak / std::max(1.0, std::pow(real(step - hold), t.decayRate)), t.minLr);
}

double noam(const Terms& t, Step number) { // steps 0 and 1 have the same rate
    const double step = real(std::max<Step>(1, number));
    double factor = std::pow(step, -0.5);
    if (t.warmup > 0)
        factor = std::min(factor, step * std::pow(real(t.warmup), -1.5));
    const double rate = t.lr * (std::pow(t.dModel, -0.5) * factor);
    return step > real(t.warmup) ? std::max(rate, t.minLr) : rate;
}

double t5InverseSquareRoot(const Terms& t, Step step) { // does not use lr
    if (step <= t.constant)
        return 1 / std::sqrt(real(t.constant));
    return step > t.end ? t.minLr : 1 / std::sqrt(real(step));
}

struct ScheduleKind {
    const char* name;
    double (*curve)(const Terms&, Step);
    enum Need : unsigned { Nothing = 0, End = 1, Warmup = 2, Width = 4, Constant = 8, RateAboveFloor = 16 };
    unsigned needs = End;
};

constexpr ScheduleKind kKinds[] = {
    {"WarmupPolicy", framed<constant>, ScheduleKind::Nothing},
    {"WarmupHoldPolicy", framed<constant>},
    {"SquareAnnealing", framed<square>},
    {"SquareRootAnnealing", framed<squareRoot>},
    {"CosineAnnealing", framed<cosine>, ScheduleKind::End | ScheduleKind::RateAboveFloor},
    {"NoamAnnealing", noam, ScheduleKind::Width | ScheduleKind::RateAboveFloor},
    {"NoamHoldAnnealing", framed<noamHold>, ScheduleKind::End | ScheduleKind::Warmup},
    {"WarmupHoldAnnealOneMinusSquareRoot", framed<oneMinusSquareRoot>},
    {"WarmupHoldAnnealLinear", framed<holdLinear>},
    {"WarmupAnnealing", framed<linear>},
    {"InverseSquareRootAnnealing", framed<inverseSquareRoot>},
    {"T5InverseSquareRootAnnealing", t5InverseSquareRoot, ScheduleKind::End | ScheduleKind::Constant},
    {"PolynomialDecayAnnealing", framed<polynomialDecay>},
    {"PolynomialHoldDecayAnnealing", framed<polynomialHoldDecay>},
};

[[noreturn]] void refuse(const std::string& key, Message why) {
    throw ArgumentError("model.optim.sched." + key, std::move(why));
}

const ScheduleKind& kindOf(const std::string& name) {
    for (const ScheduleKind& kind : kKinds)
        if (name == kind.name)
            return kind;
    std::string names;
    for (const ScheduleKind& kind : kKinds)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    refuse("name", {"{} is not supported ({}, or no schedule)", name, names});
}

/// Returns the last step, or none if nothing limits the run.
std::optional<Step> endOf(const config::OptimConfig::Sched& sched, const RunLength& run) {
    if (run.maxSteps >= 0)
        return run.maxSteps;
    if (sched.maxSteps && *sched.maxSteps < 0)
        refuse("max_steps", {"{} turns the schedule off in NeMo when trainer.max_steps is not set: set one of the two, "
                             "or remove model.optim.sched",
                             *sched.maxSteps});
    if (sched.maxSteps)
        return sched.maxSteps;
    return run.epochSteps > 0 ? std::optional(run.epochSteps) : std::nullopt;
}

/// Returns a number of steps that is given directly or as a ratio of the whole run.
Step stepsOf(const char* name, const std::optional<Step>& steps, const std::optional<double>& ratio,
             const std::optional<Step>& end) {
    const std::string key = fmt::format("{}_ratio", name);
    if (steps && ratio)
        refuse(key, {"{} and {}_steps {}: give one of them", *ratio, name, *steps});
    if (steps && *steps < 0)
        refuse(fmt::format("{}_steps", name), {"{} is negative", *steps});
    if (ratio && !(*ratio >= 0 && *ratio <= 1))
        refuse(key, {"{} is not from 0 to 1", *ratio});
    if (ratio && !end)
        refuse(key,
               {"{} of a run without an end: set trainer.max_steps, trainer.max_epochs or {}_steps", *ratio, name});
    return ratio ? static_cast<Step>(*ratio * real(*end)) : steps.value_or(0);
}

void checkNeeds(const ScheduleKind& kind, const Terms& t) {
    if ((kind.needs & ScheduleKind::End) && t.endless)
        refuse("max_steps", {"{} ends, but the run does not: set trainer.max_steps, trainer.max_epochs or max_steps "
                             "here",
                             kind.name});
    if ((kind.needs & ScheduleKind::Warmup) && t.warmup == 0)
        refuse("warmup_steps", {"{} needs a warm-up of at least one step", kind.name});
    if ((kind.needs & ScheduleKind::Width) && t.dModel <= 0)
        refuse("d_model", {"{} is not positive", t.dModel});
    if ((kind.needs & ScheduleKind::Constant) && t.constant == 0)
        refuse("constant_steps", {"{} needs at least one", kind.name});
    if ((kind.needs & ScheduleKind::RateAboveFloor) && t.lr < t.minLr)
        refuse("min_lr", {"{} is above lr {}", t.minLr, t.lr});
}

} // namespace

LearningRateSchedule::LearningRateSchedule(const config::OptimConfig& c, const RunLength& run) : m_curve(constant) {
    m_terms.lr = c.lr;
    const auto& s = c.sched;
    if (s.name.empty())
        return;
    const ScheduleKind& kind = kindOf(s.name);
    const auto end = endOf(s, run);
    m_curve = kind.curve;
    m_terms.minLr = s.minLr;
    m_terms.endless = !end;
    m_terms.end = end.value_or(0);
    m_terms.warmup = stepsOf("warmup", s.warmupSteps, s.warmupRatio, end);
    if (s.holdSteps || s.holdRatio)
        m_terms.holdEnd = stepsOf("hold", s.holdSteps, s.holdRatio, end) + m_terms.warmup;
    m_terms.constant = stepsOf("constant", s.constantSteps, s.constantRatio, end);
    m_terms.dModel = s.dModel;
    m_terms.decayRate = s.decayRate;
    m_terms.power = s.power;
    m_terms.cycle = s.cycle;
    checkNeeds(kind, m_terms);
    if (kind.curve == framed<cosine> && m_terms.constant > 0) {
        if (!(c.lr > s.minLr)) // NeMo asserts it
            refuse("min_lr", {"{} must be below lr {} with constant_steps", s.minLr, c.lr});
        m_curve = cosineThenConstant;
    }
}

} // namespace rankscope::trainer
