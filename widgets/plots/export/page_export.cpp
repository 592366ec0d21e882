// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/export/page_export.h"

#include "core/base/files/atomic_file.h"
#include "widgets/theme/theme.h"

#include <QFileInfo>
#include <QImage>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <qcustomplot.h>

namespace rankscope::ui {

namespace {

constexpr int kHeader = 48, kSignLine = 20;
constexpr double kPngScale = 2;

/// Returns the height of title and legend.
int headerHeight(const PlotPage& page) {
    return kHeader + (page.signs == PlotSigns{} ? 0 : kSignLine);
}

QSize pageSize(const PlotPage& page) {
    return {PlotPage::kWidth, headerHeight(page) + 8 + page.height};
}

/// Draws what the signs in the plots mean, on the line below the ranks.
void drawSigns(QPainter& painter, const PlotPage& page) {
    double x = 16;
    for (std::size_t i = 0; i < page.signs.size(); ++i) {
        if (!page.signs[i])
            continue;
        const auto sign = static_cast<PlotSign>(i);
        const QString name = plotSignText(sign);
        const double width = 16 + QFontMetricsF(painter.font()).horizontalAdvance(name) + 16;
        drawPlotSign(painter, QRectF(x, kHeader + 3, 10, 10), sign);
        painter.setPen(Theme::instance().palette().text);
        painter.drawText(QRectF(x + 16, kHeader, width, 16), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += width;
    }
}

void drawHeader(QPainter& painter, const PlotPage& page) {
    const auto& palette = Theme::instance().palette();
    QFont font;
    font.setPixelSize(16);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(palette.text);
    painter.drawText(QRectF(16, 4, PlotPage::kWidth - 32, 22), Qt::AlignLeft | Qt::AlignVCenter, page.title);
    font.setPixelSize(12);
    font.setWeight(QFont::Normal);
    painter.setFont(font);
    double x = 16;
    for (const auto& [linePen, name] : page.legend) {
        const double width = 26 + QFontMetricsF(font).horizontalAdvance(name) + 16;
        if (x + width > PlotPage::kWidth - 16)
            break;
        QPen pen = linePen;
        pen.setWidthF(2);
        painter.setPen(pen);
        painter.drawLine(QLineF(x, 36, x + 20, 36));
        painter.setPen(palette.text);
        painter.drawText(QRectF(x + 26, 28, width, 16), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += width;
    }
    drawSigns(painter, page);
}

void drawPage(QCPPainter& painter, const PlotPage& page) {
    painter.fillRect(QRect(QPoint(0, 0), pageSize(page)), Theme::instance().palette().panel);
    drawHeader(painter, page);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.save();
    painter.translate(0, headerHeight(page));
    page.draw(painter);
    painter.restore();
}

Result<void> notWritten(const QSaveFile& out, const QString& file) {
    return fail(Errc::Io, {"cannot be written: {}", out.errorString().toStdString()}, file.toStdString());
}

/// Refuses pipes and devices, which a QSaveFile would replace.
Result<void> checkReplaceable(const QString& file) {
    if (isSpecialFile(file.toStdString()))
        return fail(Errc::BadInput, "is not a regular file", file.toStdString());
    return {};
}

Result<void> writePng(const PlotPage& page, const QString& file) {
    QImage image(pageSize(page) * kPngScale, QImage::Format_ARGB32_Premultiplied);
    image.fill(Theme::instance().palette().panel);
    {
        QCPPainter painter(&image);
        painter.scale(kPngScale, kPngScale);
        drawPage(painter, page);
    }
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || !image.save(&out, "PNG") || !out.commit())
        return notWritten(out, file);
    return {};
}

Result<void> writePdf(const PlotPage& page, const QString& file) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return notWritten(out, file);
    QPdfWriter writer(&out);
    writer.setResolution(96);
    writer.setTitle(page.title);
    writer.setPageSize(QPageSize(QSizeF(pageSize(page)) * 72.0 / 96.0, QPageSize::Point));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QCPPainter painter;
    if (!painter.begin(&writer))
        return fail(Errc::Io, "cannot be written as PDF", file.toStdString());
    drawPage(painter, page);
    painter.end();
    return out.commit() ? Result<void>{} : notWritten(out, file);
}

Result<void> writeSvg(const PlotPage& page, const QString& file) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return notWritten(out, file);
    QSvgGenerator generator;
    generator.setOutputDevice(&out);
    generator.setSize(pageSize(page));
    generator.setViewBox(QRect(QPoint(0, 0), pageSize(page)));
    generator.setResolution(96);
    generator.setTitle(page.title);
    QCPPainter painter;
    if (!painter.begin(&generator))
        return fail(Errc::Io, "cannot be written as SVG", file.toStdString());
    drawPage(painter, page);
    painter.end();
    return out.commit() ? Result<void>{} : notWritten(out, file);
}

} // namespace

Result<void> writePage(const PlotPage& page, const QString& file) {
    if (auto replaceable = checkReplaceable(file); !replaceable)
        return replaceable;
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QStringLiteral("png"))
        return writePng(page, file);
    if (suffix == QStringLiteral("pdf"))
        return writePdf(page, file);
    if (suffix == QStringLiteral("svg"))
        return writeSvg(page, file);
    return fail(Errc::BadInput, {"ends in .{}; use .png, .pdf, .svg or .csv", suffix.toStdString()},
                file.toStdString());
}

Result<void> writeTextFile(const QString& text, const QString& file) {
    if (auto replaceable = checkReplaceable(file); !replaceable)
        return replaceable;
    QSaveFile out(file);
    const QByteArray bytes = text.toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        return notWritten(out, file);
    return {};
}

} // namespace rankscope::ui
