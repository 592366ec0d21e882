// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/report/svg_curve.h"

#include "core/base/text/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::exchange {

namespace {

constexpr double kWidth = 900, kHeight = 220, kLeft = 72, kRight = 12, kTop = 10, kBottom = 26;

/// Maps steps and values to SVG units.
struct PlotFrame {
    double firstStep = 0, lastStep = 0, least = 0, most = 0;

    double x(double step) const {
        const double span = std::max(lastStep - firstStep, 1.0);
        return kLeft + (step - firstStep) / span * (kWidth - kLeft - kRight);
    }
    double y(double value) const { return kTop + (most - value) / (most - least) * (kHeight - kTop - kBottom); }
};

double middle(const store::SeriesPoint& point) {
    return (static_cast<double>(point.firstStep) + static_cast<double>(point.lastStep)) / 2;
}

bool frameOf(const std::vector<RankCurve>& curves, double scale, PlotFrame& frame) {
    double least = std::numeric_limits<double>::infinity(), most = -least, first = least, last = -least;
    for (const auto& curve : curves)
        for (const auto& point : curve.points) {
            first = std::min(first, middle(point));
            last = std::max(last, middle(point));
            if (point.count == 0)
                continue;
            least = std::min(least, point.min * scale);
            most = std::max(most, point.max * scale);
        }
    if (first > last)
        return false;
    if (least > most) // only non-finite values
        least = 0, most = 1;
    const double margin = most > least ? (most - least) * 0.04 : std::max(std::abs(most) * 0.1, 1e-12);
    frame = {first, last, least - margin, most + margin};
    return std::isfinite(frame.most - frame.least);
}

std::string axes(const PlotFrame& frame) {
    std::string svg;
    for (const double tick : axisTicks(frame.least, frame.most))
        svg += fmt::format("<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text class=\"y\" x=\"{3}\" "
                           "y=\"{1:.1f}\">{4:.5g}</text>",
                           kLeft, frame.y(tick), kWidth - kRight, kLeft - 6, tick);
    for (const double tick : axisTicks(frame.firstStep, frame.lastStep))
        if (tick == std::round(tick))
            svg +=
                fmt::format("<text class=\"x\" x=\"{:.1f}\" y=\"{}\">{:.0f}</text>", frame.x(tick), kHeight - 8, tick);
    return svg;
}

/// Draws one line, interrupted where values are not finite.
std::string line(const RankCurve& curve, double scale, const PlotFrame& frame, std::size_t colour) {
    std::string path;
    bool drawing = false;
    for (const auto& point : curve.points) {
        if (point.count == 0) {
            drawing = false;
            continue;
        }
        const double x = frame.x(middle(point)), low = frame.y(point.min * scale), high = frame.y(point.max * scale);
        path += fmt::format("{}{:.1f} {:.2f}", drawing ? "L" : "M", x, low);
        if (point.min != point.max)
            path += fmt::format("V{:.2f}V{:.2f}", high, frame.y(point.mean * scale));
        else if (!drawing)
            path += fmt::format("h.01"); // makes a single point visible
        drawing = true;
    }
    if (curve.rank == RankCurve::kAllRanks)
        return fmt::format("<path class=\"c{}\" d=\"{}\"/>", kMostLines - 1, path);
    return fmt::format("<path class=\"c{}\" d=\"{}\"><title>rank {}</title></path>", colour, path, curve.rank);
}

/// Draws minimum and maximum over all ranks, column by column.
std::string band(const std::vector<RankCurve>& curves, double scale, const PlotFrame& frame) {
    struct PixelColumn {
        double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    };
    std::vector<PixelColumn> columns(static_cast<std::size_t>(kWidth) + 1);
    for (const auto& curve : curves)
        for (const auto& point : curve.points)
            if (point.count > 0) {
                PixelColumn& column = columns[static_cast<std::size_t>(std::lround(frame.x(middle(point))))];
                column.low = std::min(column.low, point.min * scale);
                column.high = std::max(column.high, point.max * scale);
            }
    std::string upper, lower;
    for (std::size_t x = 0; x < columns.size(); ++x)
        if (columns[x].low <= columns[x].high) {
            upper += fmt::format("{}{} {:.2f}", upper.empty() ? "M" : "L", x, frame.y(columns[x].high));
            lower.insert(0, fmt::format("L{} {:.2f}", x, frame.y(columns[x].low)));
        }
    return upper.empty() ? "" : fmt::format("<path class=\"band\" d=\"{}{}Z\"/>", upper, lower);
}

/// Marks points where a measured value was not finite.
std::string crosses(const RankCurve& curve, const PlotFrame& frame, Language language) {
    std::string svg;
    for (const auto& point : curve.points)
        if (point.notFinite > 0)
            svg += fmt::format(
                "<path class=\"bad\" d=\"M{:.1f} {}l6 6m0 -6l-6 6\"><title>{}</title></path>",
                frame.x(middle(point)) - 3, kTop,
                html((curve.rank == RankCurve::kAllRanks
                          ? Message("step {}: {} not finite", point.firstStep, point.notFinite)
                          : Message("rank {}, step {}: {} not finite", curve.rank, point.firstStep, point.notFinite))
                         .text(language)));
    return svg;
}

} // namespace

std::vector<double> axisTicks(double least, double most) {
    const double span = most - least;
    if (!(span > 0) || !std::isfinite(span))
        return {};
    double step = std::pow(10, std::floor(std::log10(span / 3)));
    for (const double factor : {2.0, 2.5, 2.0}) // 1, 2, 5, 10
        if (span / step > 6)
            step *= factor;
    std::vector<double> ticks;
    for (double n = std::ceil(least / step); n * step <= most && ticks.size() < 12; ++n)
        ticks.push_back(n * step + 0.0); // not -0
    return ticks;
}

std::string svgCurve(const std::vector<RankCurve>& curves, double scale, const std::vector<CurveMark>& marks,
                     Language language) {
    PlotFrame frame;
    if (!frameOf(curves, scale, frame))
        return {};
    std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", kWidth, kHeight);
    for (const auto& mark : marks)
        if (const auto step = static_cast<double>(mark.step); step >= frame.firstStep && step <= frame.lastStep)
            svg += fmt::format("<path class=\"mark\" d=\"M{:.1f} {}V{}\"><title>{}</title></path>", frame.x(step), kTop,
                               kHeight - kBottom, html(mark.text));
    svg += axes(frame);
    if (curves.size() > kMostLines)
        svg += band(curves, scale, frame);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        if (curves.size() <= kMostLines)
            svg += line(curves[i], scale, frame, i);
        svg += crosses(curves[i], frame, language);
    }
    return svg + "</svg>";
}

} // namespace rankscope::exchange
