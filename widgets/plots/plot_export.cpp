// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot_export.h"

#include "widgets/models/words.h"
#include "widgets/theme/theme.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kWidth = 1200;
constexpr int kHeader = 48;
constexpr double kPngScale = 2;

int heightOf(const RankPlot& plot) {
    return std::clamp(plot.height() * kWidth / std::max(1, plot.width()), 160, 480);
}

QSize pageSize(const ExportJob& job) {
    int height = kHeader + 8;
    for (const auto* plot : job.plots)
        height += heightOf(*plot);
    return {kWidth, height};
}

void drawHeader(QPainter& painter, const ExportJob& job) {
    const auto& theme = Theme::instance();
    QFont font;
    font.setPixelSize(16);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(theme.palette().text);
    painter.drawText(QRectF(16, 4, kWidth - 32, 22), Qt::AlignLeft | Qt::AlignVCenter, job.title);
    font.setPixelSize(12);
    font.setWeight(QFont::Normal);
    painter.setFont(font);
    double x = 16;
    for (const int rank : job.ranks) {
        const QString name = RankPlot::tr("rank %1").arg(rank);
        const double width = 26 + QFontMetricsF(font).horizontalAdvance(name) + 16;
        if (x + width > kWidth - 16)
            break;
        QPen pen = theme.rankPen(rank);
        pen.setWidthF(2);
        painter.setPen(pen);
        painter.drawLine(QLineF(x, 36, x + 20, 36));
        painter.setPen(theme.palette().text);
        painter.drawText(QRectF(x + 26, 28, width, 16), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += width;
    }
}

void drawPage(QCPPainter& painter, const ExportJob& job) {
    const QSize size = pageSize(job);
    painter.fillRect(QRect(QPoint(0, 0), size), Theme::instance().palette().panel);
    drawHeader(painter, job);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    int y = kHeader;
    for (auto* plot : job.plots) {
        const int height = heightOf(*plot);
        painter.save();
        painter.translate(0, y);
        plot->toPainter(&painter, kWidth, height);
        painter.restore();
        y += height;
    }
}

Result<void> exportPng(const ExportJob& job, const QString& file) {
    const QSize size = pageSize(job);
    QImage image(size * kPngScale, QImage::Format_ARGB32_Premultiplied);
    image.fill(Theme::instance().palette().panel);
    {
        QCPPainter painter(&image);
        painter.scale(kPngScale, kPngScale);
        drawPage(painter, job);
    }
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || !image.save(&out, "PNG") || !out.commit())
        return fail(Errc::Io, "cannot be written: " + out.errorString().toStdString(), file.toStdString());
    return {};
}

Result<void> exportPdf(const ExportJob& job, const QString& file) {
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return fail(Errc::Io, "cannot be written: " + out.errorString().toStdString(), file.toStdString());
    QPdfWriter writer(&out);
    writer.setResolution(96);
    writer.setTitle(job.title);
    const QSize size = pageSize(job);
    writer.setPageSize(QPageSize(QSizeF(size) * 72.0 / 96.0, QPageSize::Point));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QCPPainter painter;
    if (!painter.begin(&writer))
        return fail(Errc::Io, "cannot be written as PDF", file.toStdString());
    drawPage(painter, job);
    painter.end();
    return {};
}

Result<void> exportSvg(const ExportJob& job, const QString& file) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return fail(Errc::Io, "cannot be written: " + out.errorString().toStdString(), file.toStdString());
    QSvgGenerator generator;
    generator.setOutputDevice(&out);
    const QSize size = pageSize(job);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setResolution(96);
    generator.setTitle(job.title);
    QCPPainter painter;
    if (!painter.begin(&generator))
        return fail(Errc::Io, "cannot be written as SVG", file.toStdString());
    drawPage(painter, job);
    painter.end();
    if (!out.commit())
        return fail(Errc::Io, "cannot be written: " + out.errorString().toStdString(), file.toStdString());
    return {};
}

Result<void> exportCsv(const ExportJob& job, const QString& file) {
    QSaveFile out(file);
    const QByteArray text = toCsv(job).toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit())
        return fail(Errc::Io, "cannot be written: " + out.errorString().toStdString(), file.toStdString());
    return {};
}

} // namespace

QString toCsv(const ExportJob& job, QChar separator) {
    QString csv = QStringLiteral("series,unit,rank,first_step,last_step,time_s,min,mean,max,values,not_finite\n");
    csv.replace(u',', separator);
    // titles of imported series are foreign text
    const auto quoted = [&](QString text) {
        if (text.contains(separator) || text.contains(u'"') || text.contains(u'\n'))
            text = u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
        return text;
    };
    const auto number = [](double v) { return QString::number(v, 'g', 9); };
    for (const auto* plot : job.plots) {
        const QString unit = plot->spec().duration ? QStringLiteral("s") : plot->spec().unit;
        const auto& series = plot->series();
        for (std::size_t rank = 0; rank < series.size(); ++rank)
            for (const auto& s : series[rank]) {
                if (!job.range.contains(s.x))
                    continue;
                QStringList row{quoted(plot->spec().title),  unit,
                                QString::number(rank),       QString::number(s.firstStep),
                                QString::number(s.lastStep), number(static_cast<double>(s.timeNs) * 1e-9)};
                for (const double v : {s.min, s.mean, s.max})
                    row << (s.isGap() ? QString() : number(v));
                row << QString::number(s.count) << QString::number(s.notFinite);
                csv += row.join(separator) + u'\n';
            }
    }
    return csv;
}

Result<void> exportPlots(const ExportJob& job, const QString& file) {
    if (job.plots.isEmpty())
        return fail(Errc::BadInput, "there is no visible plot to export", file.toStdString());
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QStringLiteral("png"))
        return exportPng(job, file);
    if (suffix == QStringLiteral("pdf"))
        return exportPdf(job, file);
    if (suffix == QStringLiteral("svg"))
        return exportSvg(job, file);
    if (suffix == QStringLiteral("csv"))
        return exportCsv(job, file);
    return fail(Errc::BadInput, "ends in ." + suffix.toStdString() + "; use .png, .pdf, .svg or .csv",
                file.toStdString());
}

} // namespace rankscope::ui
