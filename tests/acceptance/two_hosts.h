// SPDX-License-Identifier: Apache-2.0
// Two hosts on one machine: network namespaces that are joined by a cable (a veth pair), each with its own host name
// and, if the kernel supports it, its own monotonic clock.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

#include <memory>

namespace rankscope::test {

class TwoHosts {
public:
    TwoHosts();
    ~TwoHosts();
    TwoHosts(const TwoHosts&) = delete;
    TwoHosts& operator=(const TwoHosts&) = delete;

    QString problem() const { return m_problem; } ///< why they could not be made; empty: they exist
    bool ownClocks() const { return m_ownClocks; }
    static QString address(int host) { return host == 0 ? "10.89.0.1" : "10.89.0.2"; }
    static QString name(int host) { return host == 0 ? "rankscope-a" : "rankscope-b"; }

    /// Starts `command` on a host. Its output goes to `log`.
    std::unique_ptr<QProcess> start(int host, const QStringList& environment, const QStringList& command,
                                    const QString& log) const;

private:
    bool run(const QStringList& command);
    QString space(int host) const;

    QString m_problem;
    bool m_ownClocks = false;
};

} // namespace rankscope::test
