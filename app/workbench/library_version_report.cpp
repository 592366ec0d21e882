// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/library_version_report.h"

#include "core/base/text/library_versions.h"
#include "core/config/yaml/yaml_parser.h"
#include "core/diagnosis/recording/zlib_stream.h"
#include "core/store/sqlite/sqlite.h"

#include <QtGlobal>
#include <qcustomplot.h>

namespace rankscope::workbench {

std::string versionLines() {
    std::string qt = qVersion();
    if (qt != QT_VERSION_STR)
        qt += " (built with " QT_VERSION_STR ")";
    return versionText("rankscope", RANKSCOPE_VERSION,
                       {{"Qt", qt},
                        {"QCustomPlot", QCUSTOMPLOT_VERSION_STR},
                        store::sqliteLinked(),
                        config::yamlLinked(),
                        diagnosis::zlibLinked()}) +
           '\n';
}

} // namespace rankscope::workbench
