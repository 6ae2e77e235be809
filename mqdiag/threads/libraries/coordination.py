"""Clients of coordination and configuration services."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import REMOTE, Library

COORDINATION: tuple[Library, ...] = (
    # InterProcessMutex.internalLock, RetryLoop, CuratorFrameworkImpl.blockUntilConnected: apache/curator
    Library(
        cause=REMOTE,
        name="Curator",
        frames=("org.apache.curator.",),
        remedy=(
            say(
                "Bound the RetryPolicy and set connectionTimeoutMs (15 s by default) of Curator; use"
                " blockUntilConnected(time, unit), and InterProcessMutex.acquire(time, unit) instead of acquire()."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    # org.I0Itec.zkclient.ZkClient.waitUntilConnected, retryUntilConnected: sgroschupf/zkclient
    Library(
        cause=REMOTE,
        name="zkclient",
        frames=("org.I0Itec.zkclient.",),
        remedy=(
            say(
                "Pass connectionTimeout and operationRetryTimeout (no limit by default) to the constructor of ZkClient."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    # Object.wait < ClientCnxn.submitRequest: apache/zookeeper
    # zookeeper-server/src/main/java/org/apache/zookeeper/ClientCnxn.java
    Library(
        cause=REMOTE,
        name="ZooKeeper client",
        frames=("org.apache.zookeeper.",),
        remedy=(
            say(
                "Set zookeeper.request.timeout (0, no timeout, by default) as a client property: without a connection"
                " every call waits for the next one."
            ),
        ),
        family="rpc",
    ),
    # CompletableFuture.get of io.etcd.jetcd.impl: etcd-io/jetcd
    Library(
        cause=REMOTE,
        name="jetcd (etcd)",
        frames=("io.etcd.jetcd.",),
        remedy=(
            say(
                "Use get(timeout, unit) on the futures of jetcd, and set ClientBuilder.connectTimeout and"
                " retryMaxDuration."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    # com.ecwid.consul.transport.AbstractHttpTransport.executeRequest over Apache HttpClient 4: Ecwid/consul-api
    Library(
        cause=REMOTE,
        name="Consul client",
        frames=("com.ecwid.consul.", "com.orbitz.consul."),
        remedy=(
            say(
                "Give ConsulRawClient an HttpClient with a socket timeout: its own one waits 10 minutes for blocking"
                " queries; bound those by QueryParams.waitTime."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.alibaba.nacos.common.remote.client.RpcClient.request, ClientWorker$ConfigRpcTransportClient: alibaba/nacos
    Library(
        cause=REMOTE,
        name="Nacos client",
        frames=("com.alibaba.nacos.",),
        remedy=(
            say(
                "Pass a smaller timeout to getConfig(dataId, group, timeoutMs), and set"
                " nacos.remote.client.rpc.timeout (3 s by default); do not read configuration in the listener."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    # com.ctrip.framework.apollo.internals.RemoteConfigRepository.loadApolloConfig: apolloconfig/apollo-java
    Library(
        cause=REMOTE,
        name="Apollo client",
        frames=("com.ctrip.framework.apollo.",),
        remedy=(
            say(
                "Set apollo.connectTimeout (1 s by default) and apollo.readTimeout (5 s); do not read a new namespace"
                " in the listener."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.netflix.discovery.shared.transport: Netflix/eureka
    Library(
        cause=REMOTE,
        name="Eureka client",
        frames=("com.netflix.discovery.",),
        remedy=(
            say(
                "Set eureka.client.eureka-server-read-timeout-seconds (8 by default) and"
                " eureka-server-connect-timeout-seconds (5)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
)
