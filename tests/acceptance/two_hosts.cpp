// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/two_hosts.h"

#include <unistd.h>

namespace rankscope::test {

static constexpr const char* kOtherClock = "100000"; // seconds by which the second host's clock is ahead

TwoHosts::TwoHosts() {
    if (::geteuid() != 0) {
        m_problem = "network namespaces need root";
        return;
    }
    for (int host : {0, 1})
        if (!run({"ip", "netns", "add", space(host)}))
            return;
    // a second interface that leads nowhere: with the first interface that is up, the other host cannot be reached
    const QString a = space(0), b = space(1);
    for (const QStringList& command : std::vector<QStringList>{
             {"ip", "-n", a, "link", "add", "dead0", "type", "veth", "peer", "name", "dead1"},
             {"ip", "-n", b, "link", "add", "dead0", "type", "veth", "peer", "name", "dead1"},
             {"ip", "link", "add", "net0", "netns", a, "type", "veth", "peer", "name", "net0", "netns", b}})
        if (!run(command))
            return;
    for (int host : {0, 1}) {
        for (const char* interface : {"lo", "dead0", "dead1", "net0"})
            if (!run({"ip", "-n", space(host), "link", "set", interface, "up"}))
                return;
        if (!run({"ip", "-n", space(host), "addr", "add", address(host) + "/24", "dev", "net0"}) ||
            !run({"ip", "-n", space(host), "addr", "add", QString("10.90.%1.1/24").arg(host), "dev", "dead0"}))
            return;
    }
    m_ownClocks = run({"unshare", "--time", "--monotonic", kOtherClock, "true"});
    m_problem.clear(); // a kernel without time namespaces is sufficient
}

TwoHosts::~TwoHosts() {
    for (int host : {0, 1})
        QProcess::execute("ip", {"netns", "del", space(host)});
}

QString TwoHosts::space(int host) const {
    return QString("rankscope-%1-%2").arg(::getpid()).arg(host);
}

bool TwoHosts::run(const QStringList& command) {
    QProcess process;
    process.start(command.front(), command.mid(1));
    const bool ended = process.waitForFinished(20'000);
    const bool good = ended && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    if (!good)
        m_problem = QString("%1: %2 %3")
                        .arg(command.join(' '), process.errorString(),
                             QString::fromUtf8(process.readAllStandardError()).trimmed());
    return good;
}

std::unique_ptr<QProcess> TwoHosts::start(int host, const QStringList& environment, const QStringList& command,
                                          const QString& log) const {
    QStringList words{"netns", "exec", space(host), "unshare", "--uts"};
    if (host == 1 && m_ownClocks)
        words << "--time"
              << "--monotonic" << kOtherClock;
    words << "--fork"
          << "--kill-child"
          << "sh"
          << "-c" << QString("hostname %1; exec \"$@\"").arg(name(host)) << "sh"
          << "env" << environment << command;
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::MergedChannels);
    process->setStandardOutputFile(log);
    process->start("ip", words);
    return process;
}

} // namespace rankscope::test
