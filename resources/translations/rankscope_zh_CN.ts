<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>CloseQuestions</name>
    <message>
        <source>Unsaved edits</source>
        <translation>未保存的修改</translation>
    </message>
    <message>
        <source>%1 has unsaved edits.</source>
        <translation>%1 有未保存的修改。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>A run is still active</source>
        <translation>训练仍在继续</translation>
    </message>
    <message>
        <source>%1 will keep running after you close the window.</source>
        <translation>关闭窗口后，%1 会继续训练。</translation>
    </message>
    <message>
        <source>Start Rankscope again to watch it, or stop it there or in a terminal:
%1</source>
        <translation>再次打开 Rankscope 可继续查看。要停止它，请在 Rankscope 里操作，或在终端执行：
%1</translation>
    </message>
    <message>
        <source>Do not show this again</source>
        <translation>不再显示</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>this run has no store</source>
        <translation>此任务没有数据库</translation>
    </message>
    <message>
        <source>no rank has reported anything yet</source>
        <translation>还没有任何 rank 的数据</translation>
    </message>
    <message>
        <source>this was not recorded</source>
        <translation>没有记录这一项</translation>
    </message>
    <message>
        <source>no batch sizes were recorded, so its samples cannot be counted</source>
        <translation>没有记录 batch size，无法统计样本数</translation>
    </message>
</context>
<context>
    <name>CopyText</name>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>DroppedFiles</name>
    <message>
        <source>Drop to open %1</source>
        <translation>松开即可打开 %1</translation>
    </message>
    <message>
        <source>Drop to import %1</source>
        <translation>松开即可导入 %1</translation>
    </message>
    <message>
        <source>Drop to explain %1</source>
        <translation>松开即可分析 %1</translation>
    </message>
    <message>
        <source>Drop to explain these %1 files</source>
        <translation>松开即可分析这 %1 个文件</translation>
    </message>
</context>
<context>
    <name>EarlierRuns</name>
    <message>
        <source>resumed from %1</source>
        <translation>由 %1 续训而来</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>任务 %1</translation>
    </message>
    <message>
        <source>Run %1 was resumed from run %2 after its step %3.</source>
        <translation>任务 %1 由任务 %2 续训而来（从其第 %3 步之后）。</translation>
    </message>
    <message>
        <source>What %1 did after that step was discarded: %2.</source>
        <translation>%1 此后的训练已丢弃：%2。</translation>
    </message>
    <message>
        <source>Checkpoint after step %1, %2</source>
        <comment>2: a run</comment>
        <translation>第 %1 步后的检查点，%2</translation>
    </message>
    <message>
        <source>Validation after step %1: loss %2, %3</source>
        <comment>3: a run</comment>
        <translation>第 %1 步后的验证：损失 %2，%3</translation>
    </message>
    <message>
        <source>Run %1: %2</source>
        <comment>2: what happened in it</comment>
        <translation>任务 %1：%2</translation>
    </message>
    <message>
        <source>Run %1, in between, contributed no steps.</source>
        <translation>两者之间的任务 %1 没有留下有效的步。</translation>
    </message>
</context>
<context>
    <name>EvidenceLabels</name>
    <message>
        <source>Sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>the machine</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>the supervisor and all ranks</source>
        <translation>主控进程和所有 rank</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>Exit code</source>
        <translation>退出码</translation>
    </message>
    <message>
        <source>Exception</source>
        <translation>异常信息</translation>
    </message>
    <message>
        <source>How the loader worker ended</source>
        <translation>加载 worker 如何终止</translation>
    </message>
    <message>
        <source>Processes that it has started</source>
        <translation>它启动的进程</translation>
    </message>
    <message>
        <source>Memory of these processes</source>
        <translation>这些进程的内存</translation>
    </message>
    <message>
        <source>Time that loader workers waited for a processor</source>
        <translation>加载 worker 等待 CPU 的时间</translation>
    </message>
    <message>
        <source>The call that came here until then</source>
        <translation>此前在此处的调用</translation>
    </message>
    <message>
        <source>The call that no rank had made before</source>
        <translation>此前没有 rank 做过的调用</translation>
    </message>
    <message>
        <source>Calls by the holder</source>
        <translation>阻塞源的调用次数</translation>
    </message>
    <message>
        <source>Calls by the others</source>
        <translation>其他 rank 的调用次数</translation>
    </message>
    <message>
        <source>Elements on the holder</source>
        <translation>阻塞源的元素个数</translation>
    </message>
    <message>
        <source>Elements on the others</source>
        <translation>其他 rank 的元素个数</translation>
    </message>
    <message>
        <source>Batches of an epoch</source>
        <translation>每个 epoch 的批次数</translation>
    </message>
    <message>
        <source>Batches of an epoch of the others</source>
        <translation>其他 rank 每个 epoch 的批次数</translation>
    </message>
    <message>
        <source>Where the time went</source>
        <translation>时间分布</translation>
    </message>
    <message>
        <source>Records that were lost</source>
        <translation>丢失的记录数</translation>
    </message>
    <message>
        <source>Time spent waiting for a processor</source>
        <translation>等待 CPU 的时间</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>已用内存</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Time until memory runs out</source>
        <translation>内存用完前的时间</translation>
    </message>
    <message>
        <source>Growth of memory per second</source>
        <translation>内存每秒增长</translation>
    </message>
    <message>
        <source>Growth of the holder&apos;s processes per second</source>
        <translation>阻塞源进程每秒增长</translation>
    </message>
    <message>
        <source>Signal</source>
        <translation>信号</translation>
    </message>
    <message>
        <source>Sent by</source>
        <translation>发送方</translation>
    </message>
    <message>
        <source>Program of the sender</source>
        <translation>发送信号的程序</translation>
    </message>
    <message>
        <source>Process id of the sender</source>
        <translation>发送信号的进程</translation>
    </message>
    <message>
        <source>User name of the sender</source>
        <translation>发送信号的用户</translation>
    </message>
    <message>
        <source>User id of the sender</source>
        <translation>发送信号的用户编号</translation>
    </message>
    <message>
        <source>Share of time spent holding up others</source>
        <translation>拖住其他 rank 的时间占比</translation>
    </message>
    <message>
        <source>Duration of these steps</source>
        <translation>这些步的耗时</translation>
    </message>
    <message>
        <source>Steps in which its batch was the longest</source>
        <translation>批次最长的步所占比例</translation>
    </message>
    <message>
        <source>Memory of the process</source>
        <translation>进程内存</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>NaN/Inf</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Place in the forward pass</source>
        <translation>所在位置</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Longest utterance of the holder</source>
        <translation>阻塞源最长的语音</translation>
    </message>
    <message>
        <source>Longest utterance of the others</source>
        <translation>其他 rank 最长的语音</translation>
    </message>
    <message>
        <source>Batch of the holder</source>
        <translation>阻塞源的批次</translation>
    </message>
    <message>
        <source>First tensor</source>
        <translation>首个张量</translation>
    </message>
    <message>
        <source>Last affected step</source>
        <translation>最近一次出现的步</translation>
    </message>
    <message>
        <source>Setting that would explain it</source>
        <translation>可能导致此问题的设置</translation>
    </message>
    <message>
        <source>Keys that differ</source>
        <translation>取值不同的键</translation>
    </message>
    <message>
        <source>Ranks that had arrived</source>
        <translation>已到达的 rank</translation>
    </message>
    <message>
        <source>Handed to the transport</source>
        <translation>已交给传输层</translation>
    </message>
    <message>
        <source>Written so far</source>
        <translation>已写入</translation>
    </message>
    <message>
        <source>Write rate</source>
        <translation>写入速率</translation>
    </message>
    <message>
        <source>CPU time</source>
        <translation>CPU 时间</translation>
    </message>
    <message>
        <source>CPU quota in cores</source>
        <translation>CPU 配额（核数）</translation>
    </message>
    <message>
        <source>Periods throttled by the CPU quota</source>
        <translation>被 CPU 配额限流的周期占比</translation>
    </message>
    <message>
        <source>Time lost to the CPU quota</source>
        <translation>被 CPU 配额限流的时间</translation>
    </message>
    <message>
        <source>GPU clock</source>
        <translation>GPU 频率</translation>
    </message>
    <message>
        <source>GPU temperature in °C</source>
        <translation>GPU 温度（°C）</translation>
    </message>
    <message>
        <source>GPU throttle reason</source>
        <translation>GPU 降频原因</translation>
    </message>
    <message>
        <source>Masked frames</source>
        <translation>掩码帧数</translation>
    </message>
    <message>
        <source>Where each rank is</source>
        <translation>各 rank 所在位置</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>frames, samples</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Consecutive hold-ups</source>
        <translation>连续拖住次数</translation>
    </message>
    <message>
        <source>Total time it held up others</source>
        <translation>累计拖住其他 rank</translation>
    </message>
    <message>
        <source>Steps examined</source>
        <translation>统计的最近步数</translation>
    </message>
    <message>
        <source>Steps in which it arrived last</source>
        <translation>其中最后到达的步数</translation>
    </message>
    <message>
        <source>Extra time per step</source>
        <translation>每步多用的时间</translation>
    </message>
    <message>
        <source>Own time relative to the others</source>
        <translation>自身耗时 ÷ 其他 rank 耗时</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Typical step of this run</source>
        <translation>此任务的典型单步时间</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Last lines of its log</source>
        <translation>日志末尾几行</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>NaN/Inf</translation>
    </message>
    <message>
        <source>%1 frames</source>
        <translation>%1 帧</translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>%1 个采样点</translation>
    </message>
    <message>
        <source>%1 utterances</source>
        <translation>%1 条语音</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Typical compute time per batch</source>
        <translation>一个批次通常的计算时间</translation>
    </message>
    <message>
        <source>Explained by batch length, at most</source>
        <translation>长度最多能解释的耗时</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Read time</source>
        <translation>读取耗时</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Time in this phase</source>
        <translation>阻塞源在此阶段的耗时</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>持续时间</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Queue capacity</source>
        <translation>队列容量</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>batches ready, room for</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>1 utterance</source>
        <translation>1 条语音</translation>
    </message>
    <message>
        <source>What was paused</source>
        <translation>被暂停的对象</translation>
    </message>
    <message>
        <source>Paused for</source>
        <translation>暂停时长</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程</translation>
    </message>
</context>
<context>
    <name>FailureLabels</name>
    <message>
        <source>The process that supervised this run is gone, so it is not known how the run ended.</source>
        <translation>主控进程已消失，任务是怎样结束的无法得知。</translation>
    </message>
    <message>
        <source>SIGKILL comes from outside and leaves no message. It is usually the kernel&apos;s out-of-memory killer, a scheduler or container limit, or kill -9. The kernel log shows which one (so does dmesg -T):</source>
        <translation>SIGKILL 来自外部，不留任何消息。多半是内核的 OOM killer、调度器或容器的限制，或是 kill -9。是哪一种可从内核日志看出（也可用 dmesg -T）：</translation>
    </message>
    <message>
        <source>Memory ran out. A smaller batch_size, num_workers or max_duration needs less; the kernel log has the figures:</source>
        <translation>内存用尽。减小 batch_size、num_workers 或 max_duration 可少用内存；内核日志里有具体数字：</translation>
    </message>
    <message>
        <source>The program itself crashed. The end of its log and, where the system keeps core dumps, this command show where:</source>
        <translation>程序自身崩溃。崩溃位置见日志末尾；如果系统保存了 core dump，用下面的命令也能看到：</translation>
    </message>
    <message>
        <source>Fix the recipe or the named file, then launch again.</source>
        <translation>修正配置文件或上面提到的文件，然后重新启动。</translation>
    </message>
    <message>
        <source>It ended before its first step. Its log shows why:</source>
        <translation>它在第一步之前就结束了。原因见日志：</translation>
    </message>
    <message>
        <source>Its log shows why:</source>
        <translation>原因见日志：</translation>
    </message>
    <message>
        <source>It ended before its first step and wrote nothing to its log.</source>
        <translation>它在第一步之前就结束了，日志里没有任何内容。</translation>
    </message>
    <message>
        <source>It wrote nothing to its log.</source>
        <translation>它的日志里没有任何内容。</translation>
    </message>
    <message>
        <source>The supervisor is the rankscopectl process that started the ranks; they end when it does. It was killed from outside: by the kernel&apos;s out-of-memory killer, by kill -9, or with the session that it was started in. You see what the ranks had measured by then. If it was killed for lack of memory, the kernel log says so:</source>
        <translation>主控进程是启动各 rank 的 rankscopectl 进程，它退出时各 rank 也随之退出。这次它被外部终止：可能是内核的 OOM killer、kill -9，也可能是启动它的会话结束了。此前各 rank 的测量结果仍显示在此。如果是因为内存不足，内核日志会有记录：</translation>
    </message>
    <message>
        <source>The machine went down during the run, or the run&apos;s folder belongs to another machine. You see what the ranks had measured by then.</source>
        <translation>训练期间机器关闭或重启，或者任务目录属于另一台机器。此前各 rank 的测量结果仍显示在此。</translation>
    </message>
    <message>
        <source>Do not move or rename a run&apos;s folder while the run is active.</source>
        <translation>训练进行时请勿移动或重命名任务目录。</translation>
    </message>
    <message>
        <source>Ranks that train together must end with the same weights: do not trust the model of this run.</source>
        <translation>一同训练的各 rank 结束时权重必须相同：此任务的模型不可信。</translation>
    </message>
    <message>
        <source>%1 ended because rank %2 did.</source>
        <translation>%1 随 rank %2 退出。</translation>
    </message>
    <message>
        <source>rank %1 had %2</source>
        <translation>rank %1 占用 %2</translation>
    </message>
    <message>
        <source>%1 of %2 were free</source>
        <translation>共 %2，空闲 %1</translation>
    </message>
    <message>
        <source>Last memory reading, %1 into the run: %2.</source>
        <translation>内存（任务开始 %1 后的最后一次测量）：%2。</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between two figures</comment>
        <translation>，</translation>
    </message>
    <message>
        <source>There is no checkpoint to resume from.</source>
        <translation>没有可用于续训的检查点。</translation>
    </message>
    <message>
        <source>Last checkpoint: %1.</source>
        <translation>最后的检查点：%1。</translation>
    </message>
    <message>
        <source> The steps after it (%1) are repeated.</source>
        <comment>behind the last checkpoint</comment>
        <translation>其后的 %1 步将重新训练。</translation>
    </message>
    <message>
        <source>%1, after step %2 (%3, complete according to its header)</source>
        <translation>%1，第 %2 步之后（%3，文件头表明完整）</translation>
    </message>
    <message>
        <source>This fault was injected by rankscope.faults (%1). Remove it for real training.</source>
        <translation>此故障由 rankscope.faults 有意注入（%1）。正式训练时请移除它。</translation>
    </message>
    <message>
        <source>Free some space on the full disk, then resume.</source>
        <translation>请在已满的磁盘上腾出空间，然后续训。</translation>
    </message>
    <message>
        <source>Free some space on the full disk, or let the run write to another one, then start it again.</source>
        <translation>请在已满的磁盘上腾出空间，或让任务写到另一个磁盘，然后重新启动。</translation>
    </message>
    <message>
        <source>NaN spreads to all weights and never leaves them: the run continued, as it would in NeMo, and learned nothing. The incident says on which rank and in which tensor it began. Lower optim.lr, clip gradients, or leave that batch out.</source>
        <translation>NaN 会扩散到所有权重，并且不会消失：训练像 NeMo 一样继续，但什么也没有学到。异常里写明它始于哪个 rank 和哪个张量。请降低 optim.lr、裁剪梯度，或剔除该批次。</translation>
    </message>
    <message>
        <source>There is no checkpoint from before that, so there are no usable weights.</source>
        <translation>在此之前没有检查点，因此没有可用的权重。</translation>
    </message>
    <message>
        <source>Last checkpoint from before that: %1.</source>
        <translation>此前的最后一个检查点：%1。</translation>
    </message>
    <message>
        <source>The run itself may have continued; its original folder shows how it ended. You see what had been measured when this copy was made.</source>
        <translation>原来的训练可能还在继续：它如何结束，要看它自己的任务目录。这里显示的是复制时已有的测量结果。</translation>
    </message>
</context>
<context>
    <name>FigureChange</name>
    <message>
        <source>%1 better</source>
        <comment>a change</comment>
        <translation>%1 更好</translation>
    </message>
    <message>
        <source>%1 worse</source>
        <comment>a change</comment>
        <translation>%1 更差</translation>
    </message>
</context>
<context>
    <name>HeaderTexts</name>
    <message>
        <source>%1 s/step</source>
        <translation>%1 秒/步</translation>
    </message>
    <message>
        <source>%1 steps/s</source>
        <translation>%1 步/秒</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1</translation>
    </message>
    <message>
        <source>its supervisor is suspended (SIGSTOP)</source>
        <translation>主控进程已暂停（SIGSTOP）</translation>
    </message>
    <message>
        <source>not known whether its supervisor is alive</source>
        <translation>无法得知主控进程是否存活</translation>
    </message>
    <message>
        <source>started %1</source>
        <translation>开始于 %1</translation>
    </message>
    <message>
        <source>took %1</source>
        <translation>用时 %1</translation>
    </message>
    <message>
        <source>took %1 in %2 parts</source>
        <comment>a time, a number</comment>
        <translation>共 %2 段，用时 %1</translation>
    </message>
    <message>
        <source>Only in part %1 of this run: the parts before are not counted.</source>
        <translation>只计这个任务的第 %1 段，之前各段不计。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 h of audio/s</source>
        <translation>%1 小时音频/秒</translation>
    </message>
    <message>
        <source>%1 × real time</source>
        <translation>实时的 %1 倍</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>epoch %1</translation>
    </message>
    <message>
        <source>epoch %1: %2 left</source>
        <translation>epoch %1 剩余 %2</translation>
    </message>
    <message>
        <source>%1, %2 %</source>
        <comment>time, share of the whole</comment>
        <translation>%1，%2%</translation>
    </message>
    <message>
        <source>How long the ranks wait for each other will be known after the first steps.</source>
        <translation>各 rank 互相等待了多久，要在最初几步之后才知道。</translation>
    </message>
    <message>
        <source>So far, an average rank has been blocked for %1 of %2 in collectives, waiting for the last rank to arrive. With balanced ranks, training would have been that much faster. &quot;Who waits for whom&quot; says which rank it was.</source>
        <translation>到目前为止，平均每个 rank 在 %2 中有 %1 阻塞在集合通信里，等待最后一个 rank 到达。如果各 rank 均衡，训练可以快这么多。是哪个 rank，见“谁在等谁”。</translation>
    </message>
    <message>
        <source>An average rank was blocked for %1 of %2 in collectives, waiting for the last rank to arrive. With balanced ranks, training would have been that much faster. &quot;Who waits for whom&quot; says which rank it was.</source>
        <translation>平均每个 rank 在 %2 中有 %1 阻塞在集合通信里，等待最后一个 rank 到达。如果各 rank 均衡，训练可以快这么多。是哪个 rank，见“谁在等谁”。</translation>
    </message>
    <message>
        <source>Partly an estimate: individual collectives are kept only for the newest steps and around incidents.</source>
        <translation>部分为估算：只有最新的步和异常前后才保留单个集合通信。</translation>
    </message>
</context>
<context>
    <name>InjectedFault</name>
    <message>
        <source>%1 on rank %2</source>
        <translation>rank %2 的 %1</translation>
    </message>
    <message>
        <source>%1 on rank %2 at step %3 and all that follow</source>
        <translation>rank %2 自第 %3 步起的 %1</translation>
    </message>
    <message>
        <source>%1 on rank %2 at step %3 to %4</source>
        <translation>rank %2 第 %3–%4 步的 %1</translation>
    </message>
    <message>
        <source>%1 on rank %2 at step %3</source>
        <translation>rank %2 第 %3 步的 %1</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the details of a fault</comment>
        <translation>，</translation>
    </message>
</context>
<context>
    <name>KeyDescriptions</name>
    <message>
        <source>Name of the run: it is part of the run folder and of the exported .nemo file.</source>
        <translation>任务的名称：用于任务目录名和导出的 .nemo 文件名。</translation>
    </message>
    <message>
        <source>Samples per second that audio is converted to before features are computed.</source>
        <translation>计算特征前，音频先重采样到此采样率。</translation>
    </message>
    <message>
        <source>Number of codebook entries, which is also the number of classes that the model predicts for each masked frame.</source>
        <translation>码本的条目数，也就是模型为每个掩码帧预测的类别数。</translation>
    </message>
    <message>
        <source>Number of random codebooks; the loss is averaged over their predictions.</source>
        <translation>随机码本的数量；损失对它们的预测取平均。</translation>
    </message>
    <message>
        <source>Size of a codebook vector that a stack of frames is projected to.</source>
        <translation>码本向量的维数，每组帧都投影到这一维数。</translation>
    </message>
    <message>
        <source>Whether frames are masked before or after the sub-sampling convolutions. With post_conv the sub-sampling gets no gradients.</source>
        <translation>掩码加在下采样卷积之前还是之后。使用 post_conv 时，下采样层得不到梯度。</translation>
    </message>
    <message>
        <source>Manifest of the training audio: one JSON object per line with audio_filepath and duration.</source>
        <translation>训练音频的 manifest：每行一个 JSON 对象，含 audio_filepath 和 duration。</translation>
    </message>
    <message>
        <source>Manifest of the audio that val_loss is computed on.</source>
        <translation>计算 val_loss 所用音频的 manifest。</translation>
    </message>
    <message>
        <source>Manifest of noise recordings that are mixed into the training audio.</source>
        <translation>噪声录音的 manifest，这些噪声会混入训练音频。</translation>
    </message>
    <message>
        <source>Utterances per batch on each rank. The global batch is this times the ranks times accumulate_grad_batches; memory grows with it.</source>
        <translation>每个 rank 每个批次的语音条数。全局 batch size 是它乘以 rank 数再乘以 accumulate_grad_batches；内存随之增长。</translation>
    </message>
    <message>
        <source>Utterances per validation batch on each rank.</source>
        <translation>每个 rank 每个验证批次的语音条数。</translation>
    </message>
    <message>
        <source>Loader processes per rank that read, decode and augment audio ahead of the training thread. With 0 the training thread does it itself.</source>
        <translation>每个 rank 的加载进程数，它们在训练线程之前读取、解码并增强音频。为 0 时由训练线程自己完成。</translation>
    </message>
    <message>
        <source>Batches that each loader process keeps ready.</source>
        <translation>每个加载进程预先准备的批次数。</translation>
    </message>
    <message>
        <source>Draws a new order of the utterances for every epoch, which the ranks then divide among themselves.</source>
        <translation>每个 epoch 重新打乱语音顺序，再由各 rank 分配。</translation>
    </message>
    <message>
        <source>Leaves out the last, incomplete batch of an epoch, so that all ranks have the same number of full batches.</source>
        <translation>丢弃每个 epoch 末尾不完整的批次，使各 rank 的批次数相同，且每个批次都完整。</translation>
    </message>
    <message>
        <source>Longer recordings (in seconds) are left out. The longest one decides the peak memory and how long other ranks wait.</source>
        <translation>超过此时长（秒）的录音不参与训练。最长的录音决定内存峰值和其他 rank 的等待时间。</translation>
    </message>
    <message>
        <source>Shorter recordings (in seconds) are left out; they must be longer than a masked block.</source>
        <translation>短于此时长（秒）的录音不参与训练；此时长必须大于一个掩码块。</translation>
    </message>
    <message>
        <source>Puts batches into page-locked memory, from which copies to a GPU are faster.</source>
        <translation>把批次放入锁页内存，复制到 GPU 更快。</translation>
    </message>
    <message>
        <source>Audio comes from tar archives instead of single files.</source>
        <translation>音频来自 tar 归档而不是单个文件。</translation>
    </message>
    <message>
        <source>Mel bands per frame: the width of the input to the encoder.</source>
        <translation>每帧的 mel 频带数，即 encoder 输入的宽度。</translation>
    </message>
    <message>
        <source>Length of an analysis window in seconds.</source>
        <translation>分析窗的长度（秒）。</translation>
    </message>
    <message>
        <source>Time between two frames in seconds; with the sub-sampling factor it decides the frames per second of the encoder.</source>
        <translation>相邻帧的间隔（秒）；与下采样因子一起决定 encoder 每秒的帧数。</translation>
    </message>
    <message>
        <source>Amount of random noise added to the samples before the spectrogram.</source>
        <translation>在计算频谱之前加到采样点上的随机噪声量。</translation>
    </message>
    <message>
        <source>Frames that a masked block covers, before sub-sampling.</source>
        <translation>一个掩码块覆盖的帧数（下采样之前）。</translation>
    </message>
    <message>
        <source>Probability that a masked block begins at a frame; with block_size it decides how much is masked.</source>
        <translation>每一帧成为掩码块起点的概率；与 block_size 一起决定被掩码的比例。</translation>
    </message>
    <message>
        <source>Number of Conformer layers. Compute, memory, and the collectives of SyncBN grow with it.</source>
        <translation>Conformer 层数。计算量、内存以及 SyncBN 的集合通信随之增长。</translation>
    </message>
    <message>
        <source>Width of the encoder; n_heads must divide it. Parameters grow with its square.</source>
        <translation>encoder 的宽度，必须能被 n_heads 整除。参数量随其平方增长。</translation>
    </message>
    <message>
        <source>Attention heads; must divide d_model.</source>
        <translation>注意力头数，必须能整除 d_model。</translation>
    </message>
    <message>
        <source>How the convolutions in front of the encoder reduce the number of frames.</source>
        <translation>encoder 前的卷积以何种方式减少帧数。</translation>
    </message>
    <message>
        <source>Input frames per encoder frame. A larger factor makes attention cheaper; the quantizer and the loss must use the same one.</source>
        <translation>每个 encoder 帧对应的输入帧数。越大注意力越省；量化器和损失必须使用相同的值。</translation>
    </message>
    <message>
        <source>How positions enter attention: relative (rel_pos), absolute, or within a local window.</source>
        <translation>位置信息进入注意力的方式：相对（rel_pos）、绝对或局部窗口。</translation>
    </message>
    <message>
        <source>Frames that attention sees to the left and to the right; -1 means all of them.</source>
        <translation>注意力向左和向右能看到的帧数；-1 表示全部。</translation>
    </message>
    <message>
        <source>Width of the depth-wise convolution in each layer; must be odd.</source>
        <translation>每层深度卷积的宽度，必须为奇数。</translation>
    </message>
    <message>
        <source>Norm of the convolution module. Only batch_norm has statistics that SyncBN exchanges.</source>
        <translation>卷积模块的归一化方式。只有 batch_norm 有 SyncBN 交换的统计量。</translation>
    </message>
    <message>
        <source>Share of activations that is dropped in each layer during training.</source>
        <translation>训练时每层丢弃的激活比例。</translation>
    </message>
    <message>
        <source>Finds the longest batch of all ranks with a blocking all-reduce before each forward pass. The result only sizes the positional table; training is unaffected.</source>
        <translation>每次前向之前，各 rank 用一次阻塞的 all-reduce 求最长批次的长度。结果只用来确定位置编码表的长度，不影响训练。</translation>
    </message>
    <message>
        <source>Share of a stack of frames that must be masked for it to count in the loss.</source>
        <translation>一组帧中至少被掩码多少比例才计入损失。</translation>
    </message>
    <message>
        <source>The optimizer.</source>
        <translation>优化器。</translation>
    </message>
    <message>
        <source>Learning rate at its peak; with NoamAnnealing a factor that is divided by the square root of d_model times the warm-up steps.</source>
        <translation>学习率峰值；使用 NoamAnnealing 时是一个系数，会除以 d_model 与 warmup 步数乘积的平方根。</translation>
    </message>
    <message>
        <source>Decay of the running averages of the gradient and of its square in Adam.</source>
        <translation>Adam 中梯度及其平方的滑动平均衰减系数。</translation>
    </message>
    <message>
        <source>How strongly weights are pulled towards 0 in each step.</source>
        <translation>每一步把权重拉向 0 的强度。</translation>
    </message>
    <message>
        <source>How the learning rate changes over the steps.</source>
        <translation>学习率随步数变化的方式。</translation>
    </message>
    <message>
        <source>Steps in which the learning rate rises to its peak.</source>
        <translation>学习率升到峰值所用的步数。</translation>
    </message>
    <message>
        <source>The learning rate does not fall below this.</source>
        <translation>学习率不会低于此值。</translation>
    </message>
    <message>
        <source>Number of ranks on each node, or a list of GPUs; -1 takes all GPUs of the machine.</source>
        <translation>每个节点的 rank 数，或 GPU 列表；-1 表示机器上的所有 GPU。</translation>
    </message>
    <message>
        <source>Where ranks compute: cpu, gpu, or auto, which uses GPUs if there are any.</source>
        <translation>rank 在哪里计算：cpu、gpu，或 auto（有 GPU 时使用 GPU）。</translation>
    </message>
    <message>
        <source>Number of machines; each has trainer.devices ranks.</source>
        <translation>机器数量；每台有 trainer.devices 个 rank。</translation>
    </message>
    <message>
        <source>How gradients are shared between ranks. ddp averages them bucket by bucket during backward.</source>
        <translation>rank 之间如何同步梯度。ddp 在反向传播中逐个梯度桶求平均。</translation>
    </message>
    <message>
        <source>Batch norms use the statistics of all ranks: two collectives per layer and step, in which ranks wait for each other.</source>
        <translation>批归一化使用所有 rank 的统计量：每层每步两次集合通信，各 rank 在其中相互等待。</translation>
    </message>
    <message>
        <source>Optimizer steps after which the run ends; -1 leaves it to max_epochs.</source>
        <translation>优化器走满这么多步后任务结束；-1 表示由 max_epochs 决定。</translation>
    </message>
    <message>
        <source>Passes over the training set after which the run ends; -1 leaves it to max_steps.</source>
        <translation>遍历训练集这么多次后任务结束；-1 表示由 max_steps 决定。</translation>
    </message>
    <message>
        <source>Training batches between two validations, or a share of an epoch. All ranks validate together.</source>
        <translation>两次验证之间的训练批次数，或占一个 epoch 的比例。所有 rank 一起验证。</translation>
    </message>
    <message>
        <source>Batches whose gradients are summed before one exchange and one step: a larger effective batch without more memory.</source>
        <translation>梯度累加这么多个批次后才交换并更新一步：等效 batch size 变大，而内存不增加。</translation>
    </message>
    <message>
        <source>Largest norm of the gradients; larger ones are scaled down. 0 or null disables clipping.</source>
        <translation>梯度范数的上限，超过则缩小。0 或 null 表示不裁剪。</translation>
    </message>
    <message>
        <source>Number format of forward and backward: 32, bf16-mixed or 16-mixed. The mixed ones save memory and time on GPUs.</source>
        <translation>前向和反向的数值格式：32、bf16-mixed 或 16-mixed。混合精度在 GPU 上节省内存和时间。</translation>
    </message>
    <message>
        <source>Splits the training set between ranks. Without it every rank trains on all of it.</source>
        <translation>把训练集分给各 rank。关闭时，每个 rank 都用全部数据训练。</translation>
    </message>
    <message>
        <source>Steps between two logged values.</source>
        <translation>两次记录之间的步数。</translation>
    </message>
    <message>
        <source>Version of NeMo whose keys and defaults apply.</source>
        <translation>采用哪个 NeMo 版本的键和默认值。</translation>
    </message>
    <message>
        <source>Seed of all random numbers. With the same seed two runs draw the same masks, batches and weights and can be compared.</source>
        <translation>所有随机数的种子。种子相同的两个任务，掩码、批次和初始权重也相同，可以互相比较。</translation>
    </message>
    <message>
        <source>A wait must last this long to become an incident.</source>
        <translation>等待超过这个时间才记为异常。</translation>
    </message>
    <message>
        <source>A wait must also last this many typical steps to become an incident.</source>
        <translation>等待还要超过这么多个典型单步时间才记为异常。</translation>
    </message>
    <message>
        <source>Seconds after which a rank stops waiting in the length sync and continues with its own longest batch.</source>
        <translation>rank 在长度同步中等待这么多秒后放弃，以自己最长的批次继续。</translation>
    </message>
    <message>
        <source>Seconds that a rank waits in a collective before the run is ended.</source>
        <translation>rank 在一次集合通信中等待超过这么多秒，任务就会结束。</translation>
    </message>
    <message>
        <source>Delays and failures injected on purpose, to see how Rankscope reports them. Remove this section for real training.</source>
        <translation>故意注入的延迟和故障，用来查看 Rankscope 如何报告。正式训练时请移除此配置段。</translation>
    </message>
    <message>
        <source>Size of a gradient bucket. Each bucket is one all-reduce during backward.</source>
        <translation>梯度桶的大小。反向传播时每个梯度桶做一次 all-reduce。</translation>
    </message>
</context>
<context>
    <name>ManifestFile</name>
    <message>
        <source>%1 was not found: it was moved, or its path is relative to another folder</source>
        <translation>找不到 %1：文件已被移动，或其路径相对于另一个文件夹</translation>
    </message>
    <message>
        <source>No program was found to open %1</source>
        <translation>找不到能打开 %1 的程序</translation>
    </message>
    <message>
        <source>%1 is in a tar file and cannot be opened from here</source>
        <translation>%1 在 tar 文件中，无法从这里打开</translation>
    </message>
</context>
<context>
    <name>Marks</name>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Danger</source>
        <translation>危险</translation>
    </message>
    <message>
        <source>Caution</source>
        <translation>注意</translation>
    </message>
</context>
<context>
    <name>PageKeys</name>
    <message>
        <source>Pin as the baseline, show differences to it</source>
        <translation>固定为基准、显示与它的差别</translation>
    </message>
    <message>
        <source>Configure, in the tree</source>
        <translation>配置页，树中</translation>
    </message>
    <message>
        <source>Edit the value; open or close a section</source>
        <translation>编辑值；展开或折叠配置段</translation>
    </message>
    <message>
        <source>Switch between true and false</source>
        <translation>在 true 与 false 之间切换</translation>
    </message>
    <message>
        <source>Add a key to the section</source>
        <translation>在本配置段添加键</translation>
    </message>
    <message>
        <source>Remove the key from your file</source>
        <translation>从你的文件中移除该键</translation>
    </message>
    <message>
        <source>Move the key or section</source>
        <translation>移动键或配置段</translation>
    </message>
    <message>
        <source>Explain the key</source>
        <translation>解释该键</translation>
    </message>
    <message>
        <source>In the text: next and previous match</source>
        <translation>文本中：下一个、上一个匹配</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>回看</translation>
    </message>
    <message>
        <source>Move the view, in a plot or the strip</source>
        <translation>移动视图（图表或概览条中）</translation>
    </message>
    <message>
        <source>Move the plot among the others</source>
        <translation>调整该图表的顺序</translation>
    </message>
    <message>
        <source>Remove the plot</source>
        <translation>移除该图表</translation>
    </message>
    <message>
        <source>In the strip: zoom in and out</source>
        <translation>概览条中：放大、缩小</translation>
    </message>
    <message>
        <source>On the board: this rank alone; mute it</source>
        <translation>rank 面板上：只看该 rank；隐藏</translation>
    </message>
    <message>
        <source>On the board: pin the rank</source>
        <translation>rank 面板上：固定该 rank</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Zoom at the centre</source>
        <translation>以中间为准缩放</translation>
    </message>
    <message>
        <source>Whole run; its end</source>
        <translation>整个任务；任务末尾</translation>
    </message>
    <message>
        <source>From a selected span: to its neighbours</source>
        <translation>从选中的区段到相邻的区段</translation>
    </message>
    <message>
        <source>Copy the details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Follow a live run</source>
        <translation>跟随进行中的任务</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Go to a line, step or time</source>
        <translation>跳到某行、某步或某时刻</translation>
    </message>
    <message>
        <source>Copy the selected lines</source>
        <translation>复制选中的行</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>任务列表</translation>
    </message>
    <message>
        <source>Open the run</source>
        <translation>打开任务</translation>
    </message>
    <message>
        <source>Edit the tags, the note</source>
        <translation>编辑标签、备注</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Select all runs, to compare them</source>
        <translation>选中全部任务以便比较</translation>
    </message>
    <message>
        <source>Copy the selected rows</source>
        <translation>复制选中的行</translation>
    </message>
    <message>
        <source>In the text: indent, outdent</source>
        <translation>文本中：缩进与反缩进</translation>
    </message>
    <message>
        <source>Leave the text</source>
        <translation>离开文本</translation>
    </message>
    <message>
        <source>From a wait to its cause</source>
        <translation>从等待到其起因</translation>
    </message>
    <message>
        <source>Previous and next incident</source>
        <translation>上一个与下一个异常</translation>
    </message>
    <message>
        <source>Toggle favourite</source>
        <translation>收藏或取消收藏</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Go to the line in the text, and back</source>
        <translation>跳到文本中的对应行，再按返回</translation>
    </message>
    <message>
        <source>Move (with Ctrl: further)</source>
        <translation>移动（按住 Ctrl 移动更远）</translation>
    </message>
    <message>
        <source>Other lanes (PgUp, PgDown: a page)</source>
        <translation>其他泳道（PgUp、PgDown 翻页）</translation>
    </message>
    <message>
        <source>Details; zoom to the selection</source>
        <translation>详情；缩放到所选内容</translation>
    </message>
    <message>
        <source>Clear the selection</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>In the filter: suggestions</source>
        <translation>在筛选框中：显示建议</translation>
    </message>
    <message>
        <source>Zoom the y axis</source>
        <translation>缩放纵轴</translation>
    </message>
    <message>
        <source>Fit the y axis again</source>
        <translation>重新适配纵轴</translation>
    </message>
</context>
<context>
    <name>Plan</name>
    <message>
        <source>Training data</source>
        <translation>训练数据</translation>
    </message>
    <message>
        <source>Validation data</source>
        <translation>验证数据</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>rank %1: %2</source>
        <translation>rank %1：%2</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>rank</translation>
    </message>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n 个进程</numerusform>
        </translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>%1 trainable, %2 frozen, %3 in buffers</source>
        <translation>可训练 %1，冻结 %2，缓冲区中的数 %3</translation>
    </message>
    <message>
        <source>Utterances</source>
        <translation>语音条数</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>too short: %1, too long: %2, unreadable: %3
shortest %4, median %5, 95 % up to %6, longest %7</source>
        <translation>过短：%1，过长：%2，无法读取：%3
最短 %4，中位数 %5，95% 不超过 %6，最长 %7</translation>
    </message>
    <message>
        <source>rank %1: %2 batches, %3 of speech, %4 with padding, waits for %5</source>
        <translation>rank %1：%2 个批次，语音 %3，padding 后 %4，等待 %5</translation>
    </message>
    <message>
        <source>Batches per rank and epoch</source>
        <translation>每 rank 每 epoch 的批次数</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>padding</translation>
    </message>
    <message>
        <source>Share of the computation that is spent on silence, because a batch is as long as its longest utterance</source>
        <translation>批次要与其中最长的语音等长，由此产生的静音占计算量的比例</translation>
    </message>
    <message>
        <source>Share of the ranks&apos; time spent waiting for a rank with a longer batch, assuming that compute time is proportional to padded audio</source>
        <translation>rank 等待批次更长者的时间占比（假定批次耗时与 padding 后的音频时长成正比）</translation>
    </message>
    <message>
        <source>Largest batch</source>
        <translation>最大的批次</translation>
    </message>
    <message numerus="yes">
        <source>%n utterance(s)</source>
        <translation>
            <numerusform>%n 条语音</numerusform>
        </translation>
    </message>
    <message>
        <source>Steps per epoch</source>
        <translation>每 epoch 的步数</translation>
    </message>
    <message>
        <source>Utterances per step</source>
        <translation>每步的语音数</translation>
    </message>
    <message>
        <source>Memory per rank, estimated</source>
        <translation>每 rank 内存（估算）</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Program and buffers</source>
        <translation>程序和缓冲区</translation>
    </message>
    <message>
        <source>Collectives per step and rank</source>
        <translation>每步每 rank 的集合通信</translation>
    </message>
    <message>
        <source>The same step in NeMo</source>
        <translation>NeMo 的同一步</translation>
    </message>
    <message>
        <source>%1 elements</source>
        <translation>%1 个元素</translation>
    </message>
    <message>
        <source>%1 to %2 elements</source>
        <translation>%1 至 %2 个元素</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>one rank</source>
        <translation>只有一个 rank</translation>
    </message>
    <message>
        <source>In %1: the training thread waits for it</source>
        <translation>在 %1 中：训练线程要等它完成</translation>
    </message>
    <message>
        <source>In %1: overlaps with computing</source>
        <translation>在 %1 中：与计算重叠</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n 个 rank</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 padding</source>
        <translation>padding %1</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 参数</translation>
    </message>
    <message>
        <source>%1 memory per rank</source>
        <translation>每 rank 内存 %1</translation>
    </message>
    <message>
        <source>no collective</source>
        <translation>没有集合通信</translation>
    </message>
    <message numerus="yes">
        <source>%n collective(s), %1 per step</source>
        <translation>
            <numerusform>每步 %n 次集合通信，%1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1; can hang</source>
        <translation>%1；可能卡死</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Idle from uneven lengths</source>
        <translation>因长度不均而空闲</translation>
    </message>
    <message>
        <source>Total steps</source>
        <translation>总步数</translation>
    </message>
    <message>
        <source>Needs %1, %2 available: the run will run out of memory</source>
        <translation>需要 %1，可用 %2：训练会因内存不足（OOM）中断</translation>
    </message>
    <message>
        <source>Disk of the runs folder</source>
        <translation>任务根目录所在磁盘</translation>
    </message>
    <message>
        <source>Minimum needed</source>
        <translation>至少需要</translation>
    </message>
    <message>
        <source>%1 of %2 free</source>
        <translation>%1（可用 %2）</translation>
    </message>
    <message>
        <source>Too little space: the run will fail when the disk is full</source>
        <translation>空间不足：磁盘写满时训练会失败</translation>
    </message>
    <message>
        <source>Speed, estimated</source>
        <translation>速度（估算）</translation>
    </message>
    <message>
        <source>Time per step</source>
        <translation>每步时间</translation>
    </message>
    <message>
        <source>Time per epoch</source>
        <translation>每个 epoch 的时间</translation>
    </message>
    <message>
        <source>Audio</source>
        <translation>音频</translation>
    </message>
    <message>
        <source>%1 h per second</source>
        <translation>每秒 %1 小时</translation>
    </message>
    <message>
        <source>Based on</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>batches of batch_size × max_duration, without a manifest</source>
        <translation>没有 manifest，按 batch_size × max_duration 的批次计算</translation>
    </message>
    <message>
        <source>Commands to start it</source>
        <translation>启动命令</translation>
    </message>
    <message>
        <source>Planned for %1</source>
        <translation>按 %1 预估</translation>
    </message>
    <message>
        <source>epoch ≈ %1</source>
        <translation>epoch ≈ %1</translation>
    </message>
    <message>
        <source>Needs %1 per rank, %2 available</source>
        <translation>每个 rank 需要 %1，可用 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 (and %n more)</source>
        <translation>
            <numerusform>%1（另有 %n 项）</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 per step and rank, at %2 % (assumed) of the GPU&apos;s %3/s; compute only</source>
        <translation>每步每 rank %1，按 GPU 峰值 %3/s 的 %2%（假定）计算；仅含计算</translation>
    </message>
    <message>
        <source>run %1 of this model here: %2/s per rank</source>
        <translation>本机任务 %1（同一模型）：每 rank %2/s</translation>
    </message>
    <message>
        <source>Speed, measured</source>
        <translation>速度（实测）</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>There is no earlier run of this model on this machine to take the speed from</source>
        <translation>本机没有跑过这个模型，无法估计速度</translation>
    </message>
    <message>
        <source>Not measured: %1</source>
        <translation>未能实测：%1</translation>
    </message>
    <message numerus="yes">
        <source>measured just now on this machine, %n step(s)</source>
        <translation>
            <numerusform>刚刚在本机实测，%n 步</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 batch(es) per rank and epoch</source>
        <translation>
            <numerusform>每 rank 每 epoch %1 个批次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n collective(s), %1</source>
        <translation>
            <numerusform>%n 次集合通信，%1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlotSeries</name>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Masked frames</source>
        <translation>掩码帧数</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>batch size</translation>
    </message>
    <message>
        <source>Shortest sequence</source>
        <translation>最短序列</translation>
    </message>
    <message>
        <source>Mean sequence</source>
        <translation>平均序列</translation>
    </message>
    <message>
        <source>Longest audio</source>
        <translation>最长音频</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>padding</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>Wait in length sync</source>
        <translation>长度同步等待</translation>
    </message>
    <message>
        <source>Wait in gradients</source>
        <translation>梯度等待</translation>
    </message>
    <message>
        <source>Wait in SyncBatchNorm</source>
        <translation>SyncBatchNorm 等待</translation>
    </message>
    <message>
        <source>Wait in barriers</source>
        <translation>barrier 等待</translation>
    </message>
    <message>
        <source>Wait in metrics</source>
        <translation>指标等待</translation>
    </message>
    <message>
        <source>Wait in other collectives</source>
        <translation>其他集合通信等待</translation>
    </message>
    <message>
        <source>Exposed wait</source>
        <translation>未被掩盖的等待</translation>
    </message>
    <message>
        <source>Data wait</source>
        <translation>等待数据（data_wait）</translation>
    </message>
    <message>
        <source>Copy to device</source>
        <translation>拷贝到设备</translation>
    </message>
    <message>
        <source>Preprocessing</source>
        <translation>预处理</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>数据增强</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向（forward）</translation>
    </message>
    <message>
        <source>Loss computation</source>
        <translation>损失计算</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向（backward）</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Barrier</source>
        <translation>barrier</translation>
    </message>
    <message>
        <source>utterances</source>
        <translation>条语音</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>采样点</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>采样点/秒</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Time by phase</source>
        <translation>各阶段耗时</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>CPU use</source>
        <translation>CPU 占用</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>GPU utilisation</source>
        <translation>GPU 利用率</translation>
    </message>
    <message>
        <source>busy cores</source>
        <translation>忙碌核数</translation>
    </message>
    <message>
        <source>Memory, CPU and GPU</source>
        <translation>内存、CPU 与 GPU</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Longest sequence</source>
        <translation>最长序列</translation>
    </message>
    <message>
        <source>Collective wait</source>
        <translation>集合通信等待</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>nats</translation>
    </message>
</context>
<context>
    <name>PlotSignLabels</name>
    <message>
        <source>all ranks: range and mean</source>
        <translation>所有 rank：范围和平均值</translation>
    </message>
    <message>
        <source>incident (bar: its duration)</source>
        <translation>异常（横条是时长）</translation>
    </message>
    <message>
        <source>pause of the whole run</source>
        <translation>整个任务暂停</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>annotation</source>
        <translation>批注</translation>
    </message>
    <message>
        <source>has not ended</source>
        <translation>尚未结束</translation>
    </message>
    <message>
        <source>peak outside the axis</source>
        <translation>超出纵轴的峰值</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN 或 Inf</translation>
    </message>
    <message>
        <source>not watched</source>
        <translation>未监视</translation>
    </message>
</context>
<context>
    <name>QueryLabels</name>
    <message>
        <source>This closing bracket has no opening one.</source>
        <translation>这个右括号没有对应的左括号。</translation>
    </message>
    <message>
        <source>A word or a comparison is expected here.</source>
        <translation>这里应有一个词或一个比较式。</translation>
    </message>
    <message>
        <source>This is nested too deeply.</source>
        <translation>嵌套太深。</translation>
    </message>
    <message>
        <source>&quot;%1&quot; needs something on both sides; put it in quotes to search for the word.</source>
        <translation>“%1”两边都要有内容；要搜索这个词本身，请加引号。</translation>
    </message>
    <message>
        <source>These brackets are empty.</source>
        <translation>括号里没有内容。</translation>
    </message>
    <message>
        <source>This opening bracket has no closing one.</source>
        <translation>这个左括号没有对应的右括号。</translation>
    </message>
    <message>
        <source>This quote is not closed.</source>
        <translation>这个引号没有闭合。</translation>
    </message>
    <message>
        <source>Something is missing at the end.</source>
        <translation>末尾缺少内容。</translation>
    </message>
    <message>
        <source>A name is missing on the left, as in loss&lt;5.</source>
        <translation>前面缺少名称，例如 loss&lt;5。</translation>
    </message>
    <message>
        <source>A value is missing after &quot;%1&quot;.</source>
        <translation>“%1”后面缺少值。</translation>
    </message>
    <message>
        <source>%1 takes a duration, such as 90, 1.5h or 250ms.</source>
        <translation>%1 需要时长，例如 90、1.5h 或 250ms。</translation>
    </message>
    <message>
        <source>%1 takes a size, such as 800MB or 2GB.</source>
        <translation>%1 需要大小，例如 800MB 或 2GB。</translation>
    </message>
    <message>
        <source>%1 takes a date, such as 2026-01-31 or 2026-01-31T12:30.</source>
        <translation>%1 需要日期，例如 2026-01-31 或 2026-01-31T12:30。</translation>
    </message>
    <message>
        <source>%1 takes a number.</source>
        <translation>%1 需要数字。</translation>
    </message>
    <message>
        <source>%1 is not a number; use %1:%2.</source>
        <translation>%1 不是数字；请用 %1:%2。</translation>
    </message>
    <message>
        <source>&lt; and &gt; need a number.</source>
        <translation>&lt; 和 &gt; 需要数字。</translation>
    </message>
    <message>
        <source>There is no column or setting named %1; put it in quotes to search for the word.</source>
        <translation>没有名为 %1 的列或设置；要搜索这个词本身，请加引号。</translation>
    </message>
    <message>
        <source>There is no column or setting named %1; did you mean %2?</source>
        <translation>没有名为 %1 的列或设置；是不是 %2？</translation>
    </message>
</context>
<context>
    <name>Remedies</name>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设为 %1</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>diagnosis settings</source>
        <translation>诊断的设置</translation>
    </message>
    <message>
        <source>who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>start-up checks</source>
        <translation>启动前与启动时的检查</translation>
    </message>
    <message>
        <source>injected faults</source>
        <translation>注入的故障</translation>
    </message>
</context>
<context>
    <name>RemedyButton</name>
    <message>
        <source>Remove the injected fault</source>
        <translation>移除该故障</translation>
    </message>
    <message>
        <source>Remove the injected faults</source>
        <translation>从配置文件中移除这些故障</translation>
    </message>
    <message>
        <source>Opens a copy of the recipe without rankscope.faults, ready to launch.</source>
        <translation>打开不含 rankscope.faults 的配置文件副本，可直接启动。</translation>
    </message>
    <message>
        <source>Set %1: %2</source>
        <comment>a setting and its value</comment>
        <translation>将 %1 设为 %2</translation>
    </message>
    <message>
        <source>Copy override</source>
        <translation>复制覆盖项</translation>
    </message>
    <message>
        <source>Copies %1, to be added to the command</source>
        <translation>复制 %1，用于加到命令中</translation>
    </message>
</context>
<context>
    <name>ResumeOffer</name>
    <message>
        <source>Resume</source>
        <translation>续训</translation>
    </message>
    <message>
        <source>Resume from before it, step %1</source>
        <translation>从此前的第 %1 步续训</translation>
    </message>
    <message>
        <source>Resume from step %1</source>
        <translation>从第 %1 步续训</translation>
    </message>
    <message>
        <source>Resume again from step %1</source>
        <translation>再次从第 %1 步续训</translation>
    </message>
    <message>
        <source>Resume again</source>
        <translation>再次续训</translation>
    </message>
    <message>
        <source>Open run %1</source>
        <translation>打开任务 %1</translation>
    </message>
    <message>
        <source>Run %1 was resumed from this one.</source>
        <translation>已由任务 %1 续训。</translation>
    </message>
</context>
<context>
    <name>RunChanges</name>
    <message>
        <source>no %1</source>
        <comment>a setting</comment>
        <translation>无 %1</translation>
    </message>
    <message>
        <source>different %1</source>
        <comment>a setting</comment>
        <translation>不同的 %1</translation>
    </message>
    <message>
        <source>no change</source>
        <translation>无改动</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 项</translation>
    </message>
    <message>
        <source>%1
against %2</source>
        <comment>changes, a run&apos;s id</comment>
        <translation>%1
相对于 %2</translation>
    </message>
</context>
<context>
    <name>RunEnd</name>
    <message>
        <source>before the first step</source>
        <translation>第一步之前</translation>
    </message>
    <message>
        <source>at step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>never joined</source>
        <translation>从未加入</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>exit %1 (%2)</source>
        <translation>退出码 %1（%2）</translation>
    </message>
    <message>
        <source>exit %1</source>
        <translation>退出码 %1</translation>
    </message>
    <message>
        <source>ended by %1</source>
        <translation>被 %1 终止</translation>
    </message>
    <message>
        <source>process gone</source>
        <translation>进程已消失</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>cause, at step</comment>
        <translation>%2：%1</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>asked to leave %1</source>
        <translation>%1收到退出信号</translation>
    </message>
    <message>
        <source>left with the others %1</source>
        <translation>%1随其他 rank 一起退出</translation>
    </message>
    <message>
        <source>ended with the run %1</source>
        <translation>%1随任务结束</translation>
    </message>
    <message>
        <source>after 1 step</source>
        <translation>1 步之后</translation>
    </message>
    <message>
        <source>after %1 steps</source>
        <translation>%1 步之后</translation>
    </message>
    <message>
        <source>ended because rank %1 did</source>
        <translation>随 rank %1 退出</translation>
    </message>
    <message>
        <source>ended, and the run with it</source>
        <translation>已终止，任务随之失败</translation>
    </message>
    <message>
        <source>disk full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>loss NaN %1</source>
        <comment>at step</comment>
        <translation>%1损失为 NaN</translation>
    </message>
    <message>
        <source>stopped %1</source>
        <translation>%1由用户停止</translation>
    </message>
</context>
<context>
    <name>RunField</name>
    <message>
        <source>Validation at %1</source>
        <comment>a step</comment>
        <translation>第 %1 步验证损失</translation>
    </message>
    <message>
        <source>Loss at %1</source>
        <comment>a step</comment>
        <translation>第 %1 步损失</translation>
    </message>
    <message>
        <source>Newest validation loss up to step %1, as rank 0 logs it (val_loss)</source>
        <translation>到第 %1 步为止最新的验证损失，以 rank 0 记录的为准（val_loss）</translation>
    </message>
    <message>
        <source>Training loss of rank 0 at step %1</source>
        <translation>rank 0 在第 %1 步的训练损失</translation>
    </message>
    <message>
        <source>Favourite</source>
        <translation>收藏</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Whether the run is active, or how it ended</source>
        <translation>任务现在的状态，或结束的方式</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Local time</source>
        <translation>本地时间</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>From the start to the end, or until now, with the runs that it was resumed from</source>
        <translation>从开始到结束，或到现在；续训的任务加上之前各段</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Finished by all ranks, of those planned</source>
        <translation>所有 rank 都完成的步数 / 计划步数</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>rank 数</translation>
    </message>
    <message>
        <source>World size</source>
        <translation>进程总数（world size）</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Last training loss of rank 0</source>
        <translation>rank 0 最后的训练损失</translation>
    </message>
    <message>
        <source>Best loss</source>
        <translation>最小损失</translation>
    </message>
    <message>
        <source>Smallest training loss of rank 0 at a single step</source>
        <translation>rank 0 单步最小的训练损失</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Best validation</source>
        <translation>最小验证损失</translation>
    </message>
    <message>
        <source>Steps/s</source>
        <translation>步/秒</translation>
    </message>
    <message>
        <source>Steps per second of step time, over the whole run</source>
        <translation>整个任务中按单步时间计的每秒步数</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>Utterances per second of step time, over all ranks</source>
        <translation>所有 rank 按单步时间计的每秒语音条数</translation>
    </message>
    <message>
        <source>Total wait</source>
        <translation>等待合计</translation>
    </message>
    <message>
        <source>Total time that all ranks spent waiting in collectives, with the runs that it was resumed from</source>
        <translation>所有 rank 在集合通信中等待的总时间；续训的任务加上之前各段</translation>
    </message>
    <message>
        <source>Rank that the others waited for longest, and how long, with the runs that it was resumed from</source>
        <translation>其他 rank 等待最久的 rank，以及等待时间；续训的任务加上之前各段</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>Number of incidents found, with those of the runs that it was resumed from</source>
        <translation>发现的异常数；续训的任务加上之前各段</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>Largest memory of any rank&apos;s process</source>
        <translation>任一 rank 进程占用的最大内存</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>The recipe&apos;s tags and yours; F2 edits yours</source>
        <translation>配置文件中的标签和你的标签；F2 编辑你的标签</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Machine that the supervisor runs on</source>
        <translation>主控进程所在的主机</translation>
    </message>
    <message>
        <source>Exit cause</source>
        <translation>结束原因</translation>
    </message>
    <message>
        <source>Why the run ended, or why it cannot be read</source>
        <translation>任务为何结束，或为何无法读取</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Name of the run&apos;s folder: its id</source>
        <translation>任务目录名，即 id</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Hidden unless archived runs are shown</source>
        <translation>默认不显示</translation>
    </message>
    <message>
        <source>rank %1, %2</source>
        <translation>rank %1，%2</translation>
    </message>
    <message>
        <source>%1 in %2 parts</source>
        <comment>a figure</comment>
        <translation>%1，共 %2 段</translation>
    </message>
    <message>
        <source>%1 in %2 parts, %3 of them without figures</source>
        <translation>%1，共 %2 段，其中 %3 段没有数据</translation>
    </message>
    <message>
        <source>Setting of the effective configuration</source>
        <translation>生效配置中的设置</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>steps</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Starred runs come first; Space toggles it</source>
        <translation>收藏的任务排在最前；按空格键切换</translation>
    </message>
    <message>
        <source>Your name for the run, or else the one that it was started with; F2 renames</source>
        <translation>你起的名称，否则为启动时的名称；F2 重命名</translation>
    </message>
    <message>
        <source>Slowest rank</source>
        <translation>最慢的 rank</translation>
    </message>
    <message>
        <source>Your note; N edits it</source>
        <translation>你的备注；按 N 编辑</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配置文件</translation>
    </message>
    <message>
        <source>Name in the recipe</source>
        <translation>配置文件中的名称</translation>
    </message>
    <message>
        <source>Settings that differ from the run that it repeats, or else from the oldest run of the same name</source>
        <translation>与所重跑的任务不同的设置；不是重跑时，与同名的最早任务相比</translation>
    </message>
    <message>
        <source>Last validation loss, as rank 0 logs it (val_loss)</source>
        <translation>最后一次验证损失，即 rank 0 记录的 val_loss</translation>
    </message>
    <message>
        <source>Smallest validation loss, as rank 0 logs it (val_loss)</source>
        <translation>最小的验证损失，即 rank 0 记录的 val_loss</translation>
    </message>
    <message>
        <source>%1 (sum)</source>
        <translation>%1（累加）</translation>
    </message>
</context>
<context>
    <name>RunLineage</name>
    <message>
        <source>Run %1, from which %2 was resumed, is no longer in the same runs folder: its steps and earlier ones are not shown.</source>
        <translation>任务 %1（%2 由它续训而来）已不在同一任务根目录中：不显示它的步以及更早的步。</translation>
    </message>
    <message>
        <source>Run %1, from which %2 was resumed, cannot be read: its steps and earlier ones are not shown. %3</source>
        <translation>无法读取任务 %1（%2 由它续训而来）：不显示它的步以及更早的步。%3</translation>
    </message>
    <message>
        <source>Run %1, from which %2 was resumed, has no step from before that.</source>
        <translation>任务 %1（%2 由它续训而来）在此之前没有任何步。</translation>
    </message>
    <message>
        <source>Run %1 came before this one. %2</source>
        <translation>本任务之前还有任务 %1。%2</translation>
    </message>
</context>
<context>
    <name>RunObserver</name>
    <message>
        <source>%1: nothing was measured; the run ended before its store was created</source>
        <translation>%1：没有测量数据，任务在建库之前就已结束</translation>
    </message>
    <message>
        <source>last seen at step %1</source>
        <translation>最后记录到第 %1 步</translation>
    </message>
</context>
<context>
    <name>RunState</name>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>%1 分钟前</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>%1 小时前</translation>
    </message>
    <message>
        <source>%1 d ago</source>
        <translation>%1 天前</translation>
    </message>
</context>
<context>
    <name>RunStatus</name>
    <message>
        <source>%1, nothing recorded for %2</source>
        <translation>%1，已有 %2 没有写入数据</translation>
    </message>
    <message>
        <source>%1, nothing new is being recorded</source>
        <translation>%1，没有新数据写入</translation>
    </message>
    <message>
        <source>stalled %1, %2</source>
        <comment>how long, which ranks</comment>
        <translation>卡住 %1，%2</translation>
    </message>
    <message>
        <source>stalled, %1</source>
        <comment>which ranks</comment>
        <translation>卡住，%1</translation>
    </message>
    <message>
        <source>Not known: the run&apos;s supervisor is suspended, so nothing new is being recorded</source>
        <translation>未知：主控进程已暂停，没有新数据写入</translation>
    </message>
    <message>
        <source>Not known: nothing new is being recorded</source>
        <translation>未知：没有新数据写入</translation>
    </message>
    <message>
        <source>No step has finished for %1; held up by %2</source>
        <translation>已有 %1 没有完成任何一步；被 %2 拖住</translation>
    </message>
    <message>
        <source>No steps are finishing; held up by %1</source>
        <translation>训练停在当前步；被 %1 拖住</translation>
    </message>
    <message>
        <source>%1, loss NaN since step %2</source>
        <comment>state, step</comment>
        <translation>%1，自第 %2 步起损失为 NaN</translation>
    </message>
</context>
<context>
    <name>SpanLabels</name>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>元素数</translation>
    </message>
    <message>
        <source>Entered in phase</source>
        <translation>进入时所在阶段</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>not known: not all ranks have arrived</source>
        <translation>未知：尚有 rank 未到达</translation>
    </message>
    <message>
        <source>none: it arrived last</source>
        <translation>无：它最后到达</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1，等 %2</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Blocked its thread</source>
        <translation>阻塞线程的时间</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, %2 short spans</source>
        <translation>%1，%2 个短区段</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>before the first</source>
        <translation>第一步之前</translation>
    </message>
    <message>
        <source>Arrived</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>End</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Phases in total</source>
        <translation>各阶段合计</translation>
    </message>
    <message>
        <source>none recorded</source>
        <translation>没有记录</translation>
    </message>
    <message>
        <source>Blocked in collectives</source>
        <translation>阻塞于集合通信</translation>
    </message>
    <message>
        <source>Longest step</source>
        <translation>最长的一步</translation>
    </message>
    <message>
        <source>%1 x the mean</source>
        <translation>平均值的 %1 倍</translation>
    </message>
    <message>
        <source>Spans</source>
        <translation>区段数</translation>
    </message>
    <message>
        <source>Total wait</source>
        <translation>等待合计</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>The longest</source>
        <translation>最长的区段</translation>
    </message>
    <message>
        <source>After the first</source>
        <translation>比最早到达者晚</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>%1, the holder</source>
        <translation>%1，阻塞源</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1, %2 before the step</source>
        <translation>%1，该步开始前 %2</translation>
    </message>
    <message>
        <source>%1, with the step</source>
        <translation>%1，与该步同时</translation>
    </message>
    <message>
        <source>%1, %2 into the step</source>
        <translation>%1，该步开始后 %2</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Caused by</source>
        <translation>起因</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Process group</source>
        <translation>进程组</translation>
    </message>
    <message>
        <source>%1, its collective %2</source>
        <translation>%1，其第 %2 次集合通信</translation>
    </message>
    <message>
        <source>Short spans</source>
        <translation>短区段</translation>
    </message>
    <message>
        <source>Batch of the step</source>
        <translation>该步的批次</translation>
    </message>
    <message>
        <source>%1 frames</source>
        <translation>%1 帧</translation>
    </message>
    <message>
        <source>Utterances</source>
        <translation>语音条数</translation>
    </message>
    <message>
        <source>Shortest</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>Mean length</source>
        <translation>平均长度</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>padding</translation>
    </message>
    <message>
        <source>%1, %2, step %3</source>
        <translation>%1，%2，第 %3 步</translation>
    </message>
    <message>
        <source>%1, all of its steps</source>
        <translation>%1，全部步</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1，第 %2 步</translation>
    </message>
</context>
<context>
    <name>StepValues</name>
    <message>
        <source>No loss of step %1 was recorded.</source>
        <translation>第 %1 步没有记录损失。</translation>
    </message>
    <message>
        <source>No validation was recorded up to step %1.</source>
        <translation>到第 %1 步为止没有记录验证。</translation>
    </message>
    <message>
        <source>The run has not reached step %1.</source>
        <translation>任务没有到达第 %1 步。</translation>
    </message>
</context>
<context>
    <name>StoreLabels</name>
    <message>
        <source>Recording stopped at %1</source>
        <translation>数据库的记录截止于 %1</translation>
    </message>
    <message>
        <source>Recording lags behind the ranks</source>
        <translation>数据库落后于各 rank</translation>
    </message>
    <message>
        <source>%1: the run&apos;s supervisor is suspended (SIGSTOP or Ctrl-Z). The ranks keep training; what they measure is stored once the supervisor is resumed.</source>
        <translation>%1：此任务的主控进程已暂停（SIGSTOP 或 Ctrl-Z）。各 rank 继续训练；主控进程恢复后会存入它们的测量数据。</translation>
    </message>
    <message>
        <source>the disk with the run&apos;s folder is full (%1 free)</source>
        <translation>任务目录所在的磁盘已满（剩余 %1）</translation>
    </message>
    <message>
        <source>%1: %2. The ranks keep training, and keep what they measure in their journals.</source>
        <translation>%1：%2。各 rank 继续训练，测量数据暂存在各自的 journal 文件中。</translation>
    </message>
    <message>
        <source>%1: the run&apos;s supervisor is alive but has stored nothing since. The ranks keep training.</source>
        <translation>%1：此任务的主控进程还在，但此后没有写入任何数据。各 rank 继续训练。</translation>
    </message>
    <message>
        <source>The ranks&apos; last measurements are only in their journals.</source>
        <translation>各 rank 最后的测量数据还只在各自的 journal 文件中。</translation>
    </message>
    <message>
        <source>How this run ended could not be recorded.</source>
        <translation>未能记录此任务是如何结束的。</translation>
    </message>
    <message>
        <source>%1 Move %2 out of the run&apos;s folder and open the run again to read in the journals.</source>
        <translation>%1请把 %2 移出任务目录，再重新打开该任务，随后会读入这些 journal 文件。</translation>
    </message>
    <message>
        <source>%1 The disk is full; the run is updated once there is space.</source>
        <translation>%1磁盘已满；有空间后会自动补全。</translation>
    </message>
    <message>
        <source>%1 The folder is not writable (%2). Copy it to a place where you can write, and open the copy.</source>
        <translation>%1该文件夹不可写（%2）：请把它复制到可写的位置，再打开副本。</translation>
    </message>
    <message>
        <source>%1 It could not be updated: %2</source>
        <translation>%1无法补全：%2</translation>
    </message>
</context>
<context>
    <name>SummaryLabels</name>
    <message>
        <source>Step %1: %2, longest of all ranks
Waiting in collectives: %3 of the time
Waiting for data: %4 of the time</source>
        <translation>第 %1 步：%2（最慢的 rank）
在集合通信中等待：占 %3
等待数据：占 %4</translation>
    </message>
    <message>
        <source>waiting, %</source>
        <translation>等待，%</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>Step %1 did not end
Waiting in collectives: %2 of the ranks
Waiting for data: %3 of the ranks</source>
        <translation>第 %1 步没有结束
在集合通信中等待：%2 的 rank
等待数据：%3 的 rank</translation>
    </message>
    <message>
        <source>Step %1 has not ended yet
Waiting in collectives: %2 of the ranks
Waiting for data: %3 of the ranks</source>
        <translation>第 %1 步尚未结束
在集合通信中等待：%2 的 rank
等待数据：%3 的 rank</translation>
    </message>
</context>
<context>
    <name>SyncLabels</name>
    <message>
        <source>Length sync</source>
        <translation>长度同步</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Gradients are averaged in buckets during backward. Before that, every step searches the graph for unused parameters and adds one small all-reduce.</source>
        <translation>反向传播时按梯度桶求平均；此前每步都要在计算图中查找未用参数，并多一次小的 all-reduce。</translation>
    </message>
    <message>
        <source>Gradients are averaged in buckets during backward: every rank waits in each bucket for the last one.</source>
        <translation>反向传播时按梯度桶求平均：每个梯度桶里，所有 rank 都要等最后一个到达。</translation>
    </message>
    <message>
        <source>On one device nothing is exchanged. On several it works like ddp: every rank waits in each gradient bucket for the last one.</source>
        <translation>单设备：不通信。多设备：同 ddp，每个梯度桶里所有 rank 都要等最后一个到达。</translation>
    </message>
    <message>
        <source>This strategy decides how ranks exchange gradients.</source>
        <translation>梯度怎样在 rank 之间交换由该策略决定。</translation>
    </message>
    <message>
        <source>Adds a blocking all-reduce before every encoder forward pass: all ranks wait there for the last one to get its batch.</source>
        <translation>每次 encoder 前向之前有一次阻塞的 all-reduce：所有 rank 都等最后一个取到批次。</translation>
    </message>
    <message>
        <source>No all-reduce before the encoder: each rank sizes its position table for its own batch.</source>
        <translation>encoder 之前没有 all-reduce：每个 rank 按自己的批次确定位置编码表的大小。</translation>
    </message>
    <message>
        <source>Each batch-norm layer runs an all-gather in forward and an all-reduce in backward: two collectives per layer and step.</source>
        <translation>每个批归一化层在前向时 gather 所有 rank 的统计量，反向时再 reduce：每层每步两次集合通信。</translation>
    </message>
    <message>
        <source>Each rank normalizes over its own batch; batch norm adds no collectives.</source>
        <translation>每个 rank 只按自己的批次归一化；批归一化不增加集合通信。</translation>
    </message>
    <message>
        <source>Batch norm sync</source>
        <translation>批归一化同步</translation>
    </message>
</context>
<context>
    <name>TilePainter</name>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>TimelinePainter</name>
    <message>
        <source>%1 for %2</source>
        <translation>%1，等 %2</translation>
    </message>
    <message>
        <source>time since start</source>
        <translation>开始后的时间</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>正在读取…</translation>
    </message>
</context>
<context>
    <name>UnitLabels</name>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>信息</translation>
    </message>
</context>
<context>
    <name>WaitGridLabels</name>
    <message>
        <source>no phase</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>And %1 more ranks, with shorter waits.</source>
        <translation>另有 %1 个 rank，等待时间更短。</translation>
    </message>
    <message>
        <source>Rank %1 kept the others waiting for %2 while it was in %3, mostly at %4.</source>
        <translation>rank %1 在 %3 期间让其他 rank 等待了 %2，主要在 %4。</translation>
    </message>
    <message>
        <source>No rank waited for another in this way.</source>
        <translation>没有 rank 以这种方式等待过其他 rank。</translation>
    </message>
    <message>
        <source>%1 steps could not be replayed: records of a rank are missing.</source>
        <translation>%1 步无法重放：缺少某个 rank 的记录。</translation>
    </message>
    <message>
        <source>%1 of %2 steps still have their individual collectives; for the rest (%3 % of all waits), phases and blocking are estimated from the steps&apos; sums.</source>
        <translation>%2 步中有 %1 步保留了逐次集合通信；其余等待（占 %3%）由每步合计推算其阶段和阻塞时间。</translation>
    </message>
    <message>
        <source>waiter</source>
        <translation>等待方</translation>
    </message>
    <message>
        <source>holder</source>
        <translation>阻塞源</translation>
    </message>
    <message>
        <source>waited, s</source>
        <translation>等待（秒）</translation>
    </message>
    <message>
        <source>waiter \ holder, s</source>
        <translation>等待方 \ 阻塞源（秒）</translation>
    </message>
    <message>
        <source>Balanced ranks would save up to %1 (%2 %): %3 instead of %4 for 1 step.</source>
        <translation>若各 rank 均衡，1 步最多可省 %1（%2%）：从 %4 降到 %3。</translation>
    </message>
    <message>
        <source>Balanced ranks would save up to %1 (%2 %): %3 instead of %4 for %5 steps.</source>
        <translation>若各 rank 均衡，%5 步最多可省 %1（%2%）：从 %4 降到 %3。</translation>
    </message>
    <message>
        <source>Without the length sync you would save %1 (%2 %): %3 instead of %4.</source>
        <translation>若不做长度同步，可省 %1（%2%）：从 %4 降到 %3。</translation>
    </message>
    <message>
        <source>On average a rank waited %1 in the length sync. Without it, the rest of this wait moves to later collectives.</source>
        <translation>每个 rank 平均在长度同步中等待 %1。去掉它后，其余的等待会转移到之后的集合通信。</translation>
    </message>
    <message>
        <source>Assumes that each rank&apos;s own work takes as long as it did. Ranks that share cores, or a loader that barely keeps up, gain less.</source>
        <translation>假定每个 rank 自己的工作用时不变。若多个 rank 共用 CPU 核，或数据加载勉强跟得上，收益会更小。</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>Whole run: %1</source>
        <translation>整个任务：%1</translation>
    </message>
    <message>
        <source>Selected: %1 of %2</source>
        <translation>已选：%1（共 %2 步）</translation>
    </message>
    <message>
        <source>In view: %1 of %2</source>
        <translation>可见部分：%1（共 %2 步）</translation>
    </message>
</context>
<context>
    <name>WaitLabels</name>
    <message>
        <source>no phase</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>%1 %2 %</source>
        <translation>%1 %2%</translation>
    </message>
    <message>
        <source>%1 (estimated)</source>
        <translation>%1（估算）</translation>
    </message>
    <message>
        <source>No waits between ranks were recorded in these steps.</source>
        <translation>这些步里没有记录到 rank 之间的等待。</translation>
    </message>
    <message>
        <source>Rank %1 kept the others waiting for %2 (%6 of it blocking), %3 % of it while in %4, mostly at %5.</source>
        <translation>rank %1 让其他 rank 等了 %2（其中阻塞 %6），%3% 发生在它处于 %4 时，多在 %5。</translation>
    </message>
</context>
<context>
    <name>WatchedRun</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n 个 rank</numerusform>
        </translation>
    </message>
    <message>
        <source>waiting for the first rank…</source>
        <translation>正在等待第一个 rank…</translation>
    </message>
    <message>
        <source>no rank was seen</source>
        <translation>没有看到任何 rank</translation>
    </message>
    <message>
        <source>This run is your own program, which has no recipe. To repeat it with changes, start it with another command.</source>
        <translation>这个任务运行的是你自己的程序，没有配置文件。要修改后重跑，请换一条命令启动。</translation>
    </message>
    <message>
        <source>Rankscope&apos;s trainer cannot train this run&apos;s recipe; Configure shows why. To repeat it with changes, start it with another command.</source>
        <translation>Rankscope 的训练程序无法训练这个任务的配置，原因见“配置”页。要修改后重跑，请用另一条命令启动。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::Actions</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>任务(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Plots</source>
        <translation>图表(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Follow the newest step</source>
        <translation>跟随最新步(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Logarithmic scale</source>
        <translation>对数坐标(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Smoothing</source>
        <translation>平滑(&amp;S)</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Whole run</source>
        <translation>整个任务(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Previous incident</source>
        <translation>上一个异常(&amp;P)</translation>
    </message>
    <message>
        <source>Next in&amp;cident</source>
        <translation>下一个异常(&amp;C)</translation>
    </message>
    <message>
        <source>Only rank %1</source>
        <translation>只看 rank %1</translation>
    </message>
    <message>
        <source>&amp;Configure</source>
        <translation>配置(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Review</source>
        <translation>回看(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Incidents</source>
        <translation>异常(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Logs</source>
        <translation>日志(&amp;L)</translation>
    </message>
    <message>
        <source>List &amp;of runs</source>
        <translation>任务侧栏(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Decisive settings</source>
        <translation>关键设置(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;YAML text</source>
        <translation>YAML 文本(&amp;Y)</translation>
    </message>
    <message>
        <source>Launch &amp;panel</source>
        <translation>启动面板(&amp;P)</translation>
    </message>
    <message>
        <source>Notify &amp;when an incident opens</source>
        <translation>出现异常时通知(&amp;W)</translation>
    </message>
    <message>
        <source>Li&amp;ght</source>
        <translation>浅色(&amp;G)</translation>
    </message>
    <message>
        <source>D&amp;ark</source>
        <translation>深色(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Open recipe…</source>
        <translation>打开配置文件(&amp;O)…</translation>
    </message>
    <message>
        <source>Open &amp;run folder…</source>
        <translation>打开任务目录(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Export plots…</source>
        <translation>导出图表(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>搜索(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>启动(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Stop &amp;now</source>
        <translation>立即停止(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>续训(&amp;R)</translation>
    </message>
    <message>
        <source>Relaunch with &amp;changes</source>
        <translation>修改后重跑(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Rankscope</source>
        <translation>关于 Rankscope(&amp;A)</translation>
    </message>
    <message>
        <source>Open a copy of this run&apos;s recipe in Configure</source>
        <translation>在“配置”页打开此任务配置文件的副本</translation>
    </message>
    <message>
        <source>&amp;Timeline</source>
        <translation>时间线(&amp;T)</translation>
    </message>
    <message>
        <source>Export ru&amp;n…</source>
        <translation>导出任务(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Import run…</source>
        <translation>导入任务(&amp;I)…</translation>
    </message>
    <message>
        <source>Anno&amp;tate a step…</source>
        <translation>为某步添加批注(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>导览(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Welcome page</source>
        <translation>欢迎页(&amp;W)</translation>
    </message>
    <message>
        <source>Next &amp;x axis: steps, time, samples</source>
        <translation>切换横轴：步、时间、样本(&amp;X)</translation>
    </message>
    <message>
        <source>X axis in st&amp;eps</source>
        <translation>横轴为步(&amp;E)</translation>
    </message>
    <message>
        <source>X axis in ti&amp;me</source>
        <translation>横轴为时间(&amp;M)</translation>
    </message>
    <message>
        <source>X axis in samples see&amp;n</source>
        <translation>横轴为已用样本(&amp;N)</translation>
    </message>
    <message>
        <source>How the run &amp;ended</source>
        <translation>任务如何结束(&amp;E)</translation>
    </message>
    <message>
        <source>Chec&amp;kpoints</source>
        <translation>检查点(&amp;K)</translation>
    </message>
    <message>
        <source>A&amp;nnotations</source>
        <translation>批注(&amp;N)</translation>
    </message>
    <message>
        <source>Export &amp;weights…</source>
        <translation>导出权重(&amp;W)…</translation>
    </message>
    <message>
        <source>&amp;Status messages</source>
        <translation>状态消息(&amp;S)</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>&amp;Follow the system</source>
        <translation>跟随系统(&amp;F)</translation>
    </message>
    <message>
        <source>Continue from the newest checkpoint, as a new run</source>
        <translation>从最新的检查点续训，作为一个新任务</translation>
    </message>
    <message>
        <source>All ranks stop together after the current step</source>
        <translation>所有 rank 在当前步之后一起停止</translation>
    </message>
    <message>
        <source>End all ranks at once; work since the last checkpoint is lost</source>
        <translation>立即结束所有 rank；上一个检查点之后的进度会丢失</translation>
    </message>
    <message>
        <source>Search this page</source>
        <translation>在当前页面中搜索</translation>
    </message>
    <message>
        <source>Show &amp;all ranks (twice: the whole run)</source>
        <translation>显示全部 rank（按两次：整个任务）(&amp;A)</translation>
    </message>
    <message>
        <source>R&amp;uns</source>
        <translation>任务列表(&amp;U)</translation>
    </message>
    <message>
        <source>Previo&amp;us view</source>
        <translation>上一个视图(&amp;U)</translation>
    </message>
    <message>
        <source>Next &amp;view</source>
        <translation>下一个视图(&amp;V)</translation>
    </message>
    <message>
        <source>A two-minute tour of a recorded run that stalled</source>
        <translation>两分钟看完一次训练卡住的全过程（录制）</translation>
    </message>
    <message>
        <source>&amp;Close run</source>
        <translation>关闭任务(&amp;C)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>使用指南(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Command palette…</source>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>Close the open run; a live run keeps running</source>
        <translation>关闭当前任务；进行中的训练不受影响</translation>
    </message>
    <message>
        <source>The guide that comes with the program; works offline</source>
        <translation>随程序提供的使用指南，可离线阅读</translation>
    </message>
    <message>
        <source>Find any command by name</source>
        <translation>按名称查找窗口中的任何操作</translation>
    </message>
    <message>
        <source>Save the current plots as PNG, SVG or PDF</source>
        <translation>将当前图表保存为 PNG、SVG 或 PDF</translation>
    </message>
    <message>
        <source>Explain a &amp;log…</source>
        <translation>分析卡死任务的日志(&amp;L)…</translation>
    </message>
    <message>
        <source>E&amp;xplain</source>
        <translation>卡死分析(&amp;X)</translation>
    </message>
    <message>
        <source>Say from its logs and dumps why a run hung, whatever trained it</source>
        <translation>根据日志和转储说明任务为何卡死，不论由什么程序训练</translation>
    </message>
    <message>
        <source>&amp;Watch a command…</source>
        <translation>监视命令(&amp;W)…</translation>
    </message>
    <message>
        <source>Start your own program that trains with PyTorch, and watch its ranks</source>
        <translation>启动你自己的 PyTorch 训练程序，并监视它的各个 rank</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::AddKeyBar</name>
    <message>
        <source>Add a key at the top of the recipe</source>
        <translation>在配置文件顶层添加键</translation>
    </message>
    <message>
        <source>Add a key to %1, or anywhere by its full path</source>
        <translation>向 %1 添加键，或用完整路径添加到任意位置</translation>
    </message>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Keys may contain only letters, digits, _ and -, with dots between sections.</source>
        <translation>键由字母、数字、_ 和 - 组成，配置段之间用点分隔。</translation>
    </message>
    <message>
        <source>%1 is in your file already.</source>
        <translation>你的文件中已有 %1。</translation>
    </message>
    <message>
        <source>default: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>Will be written as %1</source>
        <translation>将写为 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::AnnotationBar</name>
    <message>
        <source>Annotation at step %1:</source>
        <translation>第 %1 步的批注：</translation>
    </message>
    <message>
        <source>Annotation of steps %1 to %2:</source>
        <translation>第 %1–%2 步的批注：</translation>
    </message>
    <message>
        <source>Note for this step (Enter saves, Esc cancels)</source>
        <translation>此步的批注（Enter 保存，Esc 取消）</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>未保存：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::AnnotationController</name>
    <message>
        <source>The annotation was deleted; Ctrl+Z restores it</source>
        <translation>批注已删除；按 Ctrl+Z 可恢复</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::AnnotationModel</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Since the run&apos;s start</source>
        <translation>从任务开始算起</translation>
    </message>
    <message>
        <source>Annotation</source>
        <translation>批注</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入时间</translation>
    </message>
    <message>
        <source>by the command for incidents</source>
        <translation>由异常通知命令写入</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::AnnotationPane</name>
    <message>
        <source>Annotations</source>
        <translation>批注</translation>
    </message>
    <message>
        <source>Show in the plots</source>
        <translation>在图表中显示</translation>
    </message>
    <message>
        <source>Show in the Timeline</source>
        <translation>在时间线中显示</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo the last change of an annotation</source>
        <translation>撤销对批注的最近一次修改</translation>
    </message>
    <message>
        <source>Close; View &gt; Annotations brings it back</source>
        <translation>关闭；“视图 &gt; 批注”可再次显示</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>No annotations yet. Press A to write one at the crosshair, or choose Annotate here in a plot&apos;s context menu. With a filter, it covers the filtered steps.</source>
        <translation>还没有批注。按 A 在十字线处写一条，或在图表的右键菜单中选择“在此添加批注”。设有筛选时，批注覆盖筛选出的步。</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::BannerRow</name>
    <message>
        <source>No rank is holding up the others.</source>
        <translation>没有 rank 拖住其他 rank。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::BatchPane</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>to the end</source>
        <translation>到末尾</translation>
    </message>
    <message>
        <source>Select a span of a step to see the utterances in its batch.</source>
        <translation>选中某一步的区段，即可查看该步批次中的语音。</translation>
    </message>
    <message>
        <source>Reading the manifests…</source>
        <translation>正在读取 manifest…</translation>
    </message>
    <message>
        <source>The batch of step %1 on rank %2 cannot be determined: %3</source>
        <translation>无法得知 rank %2 第 %1 步的批次：%3</translation>
    </message>
    <message>
        <source>Step %1 of epoch %2, rank %3: %4, %5 s of speech. Derived from the recipe and the seed.</source>
        <translation>第 %1 步（epoch %2），rank %3：%4，语音共 %5 秒。由配置和随机种子推导得出。</translation>
    </message>
    <message numerus="yes">
        <source>%n utterance(s)</source>
        <translation>
            <numerusform>%n 条语音</numerusform>
        </translation>
    </message>
    <message>
        <source>Note: %1.</source>
        <translation>注意：%1。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Play the file in the desktop&apos;s default program</source>
        <translation>用系统默认程序播放该文件</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Utterances of the batch</source>
        <translation>批次中的语音</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ChangesView</name>
    <message>
        <source>No unsaved edits.</source>
        <translation>没有未保存的修改。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CheckModel</name>
    <message>
        <source>failed, ended the run</source>
        <translation>失败，任务已终止</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>发现</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CheckPanel</name>
    <message>
        <source>Start-up checks: %1 failed, %2 passed</source>
        <translation>启动前与启动时的检查：%1 项失败，%2 项通过</translation>
    </message>
    <message>
        <source>Start-up checks: %1 passed</source>
        <translation>启动前与启动时的检查：%1 项通过</translation>
    </message>
    <message>
        <source>Start-up checks</source>
        <translation>启动前与启动时的检查</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CheckpointModel</name>
    <message>
        <source>After which step these weights were taken is not recorded</source>
        <translation>未记录这些权重是哪一步之后的</translation>
    </message>
    <message>
        <source>for NeMo</source>
        <translation>用于 NeMo</translation>
    </message>
    <message>
        <source>cannot be used</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>last</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>, </source>
        <comment>best, last</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a file and its problem</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>After step</source>
        <translation>所在步</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入时间</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>contains only weights: training cannot resume from it</source>
        <translation>只含权重，不能用于续训</translation>
    </message>
    <message>
        <source>does not say after which step it was made</source>
        <translation>没有说明是在哪一步之后生成的</translation>
    </message>
    <message>
        <source>its weights are not finite</source>
        <translation>权重中有 NaN/Inf</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CheckpointPane</name>
    <message>
        <source>Close; View &gt; Checkpoints brings it back</source>
        <translation>关闭；“视图 &gt; 检查点”可再次显示</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Start a new run from this checkpoint; no other checkpoint is copied</source>
        <translation>由此检查点开始一个新任务；不复制其他检查点</translation>
    </message>
    <message>
        <source>Available once the run has ended</source>
        <translation>任务结束后可用</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Export .nemo…</source>
        <translation>导出 .nemo…</translation>
    </message>
    <message>
        <source>Resume from it</source>
        <translation>由此续训</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>No checkpoints yet. The recipe&apos;s exp_manager section decides when they are written.</source>
        <translation>目前还没有检查点。何时写入由配置文件的 exp_manager 决定。</translation>
    </message>
    <message numerus="yes">
        <source>%n checkpoint(s) could not be written. The newest was due after %1 steps: %2</source>
        <translation>
            <numerusform>%n 个检查点未能写入。最新的一个应在 %1 步之后写入：%2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ColumnChooser</name>
    <message>
        <source>Loss at step</source>
        <translation>损失，第几步</translation>
    </message>
    <message>
        <source>Validation at step</source>
        <translation>验证损失，到第几步</translation>
    </message>
    <message>
        <source>Value at a step</source>
        <translation>某一步的值</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Search columns and settings</source>
        <translation>搜索列和设置</translation>
    </message>
    <message>
        <source>Drag to reorder</source>
        <translation>拖动以调整顺序</translation>
    </message>
    <message>
        <source>Default columns</source>
        <translation>默认列</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation>输入想做的事</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CompareChart</name>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Remove this chart</source>
        <translation>移除此图表</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CompareCurves</name>
    <message>
        <source>Validation loss</source>
        <translation>验证损失</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>按步</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>按时间</translation>
    </message>
    <message>
        <source>by samples</source>
        <translation>按样本</translation>
    </message>
    <message>
        <source>mean over ranks</source>
        <translation>各 rank 平均</translation>
    </message>
    <message>
        <source>rank 0</source>
        <translation>rank 0</translation>
    </message>
    <message>
        <source>colour by run</source>
        <translation>按任务着色</translation>
    </message>
    <message>
        <source>colour by %1</source>
        <comment>a setting</comment>
        <translation>按 %1 着色</translation>
    </message>
    <message>
        <source>%1 not set</source>
        <translation>未设置 %1</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n run(s))</source>
        <translation>
            <numerusform>%1（%n 个任务）</numerusform>
        </translation>
    </message>
    <message>
        <source>Curves of the first %1 of %2 runs are drawn.</source>
        <translation>只画出前 %1 个任务的曲线，共 %2 个。</translation>
    </message>
    <message>
        <source>   and %1 more</source>
        <translation>   另有 %1 个</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1（基准）</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Smallest to largest over the ranks and steps of each point</source>
        <translation>每个点所含 rank 和步的最小值到最大值</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Logarithmic scale</source>
        <translation>对数坐标</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Moving average with a half-life of 12 steps</source>
        <translation>半衰期为 12 步的移动平均</translation>
    </message>
    <message>
        <source>Loading the curves…</source>
        <translation>正在读取曲线…</translation>
    </message>
    <message>
        <source>Add a chart of another metric</source>
        <translation>添加另一指标的图表</translation>
    </message>
    <message>
        <source>Add a chart</source>
        <translation>添加图表</translation>
    </message>
    <message>
        <source>Runs with the same value of this setting have the same colour</source>
        <translation>此设置取值相同的任务颜色相同</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>着色依据</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Draws one curve for all runs with the same value: their mean, with the smallest to the largest as the range. Choose a setting to colour by first.</source>
        <translation>取值相同的任务合成一条曲线：各任务的均值，范围为各任务中的最小到最大值。请先选择用于着色的设置。</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>坐标轴</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>The seed differs from the baseline&apos;s in %1. Losses differ from the first step on.</source>
        <translation>随机种子与基准不同：%1。损失从第一步起就不同。</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>runs</comment>
        <translation>
            <numerusform>%1，另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Its curve is identical to that of %1.</source>
        <translation>它的曲线与 %1 的完全相同。</translation>
    </message>
    <message>
        <source>%1 (identical)</source>
        <comment>a curve</comment>
        <translation>%1（相同）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CompareMenu</name>
    <message>
        <source>YAML files (*.yaml *.yml);;All files (*)</source>
        <translation>YAML 文件 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Compare with a run</source>
        <translation>与一个任务比较</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>NeMo defaults only</source>
        <translation>仅 NeMo 的默认值</translation>
    </message>
    <message>
        <source>Another file…</source>
        <translation>另一个文件…</translation>
    </message>
    <message>
        <source>Last saved version</source>
        <translation>此文件已保存的版本</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>A past run</source>
        <translation>以往的任务</translation>
    </message>
    <message>
        <source>Another run&apos;s folder…</source>
        <translation>另一个任务的目录…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CompareModel</name>
    <message>
        <source>%1
baseline</source>
        <comment>a value</comment>
        <translation>%1
基准</translation>
    </message>
    <message>
        <source>same as the baseline</source>
        <translation>与基准相同</translation>
    </message>
    <message>
        <source>%1
baseline: %2</source>
        <translation>%1
基准：%2</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1（基准）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ComparePane</name>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1（基准）</translation>
    </message>
    <message>
        <source>Select two or more runs first</source>
        <translation>请先选择两个或更多任务</translation>
    </message>
    <message>
        <source>Save the plot</source>
        <translation>保存图表</translation>
    </message>
    <message numerus="yes">
        <source>Comparison of %n run(s)</source>
        <translation>
            <numerusform>%n 个任务的比较</numerusform>
        </translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>散点</translation>
    </message>
    <message>
        <source>Select two or more runs in the table above (Ctrl+click, Shift+click, Ctrl+A) to compare them.</source>
        <translation>在上面的表中选择两个或更多任务（Ctrl+单击、Shift+单击、Ctrl+A）进行比较。</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基准</translation>
    </message>
    <message>
        <source>The run that the others are compared with</source>
        <translation>作为比较基准的任务</translation>
    </message>
    <message>
        <source>Copy the table, tab-separated</source>
        <translation>复制表格（制表符分隔）</translation>
    </message>
    <message>
        <source>Save the plot as PNG, PDF, SVG or CSV</source>
        <translation>将图表保存为 PNG、PDF、SVG 或 CSV</translation>
    </message>
    <message>
        <source>Show all settings, not only those that differ</source>
        <translation>显示所有设置，而不只是有差别的</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ComparePlot</name>
    <message>
        <source>%1, %2 of %3 runs</source>
        <translation>%1，%3 个任务中的 %2 个</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>对数坐标</translation>
    </message>
    <message>
        <source>smoothed</source>
        <translation>已平滑</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>samples over all ranks</source>
        <translation>所有 rank 的样本数</translation>
    </message>
    <message>
        <source>time since start</source>
        <translation>开始后的时间</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>NaN/Inf</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>%1 个样本</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ConfigFile</name>
    <message>
        <source>reload</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>set %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>typing</source>
        <translation>键入</translation>
    </message>
    <message>
        <source>move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>discard edits</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>rename %1</source>
        <translation>重命名 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ConfigPage</name>
    <message>
        <source>The text has characters that this pane cannot keep; edit it in the tree.</source>
        <translation>文本含有此窗格无法原样保留的字符，请在树中编辑。</translation>
    </message>
    <message>
        <source>Press Ctrl+Enter again to launch %1.</source>
        <translation>再按一次 Ctrl+Enter 启动 %1。</translation>
    </message>
    <message>
        <source>Drop to open %1</source>
        <translation>松开即可打开 %1</translation>
    </message>
    <message>
        <source>The report suggests %1: %2</source>
        <translation>报告建议 %1：%2</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设为此值</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeHeading</name>
    <message>
        <source>No recipe is open</source>
        <translation>未打开配置文件</translation>
    </message>
    <message>
        <source>%1 •</source>
        <translation>%1 •</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>unsaved copy</source>
        <translation>未保存的副本</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>任务的设置</translation>
    </message>
    <message>
        <source>Show the settings that the open run was launched with (read-only)</source>
        <translation>显示当前任务启动时的设置（只读）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CopyLine</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CtlCommands</name>
    <message>
        <source>Ending %1 at once</source>
        <translation>正在立即结束 %1</translation>
    </message>
    <message>
        <source>Stopping %1 after the step in progress</source>
        <translation>将在当前步之后停止 %1</translation>
    </message>
    <message>
        <source>%1 was not stopped: %2</source>
        <translation>%1 未停止：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::DryRunPanel</name>
    <message>
        <source>Planning the launch…</source>
        <translation>正在预估…</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>复制 %1</translation>
    </message>
    <message>
        <source>Fix the errors to see what a launch would do.</source>
        <translation>改正错误后，这里会显示预估结果。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stop the measurement and remove what it wrote</source>
        <translation>停止实测，并删除它写下的内容</translation>
    </message>
    <message numerus="yes">
        <source>Runs %n training step(s) on all ranks now, without validation or checkpoints, and estimates from the measured time. This uses the GPUs or cores of this machine; nothing is added to your runs.</source>
        <translation>
            <numerusform>现在用全部 rank 训练 %n 步（不做验证，不写检查点），并据此推算。会占用本机的 GPU 或 CPU；不会出现在任务列表中。</numerusform>
        </translation>
    </message>
    <message>
        <source>measuring, step %1 of %2</source>
        <translation>实测中，第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>measuring, starting the ranks…</source>
        <translation>实测中，正在启动 rank…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ExchangeActions</name>
    <message>
        <source>Export weights</source>
        <translation>导出权重</translation>
    </message>
    <message>
        <source>Model for NeMo (*.nemo)</source>
        <translation>NeMo 模型 (*.nemo)</translation>
    </message>
    <message>
        <source>PyTorch state dict (*.ckpt)</source>
        <translation>PyTorch state dict (*.ckpt)</translation>
    </message>
    <message>
        <source>Tensors (*.safetensors)</source>
        <translation>张量 (*.safetensors)</translation>
    </message>
    <message>
        <source>Writing %1…</source>
        <translation>正在写入 %1…</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>未能写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ExchangePanel</name>
    <message>
        <source>%1 written, %2 s</source>
        <translation>已写入 %1，%2 秒</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Cancelled; nothing was left behind.</source>
        <translation>已取消，没有留下任何文件。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ExplainPage</name>
    <message>
        <source>Folder of logs and dumps</source>
        <translation>日志和转储所在的文件夹</translation>
    </message>
    <message>
        <source>Logs and dumps of all ranks</source>
        <translation>所有 rank 的日志和转储</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 项</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Reading %1 of %2</source>
        <translation>正在读取 %1 / %2</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>There is nothing to explain</source>
        <translation>没有可分析的内容</translation>
    </message>
    <message>
        <source>Why did the run hang?</source>
        <translation>任务为什么卡死？</translation>
    </message>
    <message>
        <source>Choose what the ranks printed, or Flight Recorder dumps, of all ranks together: as files or as their folder.</source>
        <translation>请一并选择所有 rank 的输出日志或 Flight Recorder 转储，文件或文件夹均可。</translation>
    </message>
    <message>
        <source>Choose the logs of a run that hung, of all ranks if you have them, and Flight Recorder dumps; or drop the files or their folder here. NeMo, Lightning or any other PyTorch program may have written them, and they may be of any size. The report says which rank did not come, in which collective the others wait for it, and what to do.</source>
        <translation>选择卡死任务的日志（最好包括所有 rank 的）和 Flight Recorder 转储，也可以把这些文件或文件夹拖到这里。它们可以来自 NeMo、Lightning 或任何 PyTorch 程序，大小不限。报告会说明哪个 rank 没有到达、其他 rank 在哪次集合通信中等它，以及该怎么办。</translation>
    </message>
    <message>
        <source>Show in Configure</source>
        <translation>在“配置”页查看</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Choose logs…</source>
        <translation>选择日志…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Save as HTML…</source>
        <translation>保存为 HTML…</translation>
    </message>
    <message>
        <source>Ranks:</source>
        <translation>rank 数：</translation>
    </message>
    <message>
        <source>as the logs say</source>
        <translation>按日志</translation>
    </message>
    <message>
        <source>Number of ranks of the run</source>
        <translation>任务的 rank 数</translation>
    </message>
    <message>
        <source>Number of ranks of the run, if its logs do not say it</source>
        <translation>任务的 rank 数；日志中没有写时填写</translation>
    </message>
    <message>
        <source>Name collectives by:</source>
        <translation>集合通信的名称取自：</translation>
    </message>
    <message>
        <source>In a terminal:</source>
        <translation>在终端中：</translation>
    </message>
    <message>
        <source>The command that does the same</source>
        <translation>作用相同的命令</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ExportPanel</name>
    <message>
        <source>Export to</source>
        <translation>导出到</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Export run</source>
        <translation>导出任务</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Write to</source>
        <translation>保存到</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>The folder %1 does not exist. Choose another one, or create it first.</source>
        <translation>文件夹 %1 不存在。请另选一个，或先创建它。</translation>
    </message>
    <message>
        <source>%1 is a folder. Enter the name of a file in it.</source>
        <translation>%1 是文件夹。请指定其中的文件。</translation>
    </message>
    <message>
        <source>CSV tables (folder), for spreadsheets and scripts</source>
        <translation>CSV 表格（文件夹），供电子表格和脚本使用</translation>
    </message>
    <message>
        <source>Event files (folder), for TensorBoard</source>
        <translation>事件文件（文件夹），供 TensorBoard 使用</translation>
    </message>
    <message>
        <source>Chrome trace, for the timeline in Perfetto</source>
        <translation>Chrome trace，在 Perfetto 里看时间线</translation>
    </message>
    <message>
        <source>HTML report, to read or to send</source>
        <translation>HTML 报告，供阅读或发送</translation>
    </message>
    <message>
        <source>Current plots (PNG, SVG or PDF), for slides and papers</source>
        <translation>当前图表（PNG、SVG 或 PDF），用于幻灯片和论文</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>整个任务</translation>
    </message>
    <message>
        <source>Visible steps (%1 to %2)</source>
        <translation>可见的步（%1–%2）</translation>
    </message>
    <message>
        <source>Visible steps</source>
        <translation>可见的步</translation>
    </message>
    <message>
        <source>A report always covers the whole run; plots are saved as shown</source>
        <translation>报告总是涵盖整个任务；图表按显示的样子保存</translation>
    </message>
    <message>
        <source>steps.csv, collectives.csv, phases.csv, waits.csv and more; values as stored, times in ns.</source>
        <translation>steps.csv、collectives.csv、phases.csv、waits.csv 等；数值与数据库一致，时间单位为 ns。</translation>
    </message>
    <message>
        <source>One folder per rank; view them with tensorboard --logdir FOLDER.</source>
        <translation>每个 rank 一个文件夹；用 tensorboard --logdir 文件夹 查看。</translation>
    </message>
    <message>
        <source>Phases, collectives and who waited for whom. Open it at https://ui.perfetto.dev.</source>
        <translation>阶段、集合通信以及谁在等谁。在 https://ui.perfetto.dev 中打开。</translation>
    </message>
    <message>
        <source>Figures, curves, incidents and settings in one self-contained page.</source>
        <translation>数据、曲线、异常与设置集中在一个独立的页面中。</translation>
    </message>
    <message>
        <source>The plots of the Review page, in the range shown there, as a .png, .svg or .pdf file.</source>
        <translation>“回看”页的图表，范围与页面一致，格式由文件扩展名决定：.png、.svg 或 .pdf。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ExportProcess</name>
    <message>
        <source>%1 did not start: %2</source>
        <translation>%1 未能启动：%2</translation>
    </message>
    <message>
        <source>rankscopectl was killed or crashed</source>
        <translation>rankscopectl 被终止或已崩溃</translation>
    </message>
    <message>
        <source>rankscopectl exited with code %1 and gave no reason</source>
        <translation>rankscopectl 以退出码 %1 退出，没有输出任何说明</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>%1 is not a regular file: nothing was written</source>
        <translation>%1 不是普通文件：没有写入任何内容</translation>
    </message>
    <message>
        <source>%1 is a file; choose a folder</source>
        <translation>%1 是文件；请指定一个文件夹</translation>
    </message>
    <message>
        <source>%1 cannot be created</source>
        <translation>无法创建 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::FailurePanel</name>
    <message>
        <source>Log of rank %1</source>
        <translation>rank %1 的日志</translation>
    </message>
    <message>
        <source>Log of the command</source>
        <translation>命令的日志</translation>
    </message>
    <message>
        <source>A command that shows more</source>
        <translation>查看更多信息的命令</translation>
    </message>
    <message>
        <source>Last lines of the log of rank %1</source>
        <translation>rank %1 日志的最后几行</translation>
    </message>
    <message>
        <source>Why the run failed</source>
        <translation>任务失败的原因</translation>
    </message>
    <message>
        <source>Close; View &gt; How the run ended brings it back</source>
        <translation>关闭；“视图 &gt; 任务如何结束”可再次显示</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Relaunch with changes</source>
        <translation>修改后重跑</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::FilterBar</name>
    <message>
        <source>Filter:</source>
        <translation>筛选：</translation>
    </message>
    <message>
        <source>Clear this filter</source>
        <translation>清除此筛选</translation>
    </message>
    <message>
        <source>Clear filter: %1</source>
        <translation>清除筛选：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::FilterController</name>
    <message>
        <source>There is no later view</source>
        <translation>没有下一个视图</translation>
    </message>
    <message>
        <source>There is no earlier view</source>
        <translation>没有上一个视图</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>The waits and statistics below count only these steps. Click to zoom to them.</source>
        <translation>下方的等待与统计只计这些步。点击可缩放到该区间。</translation>
    </message>
    <message>
        <source>rank %1 only</source>
        <translation>仅 rank %1</translation>
    </message>
    <message>
        <source>The other ranks are not drawn</source>
        <translation>不画其他 rank</translation>
    </message>
    <message>
        <source>without rank %1</source>
        <translation>不含 rank %1</translation>
    </message>
    <message numerus="yes">
        <source>without %n rank(s)</source>
        <translation>
            <numerusform>不含 %n 个 rank</numerusform>
        </translation>
    </message>
    <message>
        <source>Muted ranks are not drawn as lines</source>
        <translation>隐藏的 rank 不画成曲线</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::FilterEdit</name>
    <message>
        <source>Filter: words, state:failed, loss&lt;5, tag:baseline, model.optim.lr&gt;=1e-3, and, or, not</source>
        <translation>筛选：词、state:failed、loss&lt;5、tag:baseline、model.optim.lr&gt;=1e-3、and、or、not</translation>
    </message>
    <message>
        <source>Filter the runs</source>
        <translation>筛选任务</translation>
    </message>
    <message>
        <source>Words are searched for in name, folder, state, host, cause, note and tags.
name:text contains, name=value is equal, &lt; &lt;= &gt; &gt;= != compare; and, or, not, ( ).
Ctrl+Space lists names and values.</source>
        <translation>词在名称、文件夹、状态、主机、原因、备注和标签中查找。
name:text 表示包含，name=value 表示相等，&lt; &lt;= &gt; &gt;= != 表示比较；and、or、not、( )。
Ctrl+空格列出名称和值。</translation>
    </message>
    <message>
        <source>At character %1: %2</source>
        <translation>第 %1 个字符：%2</translation>
    </message>
    <message>
        <source>No filter is active.</source>
        <translation>当前没有生效的筛选。</translation>
    </message>
    <message>
        <source>Showing results of the last valid filter: %1</source>
        <translation>显示的是上一个有效筛选的结果：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::FindBar</name>
    <message>
        <source>Find in the text</source>
        <translation>在文本中查找</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>上一个（Shift+Enter）</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>下一个（Enter）</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭（Esc）</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::GuideWindow</name>
    <message>
        <source>Guide – Rankscope</source>
        <translation>使用指南 – Rankscope</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Find in the guide</source>
        <translation>在指南中查找</translation>
    </message>
    <message>
        <source>Pages of the guide</source>
        <translation>指南的页面</translation>
    </message>
    <message>
        <source>The page</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::HeaderBar</name>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Steps done</source>
        <translation>已完成步数</translation>
    </message>
    <message>
        <source>Lost to waiting</source>
        <translation>等待耗时</translation>
    </message>
    <message>
        <source>Open run: %1</source>
        <translation>打开的任务：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::HelpActions</name>
    <message>
        <source>Rankscope %1. The window is licensed under GPL-3.0-or-later, the trainer and the command line under Apache-2.0.</source>
        <translation>Rankscope %1。窗口程序的许可证为 GPL-3.0-or-later，训练程序与命令行为 Apache-2.0。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ImportPanel</name>
    <message>
        <source>Folder to import</source>
        <translation>要导入的文件夹</translation>
    </message>
    <message>
        <source>Event file to import</source>
        <translation>要导入的事件文件</translation>
    </message>
    <message>
        <source>Event files (*tfevents*)</source>
        <translation>事件文件 (*tfevents*)</translation>
    </message>
    <message>
        <source>Import run</source>
        <translation>导入任务</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>From</source>
        <translation>导入自</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配置文件</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 不存在。</translation>
    </message>
    <message>
        <source>The runs folder %1 cannot be created.</source>
        <translation>无法创建任务根目录 %1。</translation>
    </message>
    <message>
        <source>The runs folder %1 cannot be written.</source>
        <translation>无法写入任务根目录 %1。</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
    <message>
        <source>Imported and opened: %1</source>
        <translation>已导入并打开：%1</translation>
    </message>
    <message>
        <source>optional: default from recipe or folder</source>
        <translation>可选：默认取自配置文件或文件夹名</translation>
    </message>
    <message>
        <source>optional: default is hparams.yaml in the folder</source>
        <translation>可选：默认为文件夹中的 hparams.yaml</translation>
    </message>
    <message>
        <source>A TensorBoard event file or folder, or the folder of NeMo&apos;s exp_manager (hparams.yaml, events, logs of the ranks). The original is not changed. You can also drop it onto the window.</source>
        <translation>TensorBoard 事件文件或文件夹，或 NeMo exp_manager 的文件夹（hparams.yaml、事件文件、各 rank 日志）。原文件不会改动，也可以直接拖放到窗口上。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentBanner</name>
    <message>
        <source>%1 Last recorded as open: %2</source>
        <translation>%1 最后一次记录时仍未结束：%2</translation>
    </message>
    <message>
        <source>Incident</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message numerus="yes">
        <source>%n more incident(s) are open</source>
        <translation>
            <numerusform>另有 %n 个异常未结束</numerusform>
        </translation>
    </message>
    <message>
        <source>injected fault</source>
        <translation>注入的故障</translation>
    </message>
    <message>
        <source>Requested by rankscope.faults: %1.</source>
        <translation>由 rankscope.faults 注入：%1。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentDetail</name>
    <message>
        <source>Details of the incident</source>
        <translation>异常详情</translation>
    </message>
    <message>
        <source>Show in the plots</source>
        <translation>在图表中显示</translation>
    </message>
    <message>
        <source>Show in the Timeline</source>
        <translation>在时间线中显示</translation>
    </message>
    <message>
        <source>More facts (%1)</source>
        <translation>其他信息（%1）</translation>
    </message>
    <message>
        <source>Rank %1, which holds up the others, %2 into the run</source>
        <comment>rank, time</comment>
        <translation>rank %1（拖住其他 rank），任务开始后 %2</translation>
    </message>
    <message>
        <source>Rank %1, which waits, %2 into the run</source>
        <comment>rank, time</comment>
        <translation>rank %1（正在等待），任务开始后 %2</translation>
    </message>
    <message>
        <source>Thread stacks of the ranks</source>
        <translation>各 rank 的线程调用栈</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>cause, step</comment>
        <translation>%1，第 %2 步</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>阻塞源</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待方</translation>
    </message>
    <message>
        <source>Phase of the holder</source>
        <translation>阻塞源所在阶段</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>%1 %2 (%3), group %4</source>
        <comment>operation, number, tag, group</comment>
        <translation>%1 %2（%3），进程组 %4</translation>
    </message>
    <message>
        <source>Detected after</source>
        <translation>检出延迟</translation>
    </message>
    <message>
        <source>This fault was injected by rankscope.faults (%1).</source>
        <translation>此故障由 rankscope.faults 有意注入（%1）。</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a sentence</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>This fault was injected by rankscope.faults (%1). If it were real: %2</source>
        <translation>此故障由 rankscope.faults 有意注入（%1）。若为真实情况：%2</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Play the recording that the rank was reading, in the desktop&apos;s default program</source>
        <translation>用桌面的默认程序播放该 rank 当时在读取的录音</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentModel</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>阻塞源</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>起始</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>持续时间</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Last recorded as open</source>
        <translation>最后一次记录时仍未结束</translation>
    </message>
    <message>
        <source>Ended the run</source>
        <translation>终止了任务</translation>
    </message>
    <message>
        <source>Ruined the run</source>
        <translation>使任务作废</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentPage</name>
    <message>
        <source>Incidents</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>No rank has held up the others so far.</source>
        <translation>到目前为止没有 rank 拖住其他 rank。</translation>
    </message>
    <message>
        <source>No rank held up the others in this run.</source>
        <translation>此任务中没有 rank 拖住其他 rank。</translation>
    </message>
    <message>
        <source>&lt;b&gt;No run is shown&lt;/b&gt;&lt;br&gt;&lt;br&gt;Choose a run on the left, open a run&apos;s folder, or launch one from the Configure page.</source>
        <translation>&lt;b&gt;未选择任务&lt;/b&gt;&lt;br&gt;&lt;br&gt;请在左侧选择任务、打开任务目录，或在“配置”页启动一个。</translation>
    </message>
    <message>
        <source>Event files contain no incidents, so an imported run has none.&lt;br&gt;&lt;br&gt;Its waits, if the files have them, are in the plots.</source>
        <translation>事件文件（tfevents）中没有异常，因此导入的任务也没有。&lt;br&gt;&lt;br&gt;若文件中有等待数据，可在图表中查看。</translation>
    </message>
    <message>
        <source>Not watched from %1 to %2: an incident in that time is not listed here.</source>
        <translation>%1 至 %2 未受监视：这段时间内的异常不会列在这里。</translation>
    </message>
    <message>
        <source>Earlier times that were not watched: %1</source>
        <translation>更早的未监视时段：%1 个</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentPicture</name>
    <message>
        <source>What the ranks did during the incident</source>
        <translation>异常期间各 rank 在做什么</translation>
    </message>
    <message>
        <source>Nothing was recorded of these ranks in this time</source>
        <translation>这段时间没有这些 rank 的记录</translation>
    </message>
    <message>
        <source>%1: %2 for %3</source>
        <comment>rank, phase, duration</comment>
        <translation>%1：%2 持续 %3</translation>
    </message>
    <message>
        <source>%1: waited %2 for %3</source>
        <comment>rank, duration, rank</comment>
        <translation>%1：等待 %3 达 %2</translation>
    </message>
    <message>
        <source>What each rank did, in time since the start of the run. A double-click or Enter shows it in the Timeline</source>
        <translation>各 rank 在做什么，时间从任务开始算起。双击或按回车，在时间线中显示</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::InfoPane</name>
    <message>
        <source>Key</source>
        <translation>键说明</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Problems %1</source>
        <translation>问题 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>预估</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>改动</translation>
    </message>
    <message numerus="yes">
        <source>%n danger(s)</source>
        <translation>
            <numerusform>%n 项危险</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n caution(s)</source>
        <translation>
            <numerusform>%n 项注意</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n 条提示</numerusform>
        </translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::KeyDetail</name>
    <message>
        <source>Explanation of the key</source>
        <translation>该键的说明</translation>
    </message>
    <message>
        <source>Select a key to see its allowed values, its effect on the ranks, and fixes.</source>
        <translation>选择一个键，查看其允许的值、对各 rank 的影响和解决办法。</translation>
    </message>
    <message>
        <source>Keys in this section: %1; set in your file: %2</source>
        <translation>此配置段的键：%1 个；你的文件里设了 %2 个</translation>
    </message>
    <message>
        <source>Errors and risks at: %1</source>
        <translation>有错误或风险的键：%1</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>可选 %1</translation>
    </message>
    <message>
        <source>default %1 in %2</source>
        <translation>默认值 %1（%2）</translation>
    </message>
    <message>
        <source>known to %1</source>
        <translation>%1 的键</translation>
    </message>
    <message>
        <source>not a key of NeMo or Rankscope</source>
        <translation>不是 NeMo 或 Rankscope 的键</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自 %1</translation>
    </message>
    <message>
        <source>Affects collectives, the batches of each rank, or the layout of processes.</source>
        <translation>影响集合通信、各 rank 的批次或进程布局。</translation>
    </message>
    <message>
        <source>Diagnosis: %1</source>
        <translation>诊断：%1</translation>
    </message>
    <message>
        <source>See what this looks like in the incidents of the open run</source>
        <translation>实际发生时的样子：见当前任务的异常列表</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>severity, sentence</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>in NeMo&apos;s YAML</source>
        <translation>在 NeMo 的 YAML 中</translation>
    </message>
    <message>
        <source>Rename to %1</source>
        <translation>重命名为 %1</translation>
    </message>
    <message>
        <source>Move to %1</source>
        <translation>移动到 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LaunchPanel</name>
    <message>
        <source>Ranks</source>
        <translation>rank 数</translation>
    </message>
    <message>
        <source>from recipe</source>
        <translation>按配置文件</translation>
    </message>
    <message>
        <source>One process per rank on this machine; &quot;from recipe&quot; uses trainer.devices</source>
        <translation>本机上每个 rank 一个进程；“按配置文件”取 trainer.devices</translation>
    </message>
    <message>
        <source>Overrides</source>
        <translation>覆盖项</translation>
    </message>
    <message>
        <source>In Hydra&apos;s syntax: a.b=1 changes, +a.b=1 adds, ~a.b removes. The tree shows the effect.</source>
        <translation>按 Hydra 的写法：a.b=1 修改，+a.b=1 新增，~a.b 移除。树中会显示其效果。</translation>
    </message>
    <message>
        <source>Runs folder</source>
        <translation>任务根目录</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>工作目录</translation>
    </message>
    <message>
        <source>Choose the folder that relative paths in the recipe start from</source>
        <translation>选择配置文件中相对路径的起始目录</translation>
    </message>
    <message>
        <source>%1
Not found from there: %2</source>
        <translation>%1
从此处找不到：%2</translation>
    </message>
    <message>
        <source>%1
All manifests of the recipe are found from there.</source>
        <translation>%1
配置文件中的 manifest 从此处都能找到。</translation>
    </message>
    <message numerus="yes">
        <source>Working folder: %n manifest(s) missing</source>
        <translation>
            <numerusform>工作目录：缺少 %n 个 manifest</numerusform>
        </translation>
    </message>
    <message>
        <source>Launching…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>The recipe has errors; the list of problems shows where</source>
        <translation>配置文件有错误，问题列表中有位置</translation>
    </message>
    <message>
        <source>Launches what is shown, from a copy; the saved file is not changed (Ctrl+Enter)</source>
        <translation>按当前内容的副本启动；已保存的文件不变（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Launches the recipe (Ctrl+Enter)</source>
        <translation>用此配置文件启动（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>The new run refers to it, so that you can find and compare the two together</source>
        <translation>新任务会记下来源，便于一起查找、比较</translation>
    </message>
    <message>
        <source>It is still running. This stops it after the step in progress, with a last checkpoint, and then starts the new run. Otherwise both share the devices.</source>
        <translation>它仍在训练。将在当前步结束后停止并保存最后的检查点，然后启动新任务；否则两者共用设备。</translation>
    </message>
    <message>
        <source>Stop run and launch</source>
        <translation>停止该任务并启动</translation>
    </message>
    <message>
        <source>Launch anyway</source>
        <translation>仍然启动</translation>
    </message>
    <message>
        <source>Launch on this machine</source>
        <translation>在本机启动</translation>
    </message>
    <message>
        <source>Launch (unsaved changes)</source>
        <translation>启动（含未保存的修改）</translation>
    </message>
    <message>
        <source>Repeats %1 with your changes</source>
        <translation>按你的改动重跑 %1</translation>
    </message>
    <message>
        <source>Unlink</source>
        <translation>解除关联</translation>
    </message>
    <message>
        <source>Stop that run first</source>
        <translation>先停止该任务</translation>
    </message>
    <message>
        <source>The run&apos;s folder will be created in %1</source>
        <translation>任务目录将建在 %1</translation>
    </message>
    <message>
        <source>On this machine: %1</source>
        <translation>在本机上：%1</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>训练程序</translation>
    </message>
    <message>
        <source>The program that trains: Rankscope&apos;s trainer, or NeMo in your own Python, which is then watched. Both runs can be compared.</source>
        <translation>执行训练的程序：Rankscope 的训练程序，或你自己的 Python 中的 NeMo（由 Rankscope 监视）。两个任务可以相互比较。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MachineChoice</name>
    <message>
        <source>Plan for</source>
        <translation>预估机器</translation>
    </message>
    <message>
        <source>Memory, risks, speed and commands are shown for the chosen machine; Launch always starts the run on this one</source>
        <translation>内存、风险、速度和命令按所选机器计算；启动仍在本机进行</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>other…</source>
        <translation>其他…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlanSummary</name>
    <message>
        <source>No dry run: the recipe has errors</source>
        <translation>无法预估：配置文件有错误</translation>
    </message>
    <message>
        <source>Planning the launch…</source>
        <translation>正在预估…</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>预估</translation>
    </message>
    <message>
        <source>Show the errors</source>
        <translation>查看错误</translation>
    </message>
    <message>
        <source>Cannot launch: %1</source>
        <translation>无法启动：%1</translation>
    </message>
    <message>
        <source>Choose manifest…</source>
        <translation>选择 manifest…</translation>
    </message>
    <message>
        <source>Show problems</source>
        <translation>显示问题</translation>
    </message>
    <message>
        <source>On %1: %2</source>
        <comment>machine, problem</comment>
        <translation>在 %1 上：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LineageChips</name>
    <message>
        <source>%1, no longer in the runs folder</source>
        <translation>%1（已不在任务根目录中）</translation>
    </message>
    <message>
        <source>repeats %1</source>
        <translation>重跑自 %1</translation>
    </message>
    <message>
        <source>resumed from %1</source>
        <translation>由 %1 续训而来</translation>
    </message>
    <message>
        <source>resumed by %1</source>
        <translation>已由 %1 续训</translation>
    </message>
    <message numerus="yes">
        <source>resumed by %n run(s)</source>
        <translation>
            <numerusform>已由 %n 个任务续训</numerusform>
        </translation>
    </message>
    <message>
        <source>repeated by %1</source>
        <translation>已由 %1 重跑</translation>
    </message>
    <message numerus="yes">
        <source>repeated by %n run(s)</source>
        <translation>
            <numerusform>已由 %n 个任务重跑</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n related run(s)</source>
        <translation>
            <numerusform>%n 个相关任务</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ListEditor</name>
    <message>
        <source>Add an item (Insert)</source>
        <translation>添加一项（Insert）</translation>
    </message>
    <message>
        <source>Remove the item (Delete)</source>
        <translation>移除该项（Delete）</translation>
    </message>
    <message>
        <source>Up (Alt+Up)</source>
        <translation>上移（Alt+Up）</translation>
    </message>
    <message>
        <source>Down (Alt+Down)</source>
        <translation>下移（Alt+Down）</translation>
    </message>
    <message>
        <source>Item %1 is not a single YAML value: %2</source>
        <translation>第 %1 项不是单个 YAML 值：%2</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogFeed</name>
    <message>
        <source>Still searching the logs</source>
        <translation>仍在查找日志</translation>
    </message>
    <message>
        <source>Too many lines match to step through them: narrow the search</source>
        <translation>匹配的行太多，无法逐条跳转：请缩小查找范围</translation>
    </message>
    <message>
        <source>No lines match</source>
        <translation>没有匹配的行</translation>
    </message>
    <message>
        <source>This is the last match</source>
        <translation>这是最后一个匹配</translation>
    </message>
    <message>
        <source>This is the first match</source>
        <translation>这是第一个匹配</translation>
    </message>
    <message>
        <source>Still searching the logs: save when that is done</source>
        <translation>仍在查找日志：完成后再保存</translation>
    </message>
    <message>
        <source>More than %L1 lines match: narrow the filter</source>
        <translation>匹配超过 %L1 行：请缩小筛选范围</translation>
    </message>
    <message>
        <source>No filter is set: the complete logs are in %1</source>
        <translation>没有设置筛选：完整日志在 %1 中</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>%1 is not a regular file: nothing was written</source>
        <translation>%1 不是普通文件：没有写入任何内容</translation>
    </message>
    <message>
        <source>%L1 lines written to %2</source>
        <translation>已将 %L1 行保存到 %2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogFilterBar</name>
    <message>
        <source>All ranks</source>
        <translation>全部 rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Supervisor</source>
        <translation>主控进程</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>全部级别</translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation>信息及以上</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告与错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Filter by text or regular expression (/)</source>
        <translation>按文本或正则表达式筛选（/）</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Only matches</source>
        <translation>仅匹配行</translation>
    </message>
    <message>
        <source>Show only matching lines; when off, show all lines and step from match to match</source>
        <translation>只显示匹配的行；关闭时显示全部，并可逐个跳到匹配处</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>上一个匹配（Shift+F3）</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>下一个匹配（F3）</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stop searching; the matches found so far stay</source>
        <translation>停止查找；已找到的匹配保留</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogGoToBar</name>
    <message>
        <source>step</source>
        <translation>第</translation>
    </message>
    <message>
        <source>Enter a time (12:04:31 or 2025-01-31 12:04:31) or a step (1200).</source>
        <translation>请输入时间（12:04:31 或 2025-01-31 12:04:31）或步数（1200）。</translation>
    </message>
    <message>
        <source>There is no step %1; the newest is %2</source>
        <translation>没有第 %1 步；最新的是第 %2 步</translation>
    </message>
    <message>
        <source>12:04:31, or step 1200</source>
        <translation>12:04:31 或 第 1200 步</translation>
    </message>
    <message>
        <source>Go to time or step…</source>
        <translation>转到时间或步…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogModel</name>
    <message>
        <source>supervisor</source>
        <translation>主控进程</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>command</source>
        <translation>命令</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogPage</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Keep the newest line in view</source>
        <translation>始终显示最新一行</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 / %2 行</translation>
    </message>
    <message>
        <source>The files have older lines. Scroll up to see them.</source>
        <translation>文件中还有更早的行：向上滚动可见。</translation>
    </message>
    <message>
        <source>No lines pass the filter.</source>
        <translation>没有符合筛选条件的行。</translation>
    </message>
    <message>
        <source>Nothing has been logged.</source>
        <translation>没有日志。</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Copy lines</source>
        <translation>复制行</translation>
    </message>
    <message>
        <source>Save filtered lines…</source>
        <translation>保存筛选后的行…</translation>
    </message>
    <message>
        <source>Go to time or step…</source>
        <translation>转到时间或步…</translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation>长行换行</translation>
    </message>
    <message>
        <source>Your position in the complete logs; click to go elsewhere</source>
        <translation>当前在整个日志中的位置；点击可跳到别处</translation>
    </message>
    <message>
        <source>Save filtered lines</source>
        <translation>保存筛选后的行</translation>
    </message>
    <message>
        <source>Logs (*.txt *.log)</source>
        <translation>日志 (*.txt *.log)</translation>
    </message>
    <message>
        <source>%1 lines of an excerpt</source>
        <translation>其中一段的 %1 行</translation>
    </message>
    <message>
        <source>searching, %1 %: %2 matches</source>
        <translation>查找中 %1%：%2 个匹配</translation>
    </message>
    <message>
        <source>%1 matches</source>
        <translation>%1 个匹配</translation>
    </message>
    <message>
        <source>%1 matches in %2 % of the logs</source>
        <translation>已查找 %2% 的日志，%1 个匹配</translation>
    </message>
    <message>
        <source>The pattern took too long on %1 lines, which were skipped; simplify it</source>
        <translation>表达式在 %1 行上耗时过长，这些行被略过：请简化表达式</translation>
    </message>
    <message>
        <source>Invalid regular expression (%1). Searching for the literal text.</source>
        <translation>正则表达式无效（%1），改为按原文查找。</translation>
    </message>
    <message>
        <source>The run has ended: there will be no new lines</source>
        <translation>任务已结束：不会再有新的行</translation>
    </message>
    <message>
        <source>&lt;b&gt;No run is shown&lt;/b&gt;&lt;br&gt;&lt;br&gt;Choose a run on the left, open a run&apos;s folder, or launch one from the Configure page.</source>
        <translation>&lt;b&gt;未选择任务&lt;/b&gt;&lt;br&gt;&lt;br&gt;请在左侧选择任务、打开任务目录，或在“配置”页启动一个。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogTable</name>
    <message>
        <source>supervisor</source>
        <translation>主控进程</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MachineDialog</name>
    <message>
        <source>Plan for another machine</source>
        <translation>按另一台机器预估</translation>
    </message>
    <message>
        <source>GPUs per node</source>
        <translation>每节点 GPU 数</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>Memory per GPU</source>
        <translation>每块 GPU 的显存</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>CPU cores per node</source>
        <translation>每节点 CPU 核数</translation>
    </message>
    <message>
        <source>RAM per node</source>
        <translation>每节点内存</translation>
    </message>
    <message>
        <source>Half-precision peak per GPU</source>
        <translation>每块 GPU 的半精度峰值</translation>
    </message>
    <message>
        <source>Tflop/s</source>
        <translation>Tflop/s</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>From the data sheet, without sparsity. If it is not given, no time is estimated.</source>
        <translation>取自规格书，不计稀疏。不填则不估算时间。</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>预估</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MainWindow</name>
    <message>
        <source>Launched %1</source>
        <translation>已启动 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MarksEditor</name>
    <message>
        <source>Pin as baseline</source>
        <translation>固定为基准</translation>
    </message>
    <message>
        <source>Unpin the baseline</source>
        <translation>取消固定基准</translation>
    </message>
    <message>
        <source>Add to favourites</source>
        <translation>加入收藏</translation>
    </message>
    <message>
        <source>Remove from favourites</source>
        <translation>取消收藏</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Add the tag %1</source>
        <translation>添加标签 %1</translation>
    </message>
    <message>
        <source>Remove the tag %1</source>
        <translation>移除标签 %1</translation>
    </message>
    <message>
        <source>Edit tags</source>
        <translation>编辑标签</translation>
    </message>
    <message>
        <source>Edit the note</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>%1 was not moved: %2</source>
        <translation>%1 未移动：%2</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message numerus="yes">
        <source>%1, and %n more run(s)</source>
        <translation>
            <numerusform>%1，另有 %n 个任务</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MissingFolderNotice</name>
    <message>
        <source>This run&apos;s folder is gone</source>
        <translation>任务目录已不存在</translation>
    </message>
    <message>
        <source>Close run</source>
        <translation>关闭任务</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>This run&apos;s folder is gone: %1. It was moved, renamed or deleted. What you see was read before %2.</source>
        <translation>任务目录已不存在：%1。它已被移动、重命名或删除。这里显示的是 %2 之前读到的内容。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::NamedViews</name>
    <message>
        <source>Default view</source>
        <translation>默认视图</translation>
    </message>
    <message>
        <source>Saved views: filter, columns, sorting and layout under a name</source>
        <translation>已保存的视图：带名称的筛选、列、排序和布局</translation>
    </message>
    <message>
        <source>Save the view %1</source>
        <translation>保存视图 %1</translation>
    </message>
    <message>
        <source>Rename the view %1</source>
        <translation>重命名视图 %1</translation>
    </message>
    <message>
        <source>Delete the view %1</source>
        <translation>删除视图 %1</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Save changes</source>
        <translation>保存更改</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Name of the view</source>
        <translation>视图名称</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::Navigator</name>
    <message>
        <source>%1 cannot be opened</source>
        <translation>无法打开 %1</translation>
    </message>
    <message>
        <source>Open recipe</source>
        <translation>打开配置文件</translation>
    </message>
    <message>
        <source>YAML files (*.yaml *.yml);;All files (*)</source>
        <translation>YAML 文件 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open run folder</source>
        <translation>打开任务目录</translation>
    </message>
    <message>
        <source>Not launched: the recipe has errors.</source>
        <translation>未启动：配置文件有错误。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::NemoPython</name>
    <message>
        <source>Python with NeMo</source>
        <translation>装有 NeMo 的 Python</translation>
    </message>
    <message>
        <source>The program that runs NeMo, such as bin/python of a virtual environment</source>
        <translation>运行 NeMo 的程序，例如虚拟环境中的 bin/python</translation>
    </message>
    <message>
        <source>Choose the Python</source>
        <translation>选择 Python</translation>
    </message>
    <message>
        <source>Name a Python in which NeMo is installed</source>
        <translation>请指定一个装有 NeMo 的 Python</translation>
    </message>
    <message>
        <source>Looking for NeMo…</source>
        <translation>正在查找 NeMo…</translation>
    </message>
    <message>
        <source>NeMo %1</source>
        <translation>NeMo %1</translation>
    </message>
    <message>
        <source>This Python has no NeMo</source>
        <translation>这个 Python 中没有 NeMo</translation>
    </message>
    <message>
        <source>It gave no answer</source>
        <translation>它没有给出回答</translation>
    </message>
    <message>
        <source>It cannot be started: %1</source>
        <translation>无法启动：%1</translation>
    </message>
    <message>
        <source>It did not answer within %1 s</source>
        <translation>它在 %1 秒内没有回答</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::NoticeBar</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::NoticeStrip</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制这条消息</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭（Esc）</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭这条消息</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>还有 %1 条</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::Notifier</name>
    <message>
        <source>Open the run</source>
        <translation>打开任务</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::OpenRunDisplay</name>
    <message>
        <source>%1 – Rankscope</source>
        <translation>%1 – Rankscope</translation>
    </message>
    <message>
        <source>Stalled by %1 – %2</source>
        <comment>which ranks, title</comment>
        <translation>被 %1 卡住 – %2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::OverlayPanel</name>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭（Esc）</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::OverviewStrip</name>
    <message>
        <source>The whole run. Drag to choose what the plots show; double-click to show all.</source>
        <translation>整个任务。拖动选择图表的范围；双击显示全部。</translation>
    </message>
    <message>
        <source>Overview of the whole run</source>
        <translation>整个任务的概览</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>%1 个样本</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PageTabs</name>
    <message>
        <source>Configure •</source>
        <translation>配置 •</translation>
    </message>
    <message>
        <source>Configure</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>回看</translation>
    </message>
    <message>
        <source>Incidents (%1)</source>
        <translation>异常（%1）</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>任务列表</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>卡死分析</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PanesMenu</name>
    <message>
        <source>Rank board</source>
        <translation>rank 面板</translation>
    </message>
    <message>
        <source>Overview strip</source>
        <translation>概览条</translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Statistics of the range</source>
        <translation>区间统计</translation>
    </message>
    <message>
        <source>Annotations</source>
        <translation>批注</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotActions</name>
    <message>
        <source>There is no rank %1 in this run</source>
        <translation>此任务中没有 rank %1</translation>
    </message>
    <message>
        <source>All ranks are shown</source>
        <translation>显示全部 rank</translation>
    </message>
    <message>
        <source>Only rank %1 is shown; 0 shows all</source>
        <translation>只显示 rank %1；按 0 显示全部</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotExporter</name>
    <message>
        <source>The visible series was copied; paste it into a spreadsheet</source>
        <translation>已复制可见序列；可粘贴到电子表格</translation>
    </message>
    <message>
        <source>There is nothing to export yet</source>
        <translation>还没有可导出的内容</translation>
    </message>
    <message>
        <source>Export the plots</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>Vector graphics (*.svg)</source>
        <translation>矢量图 (*.svg)</translation>
    </message>
    <message>
        <source>Document (*.pdf)</source>
        <translation>文档 (*.pdf)</translation>
    </message>
    <message>
        <source>Table of the visible series (*.csv)</source>
        <translation>可见序列的表格 (*.csv)</translation>
    </message>
    <message>
        <source>The plot has been removed</source>
        <translation>图表已被移除</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已保存：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotFeed</name>
    <message>
        <source>Nothing recorded in this part of the run</source>
        <translation>任务的这一段没有记录</translation>
    </message>
    <message>
        <source>Nothing recorded so far</source>
        <translation>至今没有记录</translation>
    </message>
    <message>
        <source>Not recorded in this run</source>
        <translation>此任务没有记录这一项</translation>
    </message>
    <message>
        <source>Checkpoint after step %1</source>
        <translation>第 %1 步后的检查点</translation>
    </message>
    <message>
        <source>Validation after step %1: loss %2</source>
        <translation>第 %1 步后的验证：损失 %2</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1–%2</translation>
    </message>
    <message>
        <source>samples %1 to %2</source>
        <translation>样本 %1–%2</translation>
    </message>
    <message>
        <source>%1 · not following</source>
        <translation>%1 · 未跟随</translation>
    </message>
    <message>
        <source>%1 (overlaps added up)</source>
        <translation>%1（重叠部分重复累加）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotGestures</name>
    <message>
        <source>Drag to move the plot, or press Alt+↑ or Alt+↓</source>
        <translation>拖动以移动图表，也可按 Alt+↑ 或 Alt+↓</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotMenu</name>
    <message>
        <source>Imported series</source>
        <translation>导入的序列</translation>
    </message>
    <message>
        <source>Copy as table</source>
        <translation>复制为表格</translation>
    </message>
    <message>
        <source>Export this plot…</source>
        <translation>导出此图表…</translation>
    </message>
    <message>
        <source>Edit the annotation</source>
        <translation>编辑批注</translation>
    </message>
    <message>
        <source>Delete the annotation</source>
        <translation>删除批注</translation>
    </message>
    <message>
        <source>Annotate the filtered steps…</source>
        <translation>为筛选出的步添加批注…</translation>
    </message>
    <message>
        <source>Annotate here…</source>
        <translation>在此添加批注…</translation>
    </message>
    <message>
        <source>Undo annotation</source>
        <translation>撤销批注</translation>
    </message>
    <message>
        <source>Zoom to the filter</source>
        <translation>缩放到筛选区间</translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Filter to the current view</source>
        <translation>按当前视图筛选</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>对数坐标</translation>
    </message>
    <message>
        <source>Ignore outliers</source>
        <translation>忽略离群值</translation>
    </message>
    <message>
        <source>Fit the y axis again</source>
        <translation>重新适配纵轴</translation>
    </message>
    <message>
        <source>Add a plot</source>
        <translation>添加图表</translation>
    </message>
    <message>
        <source>Pin to top</source>
        <translation>固定在顶部</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Remove this plot</source>
        <translation>移除此图表</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotStack</name>
    <message>
        <source>%1 is already on the page</source>
        <translation>%1 已在页面上</translation>
    </message>
    <message numerus="yes">
        <source>Only %n plots fit; remove one first</source>
        <translation>
            <numerusform>最多 %n 个图表；请先移除一个</numerusform>
        </translation>
    </message>
    <message>
        <source>The last plot cannot be removed</source>
        <translation>最后一个图表不能移除</translation>
    </message>
    <message>
        <source>%1 was removed; it can be added again from the menu of panes</source>
        <translation>已移除 %1；可从窗格菜单重新添加</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotYAxis</name>
    <message>
        <source>y zoomed</source>
        <translation>纵轴已缩放</translation>
    </message>
    <message>
        <source>outliers ignored</source>
        <translation>已忽略离群值</translation>
    </message>
    <message>
        <source>Fit the y axis to the visible data again (double-click the axis)</source>
        <translation>让纵轴重新适配所见内容（在纵轴上双击）</translation>
    </message>
    <message>
        <source>Show outliers in full again</source>
        <translation>重新完整显示离群值</translation>
    </message>
    <message>
        <source>Wheel zooms y, drag shows an interval, Shift+drag moves</source>
        <translation>滚轮缩放纵轴，拖动显示一个区间，Shift+拖动平移</translation>
    </message>
    <message>
        <source>Wheel zooms y, drag shows an interval, Shift+drag moves. Double-click fits the visible data again</source>
        <translation>滚轮缩放纵轴，拖动显示一个区间，Shift+拖动平移。双击：重新适配所见内容</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::PlotsCover</name>
    <message>
        <source>Reading the run…</source>
        <translation>正在读取任务…</translation>
    </message>
    <message>
        <source>Waiting for the first rank… It is seen as soon as it has set up its process group or trains alone.</source>
        <translation>正在等待第一个 rank… 它建立进程组或独自开始训练后，就能看到。</translation>
    </message>
    <message>
        <source>The ranks are starting. Curves will appear after the first step.</source>
        <translation>各 rank 正在启动。第一步完成后会出现曲线。</translation>
    </message>
    <message>
        <source>No curve of this run can be read; the notice above says why.</source>
        <translation>无法读取此任务的曲线；原因见上方提示。</translation>
    </message>
    <message>
        <source>No curves: this run ended before its first step. The reason is given above.</source>
        <translation>没有曲线：此任务在第一步之前就结束了。原因见上方。</translation>
    </message>
    <message>
        <source>No curves: this run ended before its first step. Its logs say why.</source>
        <translation>没有曲线：此任务在第一步之前就结束了。原因见日志。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ProblemList</name>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ProblemModel</name>
    <message>
        <source>line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>severity, sentence</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Choose manifest…</source>
        <translation>选择 manifest…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RangeModel</name>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Steps of the range that this rank has ended</source>
        <translation>该 rank 在此区间内完成的步数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Mean of the losses that are not NaN</source>
        <translation>非 NaN 损失的平均值</translation>
    </message>
    <message>
        <source>Mean loss</source>
        <translation>平均损失</translation>
    </message>
    <message>
        <source>Smallest loss of a step</source>
        <translation>单步的最小损失</translation>
    </message>
    <message>
        <source>Smallest loss</source>
        <translation>最小损失</translation>
    </message>
    <message>
        <source>Largest loss of a step</source>
        <translation>单步的最大损失</translation>
    </message>
    <message>
        <source>Largest loss</source>
        <translation>最大损失</translation>
    </message>
    <message>
        <source>Mean time of a step, without the time between steps</source>
        <translation>一步的平均耗时，不含步与步之间的时间</translation>
    </message>
    <message>
        <source>Mean step</source>
        <translation>平均每步</translation>
    </message>
    <message>
        <source>Steps per second, without the time between steps</source>
        <translation>每秒步数，不含步与步之间的时间</translation>
    </message>
    <message>
        <source>Steps/s</source>
        <translation>步/秒</translation>
    </message>
    <message>
        <source>How long its training thread was blocked until the last rank arrived. Waits that have not ended are not counted.</source>
        <translation>训练线程被阻塞到最后一个 rank 到达的时间。未结束的等待不计。</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>The same as a share of the time that these steps took</source>
        <translation>占这些步总时间的比例</translation>
    </message>
    <message>
        <source>Waited, %</source>
        <translation>等待，%</translation>
    </message>
    <message>
        <source>How long the other ranks were blocked because of this one, summed over them</source>
        <translation>其他 rank 因它而被阻塞的时间之和</translation>
    </message>
    <message>
        <source>Held others</source>
        <translation>拖住其他 rank</translation>
    </message>
    <message>
        <source>Frames of the longest sequence in a batch</source>
        <translation>批次中最长序列的帧数</translation>
    </message>
    <message>
        <source>Longest sequence</source>
        <translation>最长序列</translation>
    </message>
    <message>
        <source>Share of the computed frames that is padding</source>
        <translation>计算的帧中 padding 所占的比例</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>padding</translation>
    </message>
    <message>
        <source>Incidents of these steps in which this rank held up the others</source>
        <translation>这些步中由该 rank 拖住其他 rank 的异常</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>异常</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RangePane</name>
    <message>
        <source>Adding up the steps…</source>
        <translation>正在汇总各步…</translation>
    </message>
    <message>
        <source>There are no steps yet.</source>
        <translation>还没有步。</translation>
    </message>
    <message>
        <source>There are no steps in this range.</source>
        <translation>此区间内没有步。</translation>
    </message>
    <message>
        <source>%1 of %2 lost to waiting (%3 %), mean over the ranks</source>
        <translation>%2 中有 %1 因等待耗去（%3%），各 rank 平均</translation>
    </message>
    <message>
        <source>1 incident</source>
        <translation>1 个异常</translation>
    </message>
    <message>
        <source>%1 incidents</source>
        <translation>%1 个异常</translation>
    </message>
    <message>
        <source>Statistics of the range, by rank</source>
        <translation>区间统计，按 rank</translation>
    </message>
    <message>
        <source>Copy the statistics as a table (Ctrl+C)</source>
        <translation>把统计复制成表格（Ctrl+C）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RankBoard</name>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>holding up others</source>
        <translation>拖住其他 rank</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>已终止</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Rank board</source>
        <translation>rank 面板</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>rank %1: %2</source>
        <translation>rank %1：%2</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <comment>device on host</comment>
        <translation>%1，位于 %2</translation>
    </message>
    <message>
        <source>waited %1, held others %2</source>
        <translation>等待 %1，拖住其他 rank 共 %2</translation>
    </message>
    <message>
        <source>Click to show it alone, Ctrl+click to mute it.</source>
        <translation>单击只看它，Ctrl+单击隐藏它。</translation>
    </message>
    <message>
        <source>Show all ranks</source>
        <translation>显示全部 rank</translation>
    </message>
    <message>
        <source>Show rank %1 alone</source>
        <translation>只看 rank %1</translation>
    </message>
    <message>
        <source>Unmute rank %1</source>
        <translation>显示 rank %1</translation>
    </message>
    <message>
        <source>Mute rank %1</source>
        <translation>隐藏 rank %1</translation>
    </message>
    <message>
        <source>Show its log</source>
        <translation>查看其日志</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>count, state: 12 waiting</comment>
        <translation>%1 个%2</translation>
    </message>
    <message>
        <source>%1 ranks: %2</source>
        <translation>共 %1 个 rank：%2</translation>
    </message>
    <message>
        <source>pinned: always drawn as a line</source>
        <translation>已固定：始终画成曲线</translation>
    </message>
    <message>
        <source>Unpin rank %1</source>
        <translation>取消固定 rank %1</translation>
    </message>
    <message>
        <source>Pin rank %1: always draw it as a line</source>
        <translation>固定 rank %1：始终画成曲线</translation>
    </message>
    <message>
        <source>waited %1, held %2</source>
        <translation>等待 %1，拖住 %2</translation>
    </message>
    <message>
        <source>held %1</source>
        <translation>拖住 %1</translation>
    </message>
    <message>
        <source>waited %1</source>
        <translation>等待 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RankPlot</name>
    <message>
        <source>rank %1, so far</source>
        <translation>rank %1，至今</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>对数坐标</translation>
    </message>
    <message>
        <source>dashed: %1</source>
        <translation>虚线：%1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>time since start (s)</source>
        <translation>开始后的时间（秒）</translation>
    </message>
    <message>
        <source>time since start (min:s)</source>
        <translation>开始后的时间（分:秒）</translation>
    </message>
    <message>
        <source>time since start (h:min:s)</source>
        <translation>开始后的时间（时:分:秒）</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>NaN/Inf</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 – %2</source>
        <translation>第 %1–%2 步</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>step, time since start</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>samples over all ranks</source>
        <translation>所有 rank 的样本数</translation>
    </message>
    <message>
        <source>%1, %2 samples</source>
        <translation>%1，%2 个样本</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>name of a curve</comment>
        <translation>%1，第 %2 步</translation>
    </message>
    <message>
        <source>%1, steps %2 and %3</source>
        <comment>name of a curve</comment>
        <translation>%1，第 %2 步与第 %3 步</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>step and time, run</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>smoothed, half-life %1 steps</source>
        <translation>已平滑，半衰期 %1 步</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecentMenu</name>
    <message>
        <source>%1 (no longer there)</source>
        <translation>%1（已不存在）</translation>
    </message>
    <message>
        <source>Open recen&amp;t</source>
        <translation>最近打开(&amp;T)</translation>
    </message>
    <message>
        <source>Nothing has been opened yet</source>
        <translation>还没有打开过任何内容</translation>
    </message>
    <message>
        <source>Recipes</source>
        <translation>配置文件</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>&amp;Clear this list</source>
        <translation>清空此列表(&amp;C)</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeChoice</name>
    <message>
        <source>Recipe that collectives are named by</source>
        <translation>集合通信的名称所取自的配置文件</translation>
    </message>
    <message>
        <source>NEST recipes of all sizes</source>
        <translation>各种规模的 NEST 配置</translation>
    </message>
    <message>
        <source>Open recipe: %1</source>
        <translation>已打开的配置文件：%1</translation>
    </message>
    <message>
        <source>Choose a recipe…</source>
        <translation>选择配置文件…</translation>
    </message>
    <message>
        <source>Recipe that was trained</source>
        <translation>训练所用的配置文件</translation>
    </message>
    <message>
        <source>YAML files (*.yaml *.yml);;All files (*)</source>
        <translation>YAML 文件 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeEdits</name>
    <message>
        <source>%1: %2 was not set. %3</source>
        <comment>key, value, why</comment>
        <translation>未能设置 %1: %2。%3</translation>
    </message>
    <message>
        <source>Manifest (a JSON object per line)</source>
        <translation>manifest（每行一个 JSON 对象）</translation>
    </message>
    <message>
        <source>Manifests (*.json *.jsonl);;All files (*)</source>
        <translation>manifest 文件 (*.json *.jsonl);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeFileActions</name>
    <message>
        <source>Save and open</source>
        <translation>保存后打开</translation>
    </message>
    <message>
        <source>Discard and open</source>
        <translation>放弃修改后打开</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>已打开 %1</translation>
    </message>
    <message>
        <source>This is a copy of the recipe of run %1. Change it, then launch it.</source>
        <translation>这是任务 %1 的配置文件的副本。修改后可启动。</translation>
    </message>
    <message>
        <source>%1: %2 was set in this copy of the run&apos;s recipe. Launch it, or undo with Ctrl+Z.</source>
        <translation>已在该任务配置文件的副本中将 %1 设为 %2。可以启动，或撤销（Ctrl+Z）。</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Save recipe as</source>
        <translation>配置文件另存为</translation>
    </message>
    <message>
        <source>YAML files (*.yaml *.yml);;All files (*)</source>
        <translation>YAML 文件 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>%1 is no longer on disk. Saving creates it again.</source>
        <translation>%1 已不在磁盘上。保存时会重新创建。</translation>
    </message>
    <message>
        <source>%1 changed on disk and was reloaded</source>
        <translation>%1 在磁盘上已被修改，已重新读取</translation>
    </message>
    <message>
        <source>%1 changed on disk while you edited it.</source>
        <translation>编辑期间，%1 在磁盘上已被修改。</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>保留我的修改</translation>
    </message>
    <message>
        <source>Show differences</source>
        <translation>显示差异</translation>
    </message>
    <message>
        <source>Save the changes to %1 before opening %2?</source>
        <comment>file, next</comment>
        <translation>%1 有未保存的修改。接下来要打开：%2</translation>
    </message>
    <message>
        <source>Save the changes to %1, which were launched as %3, before opening %2?</source>
        <comment>file, next, run</comment>
        <translation>%1 有未保存的修改，它们已作为 %3 启动。接下来要打开：%2</translation>
    </message>
    <message>
        <source>%1, copy of %2</source>
        <comment>recipe, end of the run&apos;s id</comment>
        <translation>%1，%2 的副本</translation>
    </message>
    <message>
        <source>a copy of the recipe of %1</source>
        <translation>%1 的配置文件副本</translation>
    </message>
    <message>
        <source>%1 was removed from this copy of the run&apos;s recipe. Launch it, or undo with Ctrl+Z.</source>
        <translation>该任务配置文件的副本中已移除 %1。可以启动，或撤销（Ctrl+Z）。</translation>
    </message>
    <message>
        <source>a copy of the recipe of %1 without %2</source>
        <comment>run, key</comment>
        <translation>%1 的配置文件副本，不含 %2</translation>
    </message>
    <message>
        <source>a copy of the recipe of %1 with %2: %3</source>
        <comment>run, key, value</comment>
        <translation>%1 的配置文件副本，其中 %2: %3</translation>
    </message>
    <message>
        <source>Restored unsaved edits from %1.</source>
        <translation>已恢复 %1 的未保存修改。</translation>
    </message>
    <message>
        <source>Restored unsaved edits from %1. The file has changed since then.</source>
        <translation>已恢复 %1 的未保存修改。此后文件又有改动。</translation>
    </message>
    <message>
        <source>Restored unsaved edits from %1. The file itself is gone; saving creates it again.</source>
        <translation>已恢复 %1 的未保存修改。文件本身已不存在；保存时会重新创建。</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeModel</name>
    <message>
        <source>NeMo YAML</source>
        <translation>NeMo YAML</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Your file</source>
        <translation>你的值</translation>
    </message>
    <message>
        <source>Effective</source>
        <translation>生效值</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配置文件</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Default in the code of NeMo, Lightning, PyTorch or Rankscope; a value&apos;s tool tip says which</source>
        <translation>NeMo、Lightning、PyTorch 或 Rankscope 代码中的默认值；值的提示说明是哪一个</translation>
    </message>
</context>
<context>
    <name>RecipeCell</name>
    <message>
        <source>your file</source>
        <translation>你的文件</translation>
    </message>
    <message>
        <source>override</source>
        <translation>覆盖项</translation>
    </message>
    <message>
        <source>NeMo YAML</source>
        <translation>NeMo YAML</translation>
    </message>
    <message>
        <source>NeMo code</source>
        <translation>NeMo 代码</translation>
    </message>
    <message>
        <source>Lightning code</source>
        <translation>Lightning 代码</translation>
    </message>
    <message>
        <source>PyTorch code</source>
        <translation>PyTorch 代码</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Affects collectives, the batches of each rank, or the layout of processes.</source>
        <translation>影响集合通信、各 rank 的批次或进程布局。</translation>
    </message>
    <message>
        <source>default in %1</source>
        <translation>%1 的默认值</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s) in this section</source>
        <translation>
            <numerusform>此配置段有 %n 个问题</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeTextPane</name>
    <message>
        <source>YAML text</source>
        <translation>YAML 文本</translation>
    </message>
    <message>
        <source>Open a recipe (Ctrl+O), or drop a YAML file here.</source>
        <translation>打开配置文件（Ctrl+O），或把 YAML 文件拖到这里。</translation>
    </message>
    <message>
        <source>Ctrl+] and Ctrl+[ indent, as do Tab and Shift+Tab with several lines selected; Esc and Tab leave the text</source>
        <translation>Ctrl+] 和 Ctrl+[ 缩进与反缩进，选中多行时 Tab 和 Shift+Tab 也可；Esc 和 Tab 离开文本</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeView</name>
    <message>
        <source>Search keys and values</source>
        <translation>搜索键和值</translation>
    </message>
    <message>
        <source>Differences only</source>
        <translation>只看差异</translation>
    </message>
    <message>
        <source>Sync-related only</source>
        <translation>只看同步相关</translation>
    </message>
    <message>
        <source>Only keys that affect collectives, the batches of each rank, or the layout of processes</source>
        <translation>只列出影响集合通信、各 rank 的批次或进程布局的键</translation>
    </message>
    <message>
        <source>No matching keys.</source>
        <translation>没有匹配的键。</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配置文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Copy key</source>
        <translation>复制键名</translation>
    </message>
    <message>
        <source>Remove from your file</source>
        <translation>从你的文件中移除</translation>
    </message>
    <message>
        <source>Use NeMo YAML&apos;s value: %1</source>
        <translation>采用 NeMo YAML 的值：%1</translation>
    </message>
    <message>
        <source>Use the code&apos;s default: %1</source>
        <translation>采用代码中的默认值：%1</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>Show in the text</source>
        <translation>在文本中显示</translation>
    </message>
    <message>
        <source>Add a key…</source>
        <translation>添加键…</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Use the value of %1: %2</source>
        <translation>采用 %1 的值：%2</translation>
    </message>
    <message>
        <source>Only keys whose effective value differs from NeMo&apos;s or from a compared recipe, and keys with errors</source>
        <translation>只显示生效值与 NeMo 或所比较的配置文件不同的键，以及有错误的键</translation>
    </message>
    <message>
        <source>Compare with NeMo, another file or a past run</source>
        <translation>与 NeMo、另一个文件或以往的任务比较</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Add a key to the section (Insert)</source>
        <translation>在该配置段中添加键（Insert）</translation>
    </message>
    <message>
        <source>Add a key</source>
        <translation>添加键</translation>
    </message>
    <message>
        <source>Open a recipe (Ctrl+O), drop a NeMo YAML here, or repeat the open run: Relaunch with changes opens its recipe.</source>
        <translation>打开配置文件（Ctrl+O）、把 NeMo 的 YAML 拖到这里，或点“修改后重跑”，以当前任务的配置重跑。</translation>
    </message>
    <message>
        <source>Nothing differs.</source>
        <translation>没有差异。</translation>
    </message>
    <message>
        <source>The YAML cannot be parsed. The list of problems says where and why.</source>
        <translation>YAML 无法解析。位置和原因见问题列表。</translation>
    </message>
    <message>
        <source>The YAML cannot be parsed, so you see the keys as they were before. The list of problems says what to fix.</source>
        <translation>YAML 无法解析，显示的是之前的键。需要修改之处见问题列表。</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>复制值</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecordedRecipePage</name>
    <message>
        <source>Start it again…</source>
        <translation>再次启动…</translation>
    </message>
    <message>
        <source>Change the command of this run, and start and watch it again</source>
        <translation>修改此任务的命令，再次启动并监视</translation>
    </message>
    <message>
        <source>Relaunch with changes</source>
        <translation>修改后重跑</translation>
    </message>
    <message>
        <source>Open a copy of this run&apos;s recipe to edit (Ctrl+R)</source>
        <translation>打开此任务配置文件的副本进行编辑（Ctrl+R）</translation>
    </message>
    <message>
        <source>Settings as YAML</source>
        <translation>YAML 形式的设置</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Settings of run %1</source>
        <translation>任务 %1 的设置</translation>
    </message>
    <message>
        <source>Settings of run %1, %2</source>
        <comment>name, end of the id</comment>
        <translation>任务 %1（%2）的设置</translation>
    </message>
    <message>
        <source>Back to the recipe</source>
        <translation>返回配置文件</translation>
    </message>
    <message>
        <source>Edit %1, which is open</source>
        <translation>编辑已打开的 %1</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>read-only; resumed from %1</source>
        <translation>只读；由 %1 续训而来</translation>
    </message>
    <message>
        <source>read-only; repeats %1</source>
        <translation>只读；重跑自 %1</translation>
    </message>
    <message>
        <source>its settings cannot be read</source>
        <translation>其设置无法读取</translation>
    </message>
    <message>
        <source>with the same settings</source>
        <translation>设置相同</translation>
    </message>
    <message>
        <source>NeMo defaults only</source>
        <translation>仅 NeMo 的默认值</translation>
    </message>
    <message>
        <source>Run %1, and NeMo&apos;s defaults</source>
        <translation>任务 %1 和 NeMo 的默认值</translation>
    </message>
    <message>
        <source>ranks: %1 → %2</source>
        <translation>rank 数：%1 → %2</translation>
    </message>
    <message>
        <source>Rankscope&apos;s trainer cannot train this recipe: %1</source>
        <translation>Rankscope 的训练程序无法训练这份配置：%1</translation>
    </message>
    <message>
        <source>read-only; what %1 trained with, as its process had it when training began</source>
        <translation>只读；%1 训练所用的配置，取自训练开始时的进程</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ResourcePlots</name>
    <message>
        <source>Not recorded in this run</source>
        <translation>此任务没有记录这一项</translation>
    </message>
    <message>
        <source>Nothing was measured in this view</source>
        <translation>所见范围内没有测量值</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ReviewPage</name>
    <message>
        <source>&lt;b&gt;No run is shown&lt;/b&gt;&lt;br&gt;&lt;br&gt;Choose a run on the left, open a run&apos;s folder, or launch one from the Configure page.</source>
        <translation>&lt;b&gt;未选择任务&lt;/b&gt;&lt;br&gt;&lt;br&gt;请在左侧选择任务、打开任务目录，或在“配置”页启动一个。</translation>
    </message>
    <message>
        <source>Add a plot</source>
        <translation>添加图表</translation>
    </message>
    <message>
        <source>There is no step to annotate yet</source>
        <translation>还没有可批注的步</translation>
    </message>
    <message>
        <source>Include earlier runs</source>
        <translation>连同之前的任务</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ReviewToolbar</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Keep the newest step in view (F)</source>
        <translation>始终显示最新步（F）</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Logarithmic loss and wait (L)</source>
        <translation>损失与等待用对数坐标（L）</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Steps on the x axis (X)</source>
        <translation>横轴为步（X）</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time on the x axis (X)</source>
        <translation>横轴为时间（X）</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大（+）</translation>
    </message>
    <message>
        <source>Zoom out (−)</source>
        <translation>缩小（−）</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Previous incident ([)</source>
        <translation>上一个异常（[）</translation>
    </message>
    <message>
        <source>Next incident (])</source>
        <translation>下一个异常（]）</translation>
    </message>
    <message>
        <source>Show or hide panes</source>
        <translation>显示或隐藏窗格</translation>
    </message>
    <message>
        <source>Export the plots (Ctrl+E)</source>
        <translation>导出图表（Ctrl+E）</translation>
    </message>
    <message>
        <source>no incident</source>
        <translation>没有异常</translation>
    </message>
    <message numerus="yes">
        <source>%n incident(s)</source>
        <translation>
            <numerusform>%n 个异常</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the whole run</source>
        <translation>显示整个任务</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Samples seen by all ranks on the x axis (X)</source>
        <translation>横轴为所有 rank 已用的样本数（X）</translation>
    </message>
    <message>
        <source>This run recorded no batch sizes, so its samples cannot be counted</source>
        <translation>该任务没有记录 batch size，因此无法统计样本数</translation>
    </message>
    <message>
        <source>Smooth the curves; the raw ones stay visible, faintly (S). The arrow sets the strength</source>
        <translation>平滑曲线；原始曲线以浅色保留（S）。箭头设定强度</translation>
    </message>
    <message>
        <source>Ignore outliers: extreme peaks no longer flatten the curves; they are marked at the edge</source>
        <translation>忽略离群值：少数极端峰值不再压平曲线；它们标在边缘</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunActions</name>
    <message>
        <source>&amp;Resume again</source>
        <translation>再次续训(&amp;R)</translation>
    </message>
    <message>
        <source>Run %1 was resumed from this one already; this makes one more from the newest checkpoint</source>
        <translation>已由任务 %1 续训；再次续训会从最新的检查点再新建一个任务</translation>
    </message>
    <message>
        <source>Resuming %1</source>
        <translation>正在续训 %1</translation>
    </message>
    <message>
        <source>%1 was not resumed: %2</source>
        <translation>未能续训 %1：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunDelegate</name>
    <message>
        <source>Name that it was started with</source>
        <translation>留空则用启动时的名称</translation>
    </message>
    <message>
        <source>Name of the run</source>
        <translation>任务名称</translation>
    </message>
    <message numerus="yes">
        <source>%n part(s)</source>
        <translation>
            <numerusform>%n 段</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunListModel</name>
    <message>
        <source>loss %1</source>
        <translation>loss %1</translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s), %1</source>
        <translation>
            <numerusform>%n 个 rank，%1</numerusform>
        </translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1/%2 steps</source>
        <translation>%1/%2 步</translation>
    </message>
    <message>
        <source>in %1</source>
        <comment>another folder than the list&apos;s</comment>
        <translation>位于 %1</translation>
    </message>
    <message>
        <source>In another folder: %1</source>
        <translation>位于另一个文件夹：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunOpener</name>
    <message>
        <source>%1 is not a Rankscope run (no run.json).</source>
        <translation>%1 不是 Rankscope 的任务（没有 run.json）。</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 不存在。</translation>
    </message>
    <message>
        <source>Rankscope opens the folders that it creates when a run is launched. You can import TensorBoard event files and folders of NeMo&apos;s exp_manager as a run.</source>
        <translation>Rankscope 显示的是启动任务时生成的目录。TensorBoard 事件文件和 NeMo exp_manager 的文件夹可以导入，成为一个任务。</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunPoller</name>
    <message>
        <source>How this run ended could not be determined; its logs may say more</source>
        <translation>无法查明此任务如何结束，日志中可能有更多信息</translation>
    </message>
    <message>
        <source>rankscopectl show: %1</source>
        <translation>rankscopectl show：%1</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>退出码 %1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunSummaryCard</name>
    <message>
        <source>Finished after 1 step</source>
        <translation>完成，共 1 步</translation>
    </message>
    <message>
        <source>Finished after %1 steps</source>
        <translation>完成，共 %1 步</translation>
    </message>
    <message>
        <source>Stopped before the first step</source>
        <translation>在第一步之前停止</translation>
    </message>
    <message>
        <source>Stopped after %1 of %2 steps</source>
        <translation>已停止，完成 %1 / %2 步</translation>
    </message>
    <message>
        <source>Stopped after %1 steps</source>
        <translation>在 %1 步之后停止</translation>
    </message>
    <message>
        <source>%1 (after step %2, %3)</source>
        <comment>a file, a step, its size</comment>
        <translation>%1（第 %2 步之后，%3）</translation>
    </message>
    <message>
        <source>%1 (%2; after which step is not recorded)</source>
        <comment>a file and its size</comment>
        <translation>%1（%2；未记录是哪一步之后的）</translation>
    </message>
    <message>
        <source>none: the run saved neither a .nemo file nor a checkpoint</source>
        <translation>没有：此任务既没有留下 .nemo，也没有检查点</translation>
    </message>
    <message>
        <source>no .nemo file was written; you can make one from %1 (after step %2, %3)</source>
        <translation>没有生成 .nemo；可由 %1 生成（第 %2 步之后，%3）</translation>
    </message>
    <message>
        <source>It saved no checkpoint, so training cannot be resumed.</source>
        <translation>它没有留下检查点，无法续训。</translation>
    </message>
    <message>
        <source>Resume continues at step %1 from %2, in a new run linked to this one.</source>
        <translation>点“续训”会新建一个任务，从 %2 接着训练第 %1 步。</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>%1 (step %2); the latest is %3 (step %4)</source>
        <translation>%1（第 %2 步）；最新为 %3（第 %4 步）</translation>
    </message>
    <message>
        <source>How the run ended</source>
        <translation>任务如何结束</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Best validation loss</source>
        <translation>最小验证损失</translation>
    </message>
    <message>
        <source>Load in Python</source>
        <translation>在 Python 中加载</translation>
    </message>
    <message>
        <source>Other formats</source>
        <translation>其他格式</translation>
    </message>
    <message>
        <source>Export weights…</source>
        <translation>导出权重…</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Close; View &gt; How the run ended brings it back</source>
        <translation>关闭；“视图 &gt; 任务如何结束”可再次显示</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>%1 (step %2), the latest</source>
        <translation>%1（第 %2 步，最新）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunTableDelegate</name>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>标签，用逗号分隔</translation>
    </message>
    <message>
        <source>Name that it was started with</source>
        <translation>留空则用启动时的名称</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunTableModel</name>
    <message>
        <source>Being read</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>This run has no store.</source>
        <translation>这个任务没有数据库。</translation>
    </message>
    <message>
        <source>%1
baseline: %2</source>
        <translation>%1
基准：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MarkActions</name>
    <message>
        <source>Pin as baseline</source>
        <translation>固定为基准</translation>
    </message>
    <message>
        <source>Unpin the baseline</source>
        <translation>取消固定基准</translation>
    </message>
    <message>
        <source>Show differences to the baseline</source>
        <translation>显示与基准的差别</translation>
    </message>
    <message>
        <source>Pin a run as the baseline (B) to see how the others differ from it</source>
        <translation>把一个任务固定为基准（B），即可查看其他任务与它的差别</translation>
    </message>
    <message numerus="yes">
        <source>Tag for %n run(s)</source>
        <translation>
            <numerusform>%n 个任务的标签</numerusform>
        </translation>
    </message>
    <message>
        <source>Runs that are still active are not moved to the trash; stop them first</source>
        <translation>仍在进行的任务不会移到回收站；请先停止</translation>
    </message>
    <message>
        <source>Move the run %1 with its plots, logs and checkpoints to the trash?</source>
        <translation>将任务 %1 连同图表、日志和检查点移到回收站？</translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs with their plots, logs and checkpoints to the trash?</source>
        <translation>
            <numerusform>将 %n 个任务连同图表、日志和检查点移到回收站？</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n live run(s) will be kept.</source>
        <translation>
            <numerusform>%n 个仍在进行的任务不会移动。</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>New tag…</source>
        <translation>新标签…</translation>
    </message>
    <message>
        <source>Remove from favourites</source>
        <translation>取消收藏</translation>
    </message>
    <message>
        <source>Add to favourites</source>
        <translation>加入收藏</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunsPage</name>
    <message numerus="yes">
        <source>%n run(s) are in the trash</source>
        <translation>
            <numerusform>%n 个任务已移到回收站</numerusform>
        </translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Choose columns: figures, facts and any setting</source>
        <translation>选择列：数值、信息和任意设置</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Show archived runs as well</source>
        <translation>同时显示已归档的任务</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare the selected runs below the table</source>
        <translation>在表格下方比较选中的任务</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>任务列表</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 runs</source>
        <translation>%1 / %2 个任务</translation>
    </message>
    <message>
        <source>, %1 selected</source>
        <translation>，选中 %1 个</translation>
    </message>
    <message>
        <source>No runs yet. Choose Run &gt; Watch a command…, launch a recipe from Configure, or drop a run&apos;s folder onto the window.</source>
        <translation>暂无任务。请选择“任务 &gt; 监视命令…”，或在“配置”页启动一个配置文件，或将任务目录拖到窗口上。</translation>
    </message>
    <message>
        <source>All runs are archived. &quot;Archived&quot; above shows them.</source>
        <translation>所有任务都已归档。上方的“已归档”可显示它们。</translation>
    </message>
    <message>
        <source>No runs match the filter. Press Esc in the filter to clear it.</source>
        <translation>没有任务符合筛选条件。在筛选框中按 Esc 清除。</translation>
    </message>
    <message>
        <source>Select runs and press Compare: only the curves can be exported here</source>
        <translation>请选择任务并点击“比较”：这里可以导出的是曲线</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n row(s)</source>
        <translation>
            <numerusform>已复制 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message numerus="yes">
        <source>Compare %n run(s)</source>
        <translation>
            <numerusform>比较 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy as table</source>
        <translation>复制为表格</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n path(s)</source>
        <translation>
            <numerusform>已复制 %n 个路径</numerusform>
        </translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Relaunch with changes</source>
        <translation>修改后重跑</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Move to trash…</source>
        <translation>移到回收站…</translation>
    </message>
    <message>
        <source>The note of %1 was not saved: %2</source>
        <translation>%1 的备注未保存：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunsPanel</name>
    <message>
        <source>Runs</source>
        <translation>任务列表</translation>
    </message>
    <message>
        <source>Show the list of runs</source>
        <translation>展开任务列表</translation>
    </message>
    <message>
        <source>Collapse the list of runs</source>
        <translation>折叠任务列表</translation>
    </message>
    <message>
        <source>Filter by state</source>
        <translation>按状态筛选</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>搜索任务</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed, stopped or lost</source>
        <translation>失败、停止或失联</translation>
    </message>
    <message>
        <source>No runs yet. Choose Run &gt; Watch a command…, launch a recipe from Configure, or open a run&apos;s folder.</source>
        <translation>暂无任务。请选择“任务 &gt; 监视命令…”，或在“配置”页启动一个配置文件，或打开任务目录。</translation>
    </message>
    <message>
        <source>No runs match.</source>
        <translation>没有匹配的任务。</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message>
        <source>Copied %1</source>
        <translation>已复制 %1</translation>
    </message>
    <message>
        <source>Relaunch with changes</source>
        <translation>修改后重跑</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Move to trash…</source>
        <translation>移到回收站…</translation>
    </message>
    <message>
        <source>the run is still active; stop it first</source>
        <translation>任务仍在进行，请先停止</translation>
    </message>
    <message>
        <source>the system&apos;s trash refused it: %1</source>
        <translation>系统回收站未接受：%1</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Move the run %1 with its plots, logs and checkpoints to the trash?</source>
        <translation>将任务 %1 连同图表、日志和检查点移到回收站？</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 is in the trash</source>
        <translation>%1 已移到回收站</translation>
    </message>
    <message>
        <source>%1 was not moved: %2</source>
        <translation>%1 未移动：%2</translation>
    </message>
    <message>
        <source>Archived runs as well</source>
        <translation>同时显示已归档的任务</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>The open run is stored elsewhere. This list shows your runs folder.</source>
        <translation>打开的任务在别处；此列表显示的是你的任务根目录。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ScatterPane</name>
    <message>
        <source>no setting differs between these runs</source>
        <translation>这些任务的设置没有差别</translation>
    </message>
    <message>
        <source>against</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>数值</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ScatterPlot</name>
    <message numerus="yes">
        <source>%n run(s) without a value</source>
        <translation>
            <numerusform>%n 个任务没有值</numerusform>
        </translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ShortcutsPanel</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Only rank 1 … 9 (again: all ranks)</source>
        <translation>只看 rank 1 … 9（再按：全部 rank）</translation>
    </message>
    <message>
        <source>Search keyboard shortcuts</source>
        <translation>搜索快捷键</translation>
    </message>
    <message>
        <source>No matching shortcuts.</source>
        <translation>没有匹配的快捷键。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::SmoothingMenu</name>
    <message>
        <source>Half-life: %1 steps</source>
        <translation>半衰期：%1 步</translation>
    </message>
    <message>
        <source>A value this many steps back counts half</source>
        <translation>这么多步之前的值权重减半</translation>
    </message>
    <message>
        <source>weak</source>
        <translation>弱</translation>
    </message>
    <message>
        <source>strong</source>
        <translation>强</translation>
    </message>
    <message>
        <source>Strength of smoothing</source>
        <translation>平滑强度</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::SpanDetails</name>
    <message>
        <source>Click a span, or press Enter on the lanes, for its details.</source>
        <translation>点击一个区段，或在泳道上按 Enter，查看详情。</translation>
    </message>
    <message>
        <source>Show step in Review</source>
        <translation>在回看中显示该步</translation>
    </message>
    <message>
        <source>This rank&apos;s log</source>
        <translation>该 rank 的日志</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy as text (Ctrl+C)</source>
        <translation>复制为文本（Ctrl+C）</translation>
    </message>
    <message>
        <source>Who arrived when</source>
        <translation>各 rank 到达时刻</translation>
    </message>
    <message>
        <source>Statistics of all spans of this kind</source>
        <translation>所有同类区段的统计</translation>
    </message>
    <message>
        <source>Count, sum, mean, p50, p95, max and share of all spans of this kind</source>
        <translation>所有同类区段的数量、合计、平均、p50、p95、最大值与占比</translation>
    </message>
    <message>
        <source>Selects its time and adds up its phases and waits</source>
        <translation>选中该步的时间，并统计其阶段与等待</translation>
    </message>
    <message>
        <source>File being read</source>
        <translation>正在读取的文件</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Statistics of this part</source>
        <translation>这一部分的统计</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::StatsModel</name>
    <message>
        <source>no phase</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>wait: %1</source>
        <translation>等待：%1</translation>
    </message>
    <message>
        <source>other collectives</source>
        <translation>其他集合通信</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>A phase of the training thread, or the waits in a collective</source>
        <translation>训练线程的一个阶段，或在一种集合通信中的等待</translation>
    </message>
    <message>
        <source>Phase or wait</source>
        <translation>阶段或等待</translation>
    </message>
    <message>
        <source>The rank that spent the time</source>
        <translation>所属的 rank</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Number of them in the range</source>
        <translation>范围内的个数</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Their time inside the range, added up</source>
        <translation>在范围内的时间合计</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Sum divided by count</source>
        <translation>合计除以数量</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Half of them took no longer</source>
        <translation>一半不超过此值</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>95 % of them took no longer</source>
        <translation>95% 不超过此值</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>The longest one; Enter or a double click on the row shows it</source>
        <translation>最长的一个；在该行按 Enter 或双击即可显示</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Share of the range&apos;s time on this rank; for all ranks together, share of their time added up</source>
        <translation>占该 rank 在此范围内时间的比例；所有 rank 合计时，占各 rank 时间之和的比例</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::StatsPane</name>
    <message>
        <source>Phases and waits</source>
        <translation>阶段与等待</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Each rank</source>
        <translation>按 rank</translation>
    </message>
    <message>
        <source>All ranks together</source>
        <translation>所有 rank 合计</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Which phases and waits</source>
        <translation>哪些阶段与等待</translation>
    </message>
    <message>
        <source>How ranks are counted</source>
        <translation>rank 的统计方式</translation>
    </message>
    <message>
        <source>Copy as CSV: the selected rows, or all (Ctrl+C)</source>
        <translation>复制为 CSV：所选行或全部（Ctrl+C）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Adding up</source>
        <translation>正在统计</translation>
    </message>
    <message>
        <source>Selected: %1</source>
        <translation>已选：%1</translation>
    </message>
    <message>
        <source>Whole run: %1</source>
        <translation>整个任务：%1</translation>
    </message>
    <message>
        <source>In view: %1</source>
        <translation>可见部分：%1</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>adding up…</source>
        <translation>正在统计…</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>No phases or waits are recorded in this range.</source>
        <translation>此范围内没有记录阶段或等待。</translation>
    </message>
    <message>
        <source>Individual spans of %1 steps are no longer kept: each of these steps counts once, with its sum.</source>
        <translation>其中 %1 步已不再保留单个区段：这些步每步按合计计一次。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::SyncCard</name>
    <message>
        <source>Your file</source>
        <translation>你的值</translation>
    </message>
    <message>
        <source>NeMo YAML</source>
        <translation>NeMo YAML</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Effective</source>
        <translation>生效值</translation>
    </message>
    <message>
        <source>Remove from your file and use the default</source>
        <translation>从你的文件中移除，让默认值生效</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自 %1</translation>
    </message>
    <message>
        <source>Explain, and show in the tree: %1</source>
        <translation>解释并在树中显示：%1</translation>
    </message>
    <message>
        <source>If a rank never arrives, all others wait here until rankscope.collective_timeout_s ends the run.</source>
        <translation>有 rank 迟迟不到，其他 rank 就一直等在这里，直到 rankscope.collective_timeout_s 结束任务。</translation>
    </message>
    <message>
        <source>%1, in effect: %2</source>
        <translation>%1，生效值：%2</translation>
    </message>
    <message>
        <source>Cost: planning…</source>
        <translation>开销：正在预估…</translation>
    </message>
    <message>
        <source>Cost unknown: the recipe has errors</source>
        <translation>开销未知：配置文件有错误</translation>
    </message>
    <message>
        <source>Cost unknown: the dry run failed</source>
        <translation>开销未知：预估失败</translation>
    </message>
    <message>
        <source>%1. Not applied; press Esc to go back.</source>
        <comment>what is wrong with a value</comment>
        <translation>%1。未生效；按 Esc 恢复原值。</translation>
    </message>
    <message>
        <source>With only one rank, this setting has no effect.</source>
        <translation>只有一个 rank：没有其他 rank 等待它，此设置不起作用。</translation>
    </message>
    <message>
        <source>In this recipe, this setting has no effect.</source>
        <translation>在这个配置文件里，此设置不起作用。</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <comment>of this setting; a button</comment>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>Show in the list of problems</source>
        <translation>在问题列表中显示</translation>
    </message>
    <message>
        <source>Unavailable: the YAML is invalid.</source>
        <translation>不可用：YAML 无效。</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <comment>cost on another machine, effect</comment>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>On %1: %2</source>
        <comment>machine, cost</comment>
        <translation>在 %1 上：%2</translation>
    </message>
    <message>
        <source>Plan for it</source>
        <comment>for a machine</comment>
        <translation>为它预估</translation>
    </message>
    <message>
        <source>Show what this recipe does on %1</source>
        <translation>显示此配置在 %1 上的预估结果</translation>
    </message>
    <message>
        <source>One rank here. %1</source>
        <translation>本机只有一个 rank。%1</translation>
    </message>
    <message>
        <source>One rank here</source>
        <translation>本机只有一个 rank</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::SyncCardRow</name>
    <message>
        <source>Expand the three settings to show their effect</source>
        <translation>显示三项设置及其影响</translation>
    </message>
    <message>
        <source>Collapse the three settings to value and cost</source>
        <translation>将三项设置折叠为值和开销</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelineLegend</name>
    <message>
        <source>working</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>waiting for other ranks</source>
        <translation>等待其他 rank</translation>
    </message>
    <message>
        <source>waiting for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>incident</source>
        <translation>异常</translation>
    </message>
    <message>
        <source>waiting in a collective</source>
        <translation>在集合通信中等待</translation>
    </message>
    <message>
        <source>collective, all ranks present</source>
        <translation>集合通信（全部到达之后）</translation>
    </message>
    <message>
        <source>collective that a rank has not reached</source>
        <translation>尚有 rank 未到达的集合通信</translation>
    </message>
    <message>
        <source>waiting for</source>
        <translation>等待对象</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelineNotice</name>
    <message>
        <source>Too many steps are in view to show individual phases: a column&apos;s colours show each phase&apos;s share of the time, not the order. Zoom in for individual phases.</source>
        <translation>当前范围内步数太多，每列的颜色只表示各阶段耗时占比，不表示先后；放大后可看到单个阶段。</translation>
    </message>
    <message>
        <source>Individual phases are kept from step %1 on and around incidents. Elsewhere you see each step&apos;s sums: colours show the phases&apos; shares, not their order.</source>
        <translation>只有第 %1 步起以及异常前后保留了单个阶段。其余部分显示每步的合计：颜色表示各阶段耗时占比，不表示先后。</translation>
    </message>
    <message>
        <source>No phases are recorded for this part of the run; grey blocks are steps.</source>
        <translation>这一部分没有记录阶段；灰色块是步。</translation>
    </message>
    <message>
        <source>Nothing was recorded in this part of the run: it has no steps or phases.</source>
        <translation>这一部分没有任何记录：既没有步，也没有阶段。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelinePage</name>
    <message>
        <source>%1 · not following</source>
        <translation>%1 · 未跟随</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Zoom to it</source>
        <translation>放大到此处</translation>
    </message>
    <message>
        <source>Show step in Review</source>
        <translation>在回看中显示该步</translation>
    </message>
    <message>
        <source>This rank&apos;s log</source>
        <translation>该 rank 的日志</translation>
    </message>
    <message>
        <source>Zoom to the selection</source>
        <translation>放大到所选部分</translation>
    </message>
    <message>
        <source>Clear the selection</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>Show the whole run</source>
        <translation>显示整个任务</translation>
    </message>
    <message>
        <source>Export as a Chrome trace…</source>
        <translation>导出为 Chrome trace…</translation>
    </message>
    <message>
        <source>&lt;b&gt;No run is shown&lt;/b&gt;&lt;br&gt;&lt;br&gt;Choose a run on the left, open a run&apos;s folder, or launch one from the Configure page.</source>
        <translation>&lt;b&gt;未选择任务&lt;/b&gt;&lt;br&gt;&lt;br&gt;请在左侧选择任务、打开任务目录，或在“配置”页启动一个。</translation>
    </message>
    <message>
        <source>Nothing has been recorded for this run yet.</source>
        <translation>此任务还没有任何记录。</translation>
    </message>
    <message>
        <source>selected %1</source>
        <translation>已选 %1</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>There is nothing to export yet</source>
        <translation>还没有可导出的内容</translation>
    </message>
    <message>
        <source>Statistics of all spans of this kind</source>
        <translation>所有同类区段的统计</translation>
    </message>
    <message>
        <source>Statistics of the selection</source>
        <translation>所选部分的统计</translation>
    </message>
    <message>
        <source>Show what caused the wait</source>
        <translation>显示等待的起因</translation>
    </message>
    <message>
        <source>Statistics of this part</source>
        <translation>这一部分的统计</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelinePanes</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Select a wait first: its cause is shown with its details</source>
        <translation>请先选择一个等待：其起因会与详情一同显示</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelineSearch</name>
    <message>
        <source>Searched: phases and collectives that are kept individually, and all steps</source>
        <translation>搜索范围：逐个保留的阶段与集合通信，以及所有步</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>no hits</source>
        <translation>无结果</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelineToolbar</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Keep the newest step in view (F)</source>
        <translation>始终显示最新步（F）</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Show the whole run (0)</source>
        <translation>显示整个任务（0）</translation>
    </message>
    <message>
        <source>Previous incident ([)</source>
        <translation>上一个异常（[）</translation>
    </message>
    <message>
        <source>Next incident (])</source>
        <translation>下一个异常（]）</translation>
    </message>
    <message>
        <source>Previous hit (Shift+Enter)</source>
        <translation>上一个结果（Shift+Enter）</translation>
    </message>
    <message>
        <source>Next hit (Enter)</source>
        <translation>下一个结果（Enter）</translation>
    </message>
    <message>
        <source>Export the part in view as a Chrome trace, for Perfetto</source>
        <translation>把可见部分导出为 Chrome trace，供 Perfetto 使用</translation>
    </message>
    <message>
        <source>Phase, tag, step or rank (/)</source>
        <translation>阶段、用途、步或 rank（/）</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>&quot;checkpoint&quot;, &quot;gradient:3&quot;, &quot;412&quot;, &quot;rank 3&quot;, or together: &quot;data_wait rank 3&quot;.
Enter: next hit, Shift+Enter: previous one, Esc: back to the lanes</source>
        <translation>“checkpoint”、“gradient:3”、“412”、“rank 3”，或组合：“data_wait rank 3”。
Enter：下一个结果，Shift+Enter：上一个结果，Esc：回到泳道</translation>
    </message>
    <message>
        <source>no incident</source>
        <translation>没有异常</translation>
    </message>
    <message>
        <source>1 incident</source>
        <translation>1 个异常</translation>
    </message>
    <message>
        <source>%1 incidents</source>
        <translation>%1 个异常</translation>
    </message>
    <message>
        <source>Zoom in (+ or W, or the wheel at the pointer)</source>
        <translation>放大（+ 或 W，或在指针处滚动滚轮）</translation>
    </message>
    <message>
        <source>Zoom out (− or S)</source>
        <translation>缩小（− 或 S）</translation>
    </message>
    <message>
        <source>Details, statistics and who waits for whom (Enter)</source>
        <translation>详情、统计与谁在等谁（Enter）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TimelineView</name>
    <message>
        <source>Drag here, or Shift+drag on the lanes, to select a part</source>
        <translation>在此拖动，或在泳道上按住 Shift 拖动，选择一部分</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TourGuide</name>
    <message>
        <source>The tour cannot start: %1</source>
        <translation>导览无法开始：%1</translation>
    </message>
    <message>
        <source>Who is holding up whom, and why</source>
        <translation>谁拖住了谁，为什么</translation>
    </message>
    <message>
        <source>In this recorded run a data loader stalled for %1. During a live run, this banner appears after a second: who is holding up whom, in which collective, what the holder is doing, and which setting fixes it.</source>
        <translation>这是一次训练的录制：数据加载卡了 %1。训练进行时，横幅约一秒后就会指出：谁拖住了谁、等在哪个集合通信、它正在做什么、改哪个设置能解决。</translation>
    </message>
    <message>
        <source>One tile per rank</source>
        <translation>每个 rank 一张卡片</translation>
    </message>
    <message>
        <source>Here you see what each rank is doing now. During a stall a triangle marks the rank that holds up the others, an hourglass those that wait. Click a tile to show its rank alone.</source>
        <translation>这里显示每个 rank 正在做什么。有 rank 卡住时，三角形标出拖住其他 rank 的那个，沙漏标出等待的 rank。单击可只看一个 rank。</translation>
    </message>
    <message>
        <source>The wait as a curve</source>
        <translation>等待的曲线</translation>
    </message>
    <message>
        <source>What each rank did</source>
        <translation>每个 rank 做了什么</translation>
    </message>
    <message>
        <source>The evidence and the fix</source>
        <translation>证据与解决办法</translation>
    </message>
    <message>
        <source>Each stall is kept with its evidence: the file that was being read, the queue, the stacks. The recipe injected this one on purpose: this button opens the recipe without the fault, ready to launch. For a real stall it opens the recipe with the setting changed.</source>
        <translation>每次卡住都连同证据保存下来：正在读取的文件、队列、调用栈。这次卡住是配置文件有意注入的故障：此按钮会打开已移除该故障的配置文件，可直接启动。若是真实的卡住，打开的则是已改好设置的配置文件。</translation>
    </message>
    <message>
        <source>Your own program</source>
        <translation>你自己的程序</translation>
    </message>
    <message>
        <source>All of this works with your own PyTorch program, unchanged: NeMo, Lightning or plain DDP. In a terminal, write &quot;rankscopectl run --&quot; before the command that starts it. In this window, choose Run &gt; Watch a command… (Ctrl+Shift+W).</source>
        <translation>这一切同样适用于你自己的 PyTorch 程序，程序不用改：NeMo、Lightning 或普通 DDP 都可以。在终端里，把“rankscopectl run --”写在启动它的命令前面；在此窗口里，选“任务 &gt; 监视命令…”（Ctrl+Shift+W）。</translation>
    </message>
    <message>
        <source>Before the next launch</source>
        <translation>下次启动之前</translation>
    </message>
    <message>
        <source>These three settings decide how ranks wait for each other; each shows its cost per step. Below is the whole recipe next to NeMo&apos;s defaults. Launch starts it on this machine.</source>
        <translation>这三个设置决定 rank 之间怎样互相等待，旁边是每步的开销。下面是整个配置文件与 NeMo 默认值的对照。“启动”会在本机开始训练。</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Reading the recorded run…</source>
        <translation>正在读取录制的任务…</translation>
    </message>
    <message>
        <source>You can take the tour again: Help &gt; Tour</source>
        <translation>可随时再看导览：“帮助 &gt; 导览”</translation>
    </message>
    <message>
        <source>In this one step %1 waited %2 and %3 did not: the rank that never waits is the one that holds up the others. Incidents are shaded. Zoom with the wheel, move by dragging, double-click to show the whole run.</source>
        <comment>ranks that waited, time, ranks that held them</comment>
        <translation>在这一步里，%1 等待了 %2，而 %3 没有等待：从不等待的 rank 就是拖住其他 rank 的那个。异常以阴影标出。滚轮缩放，拖动平移，双击显示整个任务。</translation>
    </message>
    <message>
        <source>One lane per rank: %1 was in data_wait, while %2 waited in a collective (hatched). The arrow points from the waiting rank to the one it waits for.</source>
        <comment>holder, waiters</comment>
        <translation>每个 rank 一条泳道：%1 停在 data_wait，%2 在集合通信中等待（斜线）。箭头从等待方指向被等的 rank。</translation>
    </message>
    <message>
        <source>These three settings decide how ranks wait for each other; each shows its cost per step. Now try it: the quickstart trains two small ranks on this machine in about a minute, and one of them stalls on purpose.</source>
        <translation>这三个设置决定 rank 之间怎样互相等待，旁边是每步的开销。现在试一试：快速开始用两个 rank 在本机训练一个小模型，约一分钟，其中一个 rank 会故意卡住。</translation>
    </message>
    <message>
        <source>Try the quickstart</source>
        <translation>试试快速开始</translation>
    </message>
    <message>
        <source>The quickstart is open: press Launch (Ctrl+Enter).</source>
        <translation>快速开始已打开：请按“启动”（Ctrl+Enter）。</translation>
    </message>
    <message>
        <source>This run is the tour&apos;s recording and cannot be launched again. Open your own recipe instead (Ctrl+O).</source>
        <translation>此任务是导览的录制，不能再次启动。请打开你自己的配置文件（Ctrl+O）。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TourPanel</name>
    <message>
        <source>%1 of %2</source>
        <comment>a step of the tour</comment>
        <translation>第 %1 页，共 %2 页</translation>
    </message>
    <message>
        <source>End tour</source>
        <translation>结束导览</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Tour, %1: %2</source>
        <comment>progress, title</comment>
        <translation>导览，%1：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::TraceBar</name>
    <message>
        <source>The export was cancelled; no file was written</source>
        <translation>导出已取消，没有写入文件</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Writing the trace: %1 events</source>
        <translation>正在写入 trace：%1 个事件</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Writing %1…</source>
        <translation>正在写入 %1…</translation>
    </message>
    <message>
        <source>A trace is being written already</source>
        <translation>正在写入另一个 trace</translation>
    </message>
    <message>
        <source>Export the part in view as a Chrome trace</source>
        <translation>把可见部分导出为 Chrome trace</translation>
    </message>
    <message>
        <source>Chrome trace (*.json)</source>
        <translation>Chrome trace (*.json)</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ValueLine</name>
    <message>
        <source>Edit item by item (Alt+Down)</source>
        <translation>逐项编辑（Alt+Down）</translation>
    </message>
    <message>
        <source>Browse (Alt+Down)</source>
        <translation>浏览（Alt+Down）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WaitHeatMap</name>
    <message>
        <source>holder →</source>
        <translation>阻塞源 →</translation>
    </message>
    <message>
        <source>A rank does not wait for itself.</source>
        <translation>rank 不会等待自己。</translation>
    </message>
    <message>
        <source>Rank %1 did not wait for rank %2.</source>
        <translation>rank %1 没有等待过 rank %2。</translation>
    </message>
    <message>
        <source>Rank %1 waited %2 for rank %3: %4 % of all waits here.</source>
        <translation>rank %1 等待 rank %3 共 %2：占此处全部等待的 %4%。</translation>
    </message>
    <message>
        <source>Copy as a table</source>
        <translation>复制为表格</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WaitModel</name>
    <message>
        <source>The rank that waited</source>
        <translation>等待的 rank</translation>
    </message>
    <message>
        <source>Waiter</source>
        <translation>等待方</translation>
    </message>
    <message>
        <source>The rank that arrived last</source>
        <translation>最后到达的 rank</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>阻塞源</translation>
    </message>
    <message>
        <source>Collective that they waited in</source>
        <translation>集合通信的用途（长度同步、梯度桶等）</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Latest arrival minus own, summed</source>
        <translation>最后到达时间减去自己的到达时间，累加</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Of that, how long the waiter&apos;s training thread was blocked</source>
        <translation>其中等待方训练线程被阻塞的时间</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>阻塞</translation>
    </message>
    <message>
        <source>Collectives in which it waited</source>
        <translation>发生等待的集合通信次数</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>What the holder was doing while the waiter waited</source>
        <translation>等待期间阻塞源在做什么</translation>
    </message>
    <message>
        <source>Holder was in</source>
        <translation>阻塞源当时在</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WaitsPane</name>
    <message>
        <source>Rank %1 was waiting for rank %2 when the run ended: %3 in %4, counted below.</source>
        <translation>任务结束时 rank %1 正在等 rank %2：在 %4 中等了 %3（已计入下表）。</translation>
    </message>
    <message>
        <source>Rank %1 is waiting for rank %2: %3 in %4 so far, counted below.</source>
        <translation>rank %1 正在等 rank %2：已在 %4 中等了 %3（已计入下表）。</translation>
    </message>
    <message>
        <source>Who waited for whom</source>
        <translation>谁等过谁</translation>
    </message>
    <message>
        <source>Adding up the waits…</source>
        <translation>正在汇总等待…</translation>
    </message>
    <message>
        <source>All phases of the holder</source>
        <translation>阻塞源的所有阶段</translation>
    </message>
    <message>
        <source>All collectives</source>
        <translation>所有集合通信</translation>
    </message>
    <message>
        <source>no phase</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>no tag</source>
        <translation>未注明用途</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>A row for each waiter, holder and collective</source>
        <translation>每个等待方、阻塞源与集合通信一行</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>矩阵</translation>
    </message>
    <message>
        <source>Waiters down, holders across</source>
        <translation>纵向为等待方，横向为阻塞源</translation>
    </message>
    <message>
        <source>Copy sentences and table (Ctrl+C)</source>
        <translation>复制句子与表格（Ctrl+C）</translation>
    </message>
    <message>
        <source>Phase of the holder</source>
        <translation>阻塞源所在阶段</translation>
    </message>
    <message>
        <source>Only waits while the holder was in this phase</source>
        <translation>只计阻塞源处于该阶段时的等待</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Only waits in this collective</source>
        <translation>只计在该集合通信中的等待</translation>
    </message>
    <message>
        <source>Possible gain</source>
        <translation>可能的收益</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WatchPanel</name>
    <message>
        <source>The folder %1 does not exist.</source>
        <translation>目录 %1 不存在。</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>工作目录</translation>
    </message>
    <message>
        <source>No shell is used: quotes keep words together; variables, pipes and * mean nothing.</source>
        <translation>不经过 shell：引号内的内容算一个词；变量、管道和 * 不起作用。</translation>
    </message>
    <message>
        <source>Watch a command</source>
        <translation>监视命令</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Its words</source>
        <translation>拆分结果</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>rank 数</translation>
    </message>
    <message>
        <source>Runs folder</source>
        <translation>任务根目录</translation>
    </message>
    <message>
        <source>optional: default is the name of the program</source>
        <translation>可选：默认使用程序名</translation>
    </message>
    <message>
        <source>as the program says</source>
        <translation>由程序决定</translation>
    </message>
    <message>
        <source>Any program that trains with PyTorch, unchanged. The run continues if this window is closed.</source>
        <translation>任何用 PyTorch 训练的程序，无需修改。关闭窗口后任务会继续。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WelcomePage</name>
    <message>
        <source>Find the rank that is holding up the others, what it is doing, and the setting that fixes it.</source>
        <translation>找出是哪个 rank 拖住了其他 rank、它在做什么、改哪个设置能解决。</translation>
    </message>
    <message>
        <source>Watch a command</source>
        <translation>监视命令</translation>
    </message>
    <message>
        <source>Your own PyTorch program, unchanged: NeMo, Lightning, torchrun… (Ctrl+Shift+W)</source>
        <translation>你自己的 PyTorch 程序，不用改：NeMo、Lightning、torchrun 等（Ctrl+Shift+W）</translation>
    </message>
    <message>
        <source>Quickstart</source>
        <translation>快速开始</translation>
    </message>
    <message>
        <source>A small two-rank run on synthetic speech, ready to launch</source>
        <translation>用合成语音训练的双 rank 小任务，可直接启动</translation>
    </message>
    <message>
        <source>Open a NeMo recipe</source>
        <translation>打开 NeMo 配置文件</translation>
    </message>
    <message>
        <source>Open a YAML file, compare each value with NeMo&apos;s, edit it and launch (Ctrl+O)</source>
        <translation>YAML 文件：与 NeMo 的值逐项对照、编辑、启动（Ctrl+O）</translation>
    </message>
    <message>
        <source>Open a run folder</source>
        <translation>打开任务目录</translation>
    </message>
    <message>
        <source>Plots, incidents and logs of a live or finished run (Ctrl+Shift+O)</source>
        <translation>进行中或已结束任务的图表、异常与日志（Ctrl+Shift+O）</translation>
    </message>
    <message>
        <source>Drop files anywhere in the window. Press ? for keyboard shortcuts.</source>
        <translation>文件可拖放到窗口任意位置。按 ? 查看快捷键。</translation>
    </message>
    <message>
        <source>Import a run</source>
        <translation>导入任务</translation>
    </message>
    <message>
        <source>TensorBoard events, or NeMo&apos;s exp_manager folder (Ctrl+Shift+I)</source>
        <translation>TensorBoard 或 exp_manager 目录（Ctrl+Shift+I）</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Take the tour again: two minutes with a recorded run that stalled</source>
        <translation>再看一次：两分钟看完一次训练卡住的全过程（录制）</translation>
    </message>
    <message>
        <source>New to Rankscope? A two-minute tour of a recorded run that stalled</source>
        <translation>初次使用：两分钟看完一次训练卡住的全过程（录制）</translation>
    </message>
    <message>
        <source>A small two-rank run; first run rankscope-setup in a terminal</source>
        <translation>双 rank 小任务：请先在终端中运行 rankscope-setup</translation>
    </message>
    <message>
        <source>Explain a log</source>
        <translation>分析日志</translation>
    </message>
    <message>
        <source>A run hung? Its logs and dumps say why, whatever trained it (Ctrl+L)</source>
        <translation>任务卡死了？日志和转储会说明原因，不论由什么程序训练（Ctrl+L）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::YamlEditor</name>
    <message>
        <source>Find…</source>
        <translation>查找…</translation>
    </message>
    <message>
        <source>Show in the tree</source>
        <translation>在树中显示</translation>
    </message>
</context>
</TS>
