<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Checks</name>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Settings that act</source>
        <translation>生效的设置</translation>
    </message>
    <message>
        <source>Loader</source>
        <translation>数据加载器</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Batches per epoch</source>
        <translation>每个 epoch 的批次数</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Shares of the data</source>
        <translation>数据分片</translation>
    </message>
    <message>
        <source>Weights at start</source>
        <translation>初始权重</translation>
    </message>
    <message>
        <source>Step to go on from</source>
        <translation>继续训练的步</translation>
    </message>
    <message>
        <source>Asked for and acting</source>
        <translation>请求值与生效值</translation>
    </message>
    <message>
        <source>First batch</source>
        <translation>首个批次</translation>
    </message>
    <message>
        <source>Lengths in it</source>
        <translation>批次中的长度</translation>
    </message>
    <message>
        <source>Finite input</source>
        <translation>输入有限</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::CheckModel</name>
    <message>
        <source>failed, ended the run</source>
        <translation>失败，运行已终止</translation>
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
        <source>Checks before and at start: %1 failed, %2 passed</source>
        <translation>启动前与启动时的检查：%1 项失败，%2 项通过</translation>
    </message>
    <message>
        <source>Checks before and at start: %1 passed</source>
        <translation>启动前与启动时的检查：%1 项通过</translation>
    </message>
    <message>
        <source>Checks before and at start</source>
        <translation>启动前与启动时的检查</translation>
    </message>
</context>
<context>
    <name>Decisive</name>
    <message>
        <source>Length sync</source>
        <translation>长度同步</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Batch norm across ranks</source>
        <translation>跨 rank 批归一化</translation>
    </message>
    <message>
        <source>Gradients are averaged in buckets during backward. Before it, every step searches the graph for unused parameters and adds one small all-reduce.</source>
        <translation>反向传播时按桶平均梯度；此前每步都要在计算图中查找未用参数，并多一次小的 all-reduce。</translation>
    </message>
    <message>
        <source>Gradients are averaged in buckets during backward: every rank waits in each bucket for the last one.</source>
        <translation>反向传播时按桶平均梯度：每个桶里，所有 rank 都要等最后一个到达。</translation>
    </message>
    <message>
        <source>One device: nothing is shared. Several: as ddp, so every rank waits in each gradient bucket for the last one.</source>
        <translation>单设备：不通信。多设备：同 ddp，每个梯度桶里所有 rank 都要等最后一个到达。</translation>
    </message>
    <message>
        <source>How gradients travel between ranks is this strategy&apos;s own matter.</source>
        <translation>梯度如何在 rank 之间传递由该策略自行决定。</translation>
    </message>
    <message>
        <source>One blocking all-reduce before every encoder forward: all ranks wait there for the last batch to arrive.</source>
        <translation>每次编码器前向之前有一次阻塞的 all-reduce：所有 rank 在此等待最后到达的批次。</translation>
    </message>
    <message>
        <source>No all-reduce before the encoder: each rank sizes its position table by its own batch.</source>
        <translation>编码器之前没有 all-reduce：每个 rank 按自己的批次确定位置编码表的大小。</translation>
    </message>
    <message>
        <source>Each batch-norm layer gathers statistics of all ranks in forward and reduces in backward: two collectives per layer and step.</source>
        <translation>每个批归一化层在前向时收集所有 rank 的统计量，反向时再归约：每层每步两次集合通信。</translation>
    </message>
    <message>
        <source>Each rank normalises by its own batch; batch norm adds no collective.</source>
        <translation>每个 rank 只按自己的批次归一化；批归一化不增加集合通信。</translation>
    </message>
</context>
<context>
    <name>Evidence</name>
    <message>
        <source>Exit code</source>
        <translation>退出码</translation>
    </message>
    <message>
        <source>Signal</source>
        <translation>信号</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>非有限值</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>File being read</source>
        <translation>正在读取的文件</translation>
    </message>
    <message>
        <source>Reading it for</source>
        <translation>已读取</translation>
    </message>
    <message>
        <source>Its path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Holder in this phase for</source>
        <translation>拖住者处于此阶段</translation>
    </message>
    <message>
        <source>Place in forward</source>
        <translation>前向中的位置</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Longest utterance of the holder</source>
        <translation>拖住者最长的语音</translation>
    </message>
    <message>
        <source>Longest utterance of the others</source>
        <translation>其他 rank 最长的语音</translation>
    </message>
    <message>
        <source>Batch of the holder</source>
        <translation>拖住者的批次</translation>
    </message>
    <message>
        <source>First tensor</source>
        <translation>首个张量</translation>
    </message>
    <message>
        <source>Newest step with it</source>
        <translation>最近出现的步</translation>
    </message>
    <message>
        <source>Setting that would explain it</source>
        <translation>可能的原因设置</translation>
    </message>
    <message>
        <source>Keys that differ</source>
        <translation>不同的配置项</translation>
    </message>
    <message>
        <source>Had arrived</source>
        <translation>已到达</translation>
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
        <source>Written a second</source>
        <translation>每秒写入</translation>
    </message>
    <message>
        <source>CPU time</source>
        <translation>CPU 时间</translation>
    </message>
    <message>
        <source>Held back by the CPU quota</source>
        <translation>被 CPU 配额限制</translation>
    </message>
    <message>
        <source>GPU clock</source>
        <translation>GPU 时钟</translation>
    </message>
    <message>
        <source>GPU temperature in °C</source>
        <translation>GPU 温度（°C）</translation>
    </message>
    <message>
        <source>Why the GPU slows</source>
        <translation>GPU 降频原因</translation>
    </message>
    <message>
        <source>Masked frames</source>
        <translation>被掩蔽的帧</translation>
    </message>
    <message>
        <source>Where each rank is</source>
        <translation>各 rank 所在位置</translation>
    </message>
    <message>
        <source>Batches ready</source>
        <translation>已就绪的批次</translation>
    </message>
    <message>
        <source>Room for batches</source>
        <translation>批次队列容量</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>frames, samples</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Hold-ups in a row</source>
        <translation>连续拖延次数</translation>
    </message>
    <message>
        <source>Held the others in sum</source>
        <translation>累计拖住其他 rank</translation>
    </message>
    <message>
        <source>Lasted</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Typical step of this run</source>
        <translation>此运行的典型步时</translation>
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
        <translation>非有限值</translation>
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
        <source>Usual compute of a batch</source>
        <translation>一个批次通常的计算时间</translation>
    </message>
    <message>
        <source>Its length explains at most</source>
        <translation>其长度最多可解释</translation>
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
        <translation>被 %1 结束</translation>
    </message>
    <message>
        <source>process gone</source>
        <translation>进程已消失</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>cause, at step</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>stopped by you %1</source>
        <translation>由你停止，%1</translation>
    </message>
    <message>
        <source>ended with the run %1</source>
        <translation>随运行结束，%1</translation>
    </message>
</context>
<context>
    <name>RunObserver</name>
    <message>
        <source>%1: nothing was measured, the run ended before its store was made</source>
        <translation>%1：没有测量数据，运行在建立数据库之前就结束了</translation>
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
        <source>lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 天</translation>
    </message>
</context>
<context>
    <name>WaitWords</name>
    <message>
        <source>no phase</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>%1 %2 %</source>
        <translation>%1 %2 %</translation>
    </message>
    <message>
        <source>%1 (estimated)</source>
        <translation>%1（估算）</translation>
    </message>
    <message>
        <source>No rank waited for another in these steps.</source>
        <translation>这些步里没有 rank 等待其他 rank。</translation>
    </message>
    <message>
        <source>Rank %1 kept the others waiting %2, %3 % of it in %4, mostly at %5; %6 of it blocked them.</source>
        <translation>rank %1 让其他 rank 等了 %2，其中 %3 % 在 %4，多在 %5；其中 %6 阻塞了它们。</translation>
    </message>
    <message>
        <source>The rank that waited</source>
        <translation>等待的 rank</translation>
    </message>
    <message>
        <source>Waiter</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>The rank that arrived last</source>
        <translation>最后到达的 rank</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>拖住者</translation>
    </message>
    <message>
        <source>Whose collective it was</source>
        <translation>属于谁的集合通信</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Latest arrival less own, added up</source>
        <translation>最后到达时间减去自己的到达时间，累加</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Of that, what the waiter&apos;s training thread stood still</source>
        <translation>其中等待者的训练线程停住的时间</translation>
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
        <source>What the holder did while the waiter waited</source>
        <translation>等待期间拖住者在做什么</translation>
    </message>
    <message>
        <source>Meanwhile the holder was in</source>
        <translation>其间拖住者处于</translation>
    </message>
</context>
<context>
    <name>Words</name>
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
        <source>Data loading</source>
        <translation>数据加载</translation>
    </message>
    <message>
        <source>Preprocessing</source>
        <translation>预处理</translation>
    </message>
    <message>
        <source>Long batch</source>
        <translation>长批次</translation>
    </message>
    <message>
        <source>Uneven batches</source>
        <translation>批次数不均</translation>
    </message>
    <message>
        <source>Mismatched collective</source>
        <translation>集合通信不匹配</translation>
    </message>
    <message>
        <source>Configuration differs</source>
        <translation>配置不一致</translation>
    </message>
    <message>
        <source>Never joined</source>
        <translation>从未加入</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>已终止</translation>
    </message>
    <message>
        <source>Slow compute</source>
        <translation>计算缓慢</translation>
    </message>
    <message>
        <source>Checkpoint or disk</source>
        <translation>检查点或磁盘</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>非有限值</translation>
    </message>
    <message>
        <source>Empty batch</source>
        <translation>空批次</translation>
    </message>
    <message>
        <source>Inside the collective</source>
        <translation>集合通信内部</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Recovered</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>Run ended</source>
        <translation>运行结束</translation>
    </message>
    <message>
        <source>Stopped by you</source>
        <translation>由你停止</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>未结束</translation>
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
    <name>core</name>
    <message>
        <source>no length all-reduce: each rank pads its position table to its own longest batch</source>
        <translation>没有长度 all-reduce：每个 rank 按自己最长的批次填充位置编码表</translation>
    </message>
    <message>
        <source>adds one blocking all-reduce before every encoder forward, also in validation: the rank whose batch comes last holds all others</source>
        <translation>每次编码器前向之前（验证时也一样）增加一次阻塞的 all-reduce：批次最后到达的 rank 会拖住其他所有 rank</translation>
    </message>
    <message>
        <source>adds one all-reduce before every encoder forward, also in validation; a rank that waits longer than rankscope.length_sync.timeout_s goes on with its own longest batch</source>
        <translation>每次编码器前向之前（验证时也一样）增加一次 all-reduce；等待超过 rankscope.length_sync.timeout_s 的 rank 用自己最长的批次继续</translation>
    </message>
    <message>
        <source>no effect: model.encoder.sync_max_audio_length is false</source>
        <translation>无作用：model.encoder.sync_max_audio_length 为 false</translation>
    </message>
    <message>
        <source>little effect with SyncBN: the encoder&apos;s first layer waits for the late rank too</source>
        <translation>与 SyncBN 同用时作用很小：编码器第一层同样要等待迟到的 rank</translation>
    </message>
    <message>
        <source>a late rank holds the others this long in the length sync, and then only in their next collective</source>
        <translation>迟到的 rank 在长度同步中最多拖住其他 rank 这么久，之后只在它们的下一次集合通信中拖住</translation>
    </message>
    <message>
        <source>all ranks meet before every encoder forward: the rank whose batch comes last holds all others</source>
        <translation>每次编码器前向之前所有 rank 会合：批次最后到达的 rank 会拖住其他所有 rank</translation>
    </message>
    <message>
        <source>each rank normalises with the statistics of its own batch; running averages are rank 0&apos;s</source>
        <translation>每个 rank 用自己批次的统计量归一化；滑动平均取 rank 0 的</translation>
    </message>
    <message>
        <source>no effect: conv_norm_type is layer_norm, the encoder has no batch norm</source>
        <translation>无效果：conv_norm_type 是 layer_norm，编码器没有批归一化</translation>
    </message>
    <message>
        <source>no effect with one rank</source>
        <translation>只有一个 rank 时无效果</translation>
    </message>
    <message>
        <source>%1 gathers in forward and %2 reduces in backward per step (one per layer): every layer waits for the slowest rank</source>
        <translation>每步前向 %1 次收集、反向 %2 次归约（每层一次）：每一层都要等最慢的 rank</translation>
    </message>
    <message>
        <source>trainer.sync_batchnorm has no effect: layer norm has no batch statistics</source>
        <translation>trainer.sync_batchnorm 无效果：层归一化没有批统计量</translation>
    </message>
    <message>
        <source>several devices become ddp by themselves; say ddp to see it in the file</source>
        <translation>多设备时自动成为 ddp；写明 ddp 可在文件中看到</translation>
    </message>
    <message>
        <source>walks the whole graph each step and adds one all-reduce of a bit per parameter</source>
        <translation>每步遍历整个计算图，并增加一次每个参数一位的 all-reduce</translation>
    </message>
    <message>
        <source>gradients are all-reduced in buckets during backward: each bucket waits for the slowest rank</source>
        <translation>反向传播时按桶 all-reduce 梯度：每个桶都要等最慢的 rank</translation>
    </message>
    <message>
        <source>takes every GPU that is there: the global batch size depends on the machine (without a GPU: one rank)</source>
        <translation>使用所有可见的 GPU：全局批大小取决于机器（没有 GPU 时为一个 rank）</translation>
    </message>
    <message>
        <source>the last batch of an epoch may be smaller or missing on some ranks: uneven batches end in a stall</source>
        <translation>一轮的最后一个批次在某些 rank 上可能更小或缺失：批次数不均会导致卡住</translation>
    </message>
    <message>
        <source>batches are read in the training thread: every slow file holds all ranks</source>
        <translation>批次在训练线程中读取：每个慢文件都会拖住所有 rank</translation>
    </message>
    <message>
        <source>validation batches are read in the training thread</source>
        <translation>验证批次在训练线程中读取</translation>
    </message>
    <message>
        <source>gradients are exchanged every %1 batches; length sync and SyncBN still run in each</source>
        <translation>每 %1 个批次交换一次梯度；长度同步与 SyncBN 仍在每个批次中执行</translation>
    </message>
    <message>
        <source>no limit: one long recording holds all ranks for a step</source>
        <translation>没有上限：一条很长的录音会在一步中拖住所有 rank</translation>
    </message>
    <message>
        <source>lengths up to %1 s: ranks with short batches wait for the long one</source>
        <translation>长度可达 %1 s：批次短的 rank 要等长的</translation>
    </message>
    <message>
        <source>clips shorter than one masked block give batches without a masked frame (no loss)</source>
        <translation>短于一个掩码块的片段会产生没有掩码帧的批次（没有损失）</translation>
    </message>
    <message>
        <source>the manifest&apos;s order: sorted lengths give one rank the long ones</source>
        <translation>按清单顺序：若按长度排序，长的会集中到某个 rank</translation>
    </message>
    <message>
        <source>every rank reads the same batches: N times the same step</source>
        <translation>每个 rank 读取相同的批次：同一步重复 N 遍</translation>
    </message>
    <message>
        <source>collectives cross the network between hosts</source>
        <translation>集合通信会跨主机经过网络</translation>
    </message>
    <message>
        <source>ranks draw different layers to drop: with SyncBN their collectives no longer match</source>
        <translation>各 rank 随机丢弃的层不同：与 SyncBN 同用时集合通信不再匹配</translation>
    </message>
    <message>
        <source>shards of unequal size: a rank with fewer utterances sees some of them twice an epoch</source>
        <translation>分片大小不等：语句较少的 rank 在一轮中会重复见到其中一部分</translation>
    </message>
    <message>
        <source>very small buckets: many all-reduces, each with its own start-up time</source>
        <translation>桶很小：all-reduce 次数多，每次都有启动开销</translation>
    </message>
    <message>
        <source>very large buckets: little of the exchange overlaps with backward</source>
        <translation>桶很大：通信与反向传播重叠很少</translation>
    </message>
    <message>
        <source>rank 0&apos;s running averages are broadcast before each forward</source>
        <translation>每次前向之前广播 rank 0 的滑动平均</translation>
    </message>
    <message>
        <source>a checkpoint or validation longer than this ends the run</source>
        <translation>检查点或验证超过此时间会结束运行</translation>
    </message>
    <message>
        <source>deliberate: this run is disturbed on purpose</source>
        <translation>有意为之：此运行被故意干扰</translation>
    </message>
    <message>
        <source>ranks skip a step together when one overflows</source>
        <translation>任一 rank 溢出时所有 rank 一起跳过该步</translation>
    </message>
    <message>
        <source>unknown key %1; did you mean %2</source>
        <translation>未知的键 %1；是否想写 %2</translation>
    </message>
    <message>
        <source>unknown key %1</source>
        <translation>未知的键 %1</translation>
    </message>
    <message>
        <source>%1 is a key of your own: kept, and open to interpolation</source>
        <translation>%1 是你自己的键：会保留，可用于插值</translation>
    </message>
    <message>
        <source>%1 is not a section that NeMo reads; did you mean %2</source>
        <translation>%1 不是 NeMo 读取的段；是否想写 %2</translation>
    </message>
    <message>
        <source>%1 is absent; %2 requires it</source>
        <translation>缺少 %1；%2 需要它</translation>
    </message>
    <message>
        <source>%1 is a section, not %2</source>
        <translation>%1 是一个段，不能是 %2</translation>
    </message>
    <message>
        <source>%1 is %2: not supported by the trainer yet; it takes %3</source>
        <translation>%1 是 %2：训练程序尚不支持；可用 %3</translation>
    </message>
    <message>
        <source>%1 is %2, must be one of %3; did you mean %4</source>
        <translation>%1 是 %2，必须是 %3 之一；是否想写 %4</translation>
    </message>
    <message>
        <source>%1 is %2, must be one of %3</source>
        <translation>%1 是 %2，必须是 %3 之一</translation>
    </message>
    <message>
        <source>%1 is %2, must be at least %3</source>
        <translation>%1 是 %2，至少应为 %3</translation>
    </message>
    <message>
        <source>%1 is %2, must be above %3</source>
        <translation>%1 是 %2，必须大于 %3</translation>
    </message>
    <message>
        <source>%1 is %2, must be at most %3</source>
        <translation>%1 是 %2，至多为 %3</translation>
    </message>
    <message>
        <source>%1 is %2, must be below %3</source>
        <translation>%1 是 %2，必须小于 %3</translation>
    </message>
    <message>
        <source>%1 is %2, must equal %3, which is %4</source>
        <translation>%1 是 %2，必须等于 %3（现为 %4）</translation>
    </message>
    <message>
        <source>%1 is %2, must divide %3, which is %4</source>
        <translation>%1 是 %2，必须能整除 %3（现为 %4）</translation>
    </message>
    <message>
        <source>%1 is %2, must not be above %3, which is %4</source>
        <translation>%1 是 %2，不能大于 %3（现为 %4）</translation>
    </message>
    <message>
        <source>%1 is %2, must be odd</source>
        <translation>%1 是 %2，必须是奇数</translation>
    </message>
    <message>
        <source>%1 must be %2, not %3</source>
        <translation>%1 必须是 %2，而不是 %3</translation>
    </message>
    <message>
        <source>%1 is ???: %2</source>
        <translation>%1 是 ???：%2</translation>
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
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Plots</source>
        <translation>曲线(&amp;P)</translation>
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
        <source>&amp;X axis in time</source>
        <translation>横轴为时间(&amp;X)</translation>
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
        <translation>整个运行(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Previous incident</source>
        <translation>上一个事件(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next incident</source>
        <translation>下一个事件(&amp;N)</translation>
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
        <translation>事件(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Logs</source>
        <translation>日志(&amp;L)</translation>
    </message>
    <message>
        <source>List of &amp;runs</source>
        <translation>运行列表(&amp;R)</translation>
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
        <source>&amp;Status bar</source>
        <translation>状态栏(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Notify when an incident opens</source>
        <translation>出现事件时通知(&amp;N)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Open recipe…</source>
        <translation>打开配方(&amp;O)…</translation>
    </message>
    <message>
        <source>Open &amp;run folder…</source>
        <translation>打开运行文件夹(&amp;R)…</translation>
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
        <translation>导出曲线(&amp;E)…</translation>
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
        <translation>继续运行(&amp;R)</translation>
    </message>
    <message>
        <source>Go on from the newest checkpoint, as a new run</source>
        <translation>从最新的检查点继续，作为一次新的运行</translation>
    </message>
    <message>
        <source>Relaunch with &amp;change</source>
        <translation>修改后重新启动(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Rankscope</source>
        <translation>关于 Rankscope(&amp;A)</translation>
    </message>
    <message>
        <source>All ranks leave together after the step in progress</source>
        <translation>所有 rank 完成当前步后一起退出</translation>
    </message>
    <message>
        <source>End all ranks at once; what was not checkpointed is lost</source>
        <translation>立即结束所有 rank；尚未写入检查点的内容会丢失</translation>
    </message>
    <message>
        <source>Open this run&apos;s recipe as a copy in Configure</source>
        <translation>在“配置”页以副本打开此运行的配方</translation>
    </message>
    <message>
        <source>Search the page that is shown</source>
        <translation>在当前页面中搜索</translation>
    </message>
    <message>
        <source>&amp;All ranks; again: whole run</source>
        <translation>全部 rank；再按：整个运行(&amp;A)</translation>
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
</context>
<context>
    <name>rankscope::ui::ConfigPage</name>
    <message>
        <source>YAML text</source>
        <translation>YAML 文本</translation>
    </message>
    <message>
        <source>Open a recipe (Ctrl+O), or drop a YAML file here.</source>
        <translation>打开配方（Ctrl+O），或把 YAML 文件拖到这里。</translation>
    </message>
    <message>
        <source>The text has characters that this pane cannot keep; edit it in the tree.</source>
        <translation>文本含有此窗格无法原样保留的字符，请在树中编辑。</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n 条提示</numerusform>
        </translation>
    </message>
    <message>
        <source>No recipe is open</source>
        <translation>未打开配方</translation>
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
        <source>%1 has edits that are not saved.</source>
        <translation>%1 有未保存的修改。</translation>
    </message>
    <message>
        <source>Save, then open</source>
        <translation>保存后打开</translation>
    </message>
    <message>
        <source>Discard edits</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>已打开 %1</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（副本）</translation>
    </message>
    <message>
        <source>This is a copy of the recipe that %1 was launched with. Change it and launch it again.</source>
        <translation>这是启动 %1 时所用配方的副本。修改后可重新启动。</translation>
    </message>
    <message>
        <source>%1: %2 is set in a copy of the run&apos;s recipe. Launch it, or undo (Ctrl+Z).</source>
        <translation>已在该运行配方的副本中设置 %1: %2。可以启动，或撤销（Ctrl+Z）。</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Save recipe as</source>
        <translation>配方另存为</translation>
    </message>
    <message>
        <source>YAML files (*.yaml *.yml);;All files (*)</source>
        <translation>YAML 文件 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>%1 is no longer on disk. Saving writes it again.</source>
        <translation>%1 已不在磁盘上。保存会重新写入。</translation>
    </message>
    <message>
        <source>%1 changed on disk and was read again</source>
        <translation>%1 在磁盘上有变化，已重新读取</translation>
    </message>
    <message>
        <source>%1 changed on disk while you edited it.</source>
        <translation>编辑期间 %1 在磁盘上有变化。</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>保留我的修改</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::DecisiveCard</name>
    <message>
        <source>Yours</source>
        <translation>你的值</translation>
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
        <source>Effective</source>
        <translation>生效值</translation>
    </message>
    <message>
        <source>Remove from your file, so that the default acts</source>
        <translation>从你的文件中移除，让默认值生效</translation>
    </message>
    <message>
        <source>Show in the tree</source>
        <translation>在树中显示</translation>
    </message>
    <message>
        <source>not in your file</source>
        <translation>你的文件中没有</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::HeaderBar</name>
    <message>
        <source>%1 s/step</source>
        <translation>%1 秒/步</translation>
    </message>
    <message>
        <source>%1 steps/s</source>
        <translation>%1 步/秒</translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n 个 rank</numerusform>
        </translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1</translation>
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
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentBanner</name>
    <message>
        <source>Incident</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message numerus="yes">
        <source>%n more incident(s) are open</source>
        <translation>
            <numerusform>另有 %n 个事件未结束</numerusform>
        </translation>
    </message>
    <message>
        <source>Set %1: %2</source>
        <comment>a setting and its value</comment>
        <translation>设置 %1: %2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentDetail</name>
    <message>
        <source>Show in the plots</source>
        <translation>在曲线中显示</translation>
    </message>
    <message>
        <source>Rank %1, which holds the others, %2 into the run</source>
        <comment>rank, time</comment>
        <translation>拖住其他 rank 的 rank %1，运行开始后 %2</translation>
    </message>
    <message>
        <source>Rank %1, which waits, %2 into the run</source>
        <comment>rank, time</comment>
        <translation>正在等待的 rank %1，运行开始后 %2</translation>
    </message>
    <message>
        <source>What the ranks&apos; threads were doing</source>
        <translation>各 rank 的线程当时在做什么</translation>
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
        <source>Set %1: %2</source>
        <comment>a setting and its value</comment>
        <translation>设置 %1: %2</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>拖住者</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>Phase of the holder</source>
        <translation>拖住者的阶段</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>%1 %2 (%3), group %4</source>
        <comment>operation, number, tag, group</comment>
        <translation>%1 %2（%3），组 %4</translation>
    </message>
    <message>
        <source>Detected after</source>
        <translation>检出延迟</translation>
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
        <translation>拖住者</translation>
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
        <translation>持续</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentPage</name>
    <message>
        <source>Incidents</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>No run is shown. Choose one on the left.</source>
        <translation>尚未显示运行。请在左侧选择。</translation>
    </message>
    <message>
        <source>No rank has held the others up so far.</source>
        <translation>到目前为止没有 rank 拖住其他 rank。</translation>
    </message>
    <message>
        <source>No rank held the others up in this run.</source>
        <translation>此运行中没有 rank 拖住其他 rank。</translation>
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
        <translation>按配方</translation>
    </message>
    <message>
        <source>One process per rank on this machine; &quot;from recipe&quot; takes trainer.devices</source>
        <translation>本机上每个 rank 一个进程；“按配方”取 trainer.devices</translation>
    </message>
    <message>
        <source>Overrides</source>
        <translation>覆盖项</translation>
    </message>
    <message>
        <source>As Hydra writes them: a.b=1, +a.b=1 adds, ~a.b removes. The tree shows their effect.</source>
        <translation>按 Hydra 的写法：a.b=1，+a.b=1 新增，~a.b 移除。树中会显示其效果。</translation>
    </message>
    <message>
        <source>Runs folder</source>
        <translation>运行文件夹</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>工作文件夹</translation>
    </message>
    <message>
        <source>Choose the folder that relative paths of the recipe are taken from</source>
        <translation>选择配方中相对路径的起始文件夹</translation>
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
配方中的清单从此处都能找到。</translation>
    </message>
    <message numerus="yes">
        <source>Working folder: %n manifest(s) missing</source>
        <translation>
            <numerusform>工作文件夹：缺少 %n 个清单</numerusform>
        </translation>
    </message>
    <message>
        <source>Launching…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Launch unsaved</source>
        <translation>启动未保存的内容</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>The recipe has errors; the list of problems says where</source>
        <translation>配方有错误，问题列表中有位置</translation>
    </message>
    <message>
        <source>Launches what is shown, from a copy; the file stays as it was saved (Ctrl+Enter)</source>
        <translation>以副本启动当前内容；文件保持上次保存的样子（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Launches the recipe (Ctrl+Enter)</source>
        <translation>启动配方（Ctrl+Enter）</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogModel</name>
    <message>
        <source>supervisor</source>
        <translation>监管进程</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LogPage</name>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>全部 rank</translation>
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
        <translation>按文本或正则表达式过滤（/）</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>过滤</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Keep the newest line in view</source>
        <translation>始终显示最新一行</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>supervisor</source>
        <translation>监管进程</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Supervisor</source>
        <translation>监管进程</translation>
    </message>
    <message>
        <source>Not a regular expression (%1): searched for as it stands</source>
        <translation>不是正则表达式（%1）：按原文搜索</translation>
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
        <source>The files have older lines: scroll up for them.</source>
        <translation>文件中还有更早的行：向上滚动可见。</translation>
    </message>
    <message>
        <source>No run is shown. Choose one on the left.</source>
        <translation>尚未显示运行。请在左侧选择。</translation>
    </message>
    <message>
        <source>No line passes the filter.</source>
        <translation>没有符合过滤条件的行。</translation>
    </message>
    <message>
        <source>Nothing has been logged.</source>
        <translation>没有日志。</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::MainWindow</name>
    <message>
        <source>%1 cannot be opened</source>
        <translation>无法打开 %1</translation>
    </message>
    <message>
        <source>There is no rank %1 in this run</source>
        <translation>此运行中没有 rank %1</translation>
    </message>
    <message>
        <source>All ranks are shown</source>
        <translation>显示全部 rank</translation>
    </message>
    <message>
        <source>Only rank %1 is shown; 0 shows all</source>
        <translation>只显示 rank %1；按 0 显示全部</translation>
    </message>
    <message>
        <source>Unsaved edits</source>
        <translation>未保存的修改</translation>
    </message>
    <message>
        <source>%1 has edits that are not saved.</source>
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
        <source>Keep editing</source>
        <translation>继续编辑</translation>
    </message>
    <message>
        <source>Rankscope %1. The window is under GPL-3.0-or-later, trainer and command line under Apache-2.0.</source>
        <translation>Rankscope %1。窗口程序采用 GPL-3.0-or-later，训练程序与命令行采用 Apache-2.0。</translation>
    </message>
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
        <translation>事件 (%1)</translation>
    </message>
    <message>
        <source>Incidents</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>%1 – Rankscope</source>
        <translation>%1 – Rankscope</translation>
    </message>
    <message>
        <source>Launched %1</source>
        <translation>已启动 %1</translation>
    </message>
    <message>
        <source>Resuming %1</source>
        <translation>正在继续 %1</translation>
    </message>
    <message>
        <source>%1 was not resumed: %2</source>
        <translation>未能继续 %1：%2</translation>
    </message>
    <message>
        <source>Open recipe</source>
        <translation>打开配方</translation>
    </message>
    <message>
        <source>YAML files (*.yaml *.yml);;All files (*)</source>
        <translation>YAML 文件 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open run folder</source>
        <translation>打开运行文件夹</translation>
    </message>
    <message>
        <source>Not launched: the recipe has errors</source>
        <translation>未启动：配方有错误</translation>
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
    <name>rankscope::ui::OverviewStrip</name>
    <message>
        <source>The whole run. Drag to choose what the plots show; double-click shows all.</source>
        <translation>整个运行。拖动选择曲线的范围；双击显示全部。</translation>
    </message>
    <message>
        <source>Overview of the whole run</source>
        <translation>整个运行的概览</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ProblemModel</name>
    <message>
        <source>line %1: %2</source>
        <translation>第 %1 行：%2</translation>
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
        <source>holds others</source>
        <translation>拖住其他</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
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
        <translation>Rank 面板</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
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
        <translation>等待 %1，拖住其他 %2</translation>
    </message>
    <message>
        <source>Click shows it alone, Ctrl+click mutes it.</source>
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
        <translation>恢复 rank %1</translation>
    </message>
    <message>
        <source>Mute rank %1</source>
        <translation>隐藏 rank %1</translation>
    </message>
    <message>
        <source>Show its log</source>
        <translation>查看其日志</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RankPlot</name>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
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
        <translation>非有限值</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 – %2</source>
        <translation>第 %1 – %2 步</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>step, time since start</comment>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeModel</name>
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
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Acts on collectives, on the batches of each rank, or on the layout of processes.</source>
        <translation>影响集合通信、各 rank 的批次或进程布局。</translation>
    </message>
    <message>
        <source>default in %1</source>
        <translation>%1 的默认值</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Yours</source>
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
</context>
<context>
    <name>rankscope::ui::RecipeView</name>
    <message>
        <source>Search keys and values</source>
        <translation>搜索键和值</translation>
    </message>
    <message>
        <source>Only what differs</source>
        <translation>只看差异</translation>
    </message>
    <message>
        <source>Only keys whose effective value differs from NeMo&apos;s, and keys with errors</source>
        <translation>只列出生效值与 NeMo 不同的键，以及有错误的键</translation>
    </message>
    <message>
        <source>Acts on ranks</source>
        <translation>影响 rank</translation>
    </message>
    <message>
        <source>Only keys that act on collectives, on the batches of each rank, or on the layout of processes</source>
        <translation>只列出影响集合通信、各 rank 的批次或进程布局的键</translation>
    </message>
    <message>
        <source>No key matches.</source>
        <translation>没有匹配的键。</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配方</translation>
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
        <source>Take NeMo YAML&apos;s value: %1</source>
        <translation>采用 NeMo YAML 的值：%1</translation>
    </message>
    <message>
        <source>Take NeMo code&apos;s value: %1</source>
        <translation>采用 NeMo 代码的值：%1</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ReviewPage</name>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>nats</translation>
    </message>
    <message>
        <source>Longest sequence</source>
        <translation>最长序列</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>Collective wait</source>
        <translation>集合通信等待</translation>
    </message>
    <message>
        <source>&lt;b&gt;No run is shown&lt;/b&gt;&lt;br&gt;&lt;br&gt;Choose a run on the left, open a run&apos;s folder, or launch one from the Configure page.</source>
        <translation>&lt;b&gt;尚未显示运行&lt;/b&gt;&lt;br&gt;&lt;br&gt;在左侧选择运行、打开运行文件夹，或在“配置”页启动一个。</translation>
    </message>
    <message>
        <source>Rank board</source>
        <translation>Rank 面板</translation>
    </message>
    <message>
        <source>Overview strip</source>
        <translation>概览条</translation>
    </message>
    <message>
        <source>Reading the run…</source>
        <translation>正在读取运行…</translation>
    </message>
    <message>
        <source>The ranks are starting. Curves appear with the first step.</source>
        <translation>各 rank 正在启动。第一步完成后会出现曲线。</translation>
    </message>
    <message>
        <source>This run ended before its first step. Its logs say why.</source>
        <translation>此运行在第一步之前就结束了，原因见日志。</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>There is nothing to export yet</source>
        <translation>还没有可导出的内容</translation>
    </message>
    <message>
        <source>Export the plots</source>
        <translation>导出曲线</translation>
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
        <source>Written: %1</source>
        <translation>已写入：%1</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
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
        <source>Smooth the curves; the raw ones stay, faint (S)</source>
        <translation>平滑曲线；原始曲线以浅色保留（S）</translation>
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
        <translation>上一个事件（[）</translation>
    </message>
    <message>
        <source>Next incident (])</source>
        <translation>下一个事件（]）</translation>
    </message>
    <message>
        <source>Choose what is shown</source>
        <translation>选择显示的内容</translation>
    </message>
    <message>
        <source>Export the plots (Ctrl+E)</source>
        <translation>导出曲线（Ctrl+E）</translation>
    </message>
    <message>
        <source>no incident</source>
        <translation>没有事件</translation>
    </message>
    <message numerus="yes">
        <source>%n incident(s)</source>
        <translation>
            <numerusform>%n 个事件</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the whole run</source>
        <translation>显示整个运行</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunCommands</name>
    <message>
        <source>rankscopectl ended with exit code %1 and said nothing</source>
        <translation>rankscopectl 以退出码 %1 结束，没有给出原因</translation>
    </message>
    <message>
        <source>rankscopectl was killed or crashed</source>
        <translation>rankscopectl 被终止或崩溃</translation>
    </message>
    <message>
        <source>%1 did not start: %2</source>
        <translation>%1 未能启动：%2</translation>
    </message>
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
    <name>rankscope::ui::RunListModel</name>
    <message>
        <source>step %1/%2</source>
        <translation>第 %1/%2 步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>损失 %1</translation>
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
</context>
<context>
    <name>rankscope::ui::RunLister</name>
    <message>
        <source>%1 cannot be listed: %2</source>
        <translation>无法列出 %1：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunPoller</name>
    <message>
        <source>How this run ended could not be found out; its logs may say more</source>
        <translation>无法查明此运行如何结束，日志中可能有更多信息</translation>
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
    <name>rankscope::ui::RunsPanel</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Show the list of runs</source>
        <translation>展开运行列表</translation>
    </message>
    <message>
        <source>Fold the list of runs</source>
        <translation>折叠运行列表</translation>
    </message>
    <message>
        <source>Filter by state</source>
        <translation>按状态过滤</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>搜索运行</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
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
        <source>No runs yet. Launch a recipe from Configure, or open a run&apos;s folder.</source>
        <translation>还没有运行。在“配置”页启动配方，或打开运行文件夹。</translation>
    </message>
    <message>
        <source>No run matches.</source>
        <translation>没有匹配的运行。</translation>
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
        <source>Relaunch with change</source>
        <translation>修改后重新启动</translation>
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
        <source>the run is still going; stop it first</source>
        <translation>运行仍在进行，请先停止</translation>
    </message>
    <message>
        <source>the system&apos;s trash did not take it: %1</source>
        <translation>系统回收站未接受：%1</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Move the run %1 with its plots, logs and checkpoints to the trash?</source>
        <translation>将运行 %1 及其曲线、日志和检查点移到回收站？</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>%1 is in the trash</source>
        <translation>%1 已移到回收站</translation>
    </message>
    <message>
        <source>%1 was not moved: %2</source>
        <translation>%1 未移动：%2</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ShortcutsPanel</name>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Only rank 1 … 9; again: all ranks</source>
        <translation>只看 rank 1 … 9；再按一次：全部</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WaitsPane</name>
    <message>
        <source>Who waited for whom</source>
        <translation>谁等过谁</translation>
    </message>
    <message>
        <source>Adding up the waits…</source>
        <translation>正在汇总等待…</translation>
    </message>
</context>
<context>
    <name>rankscope::ui::WelcomePage</name>
    <message>
        <source>Which rank holds the others up, in which phase, and which setting cures it.</source>
        <translation>哪个 rank 在哪个阶段拖住了其他 rank，改哪个设置能解决。</translation>
    </message>
    <message>
        <source>Quickstart</source>
        <translation>快速开始</translation>
    </message>
    <message>
        <source>A small two-rank run on synthetic speech, ready to launch</source>
        <translation>用合成语音的双 rank 小型运行，可直接启动</translation>
    </message>
    <message>
        <source>Open a NeMo recipe</source>
        <translation>打开 NeMo 配方</translation>
    </message>
    <message>
        <source>A YAML file: see each value beside NeMo&apos;s, edit, launch (Ctrl+O)</source>
        <translation>YAML 文件：与 NeMo 的值逐项对照、编辑、启动（Ctrl+O）</translation>
    </message>
    <message>
        <source>Open a run folder</source>
        <translation>打开运行文件夹</translation>
    </message>
    <message>
        <source>Live or ended: plots, incidents and logs (Ctrl+Shift+O)</source>
        <translation>进行中或已结束：曲线、事件与日志（Ctrl+Shift+O）</translation>
    </message>
    <message>
        <source>Files can be dropped anywhere. Press ? for the keys.</source>
        <translation>文件可拖放到任意位置。按 ? 查看快捷键。</translation>
    </message>
</context>
</TS>
