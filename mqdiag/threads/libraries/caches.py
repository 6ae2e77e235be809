"""Clients of caches and key-value stores."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import REDIS, REMOTE, Library

CACHES: tuple[Library, ...] = (
    # redis.clients.jedis.util.RedisInputStream.ensureFill < Protocol.read < Connection.readProtocolWithCheckingBroken:
    # redis/jedis src/main/java/redis/clients/jedis/Connection.java
    Library(
        cause=REDIS,
        name="Jedis",
        frames=("redis.clients.jedis.", "redis.clients.util."),
        remedy=(
            say(
                "Set the socket timeout of Jedis (2 s by default, 0 means no timeout, and blocking commands such as"
                " BLPOP take it off): DefaultJedisClientConfig.builder().socketTimeoutMillis(2000) or the timeout"
                " argument of JedisPool (Spring: spring.data.redis.timeout)."
            ),
            say(
                "Look at SLOWLOG GET and CLIENT LIST on the server: a slow command (KEYS, large Lua script) stops all"
                " others."
            ),
        ),
        family="redis",
    ),
    # io.lettuce.core.internal.Futures.awaitOrCancel / LettuceFutures.awaitOrCancel <
    # FutureSyncInvocationHandler.handleInvocation: redis/lettuce src/main/java/io/lettuce/core
    Library(
        cause=REDIS,
        name="Lettuce",
        frames=("io.lettuce.core.", "com.lambdaworks.redis."),
        remedy=(
            say(
                "Set the command timeout of Lettuce: RedisURI.setTimeout or RedisClient.setDefaultTimeout (60 s by"
                " default; Spring: spring.data.redis.timeout), and TimeoutOptions.enabled() for asynchronous use."
            ),
            say("Look at SLOWLOG GET on the server."),
        ),
        family="redis",
    ),
    # org.redisson.command.CommandAsyncService.get, org.redisson.RedissonLock.lock < misc…: redisson/redisson
    Library(
        cause=REDIS,
        name="Redisson",
        frames=("org.redisson.",),
        remedy=(
            say("Use RLock.tryLock(waitTime, leaseTime, unit) instead of lock(), which waits without a limit."),
            say("Set timeout (3 s) and retryAttempts in Redisson's configuration."),
        ),
        family="redis",
    ),
    # OperationFuture.get < CountDownLatch.await: couchbase/spymemcached
    Library(
        cause=REMOTE,
        name="spymemcached",
        frames=("net.spy.memcached.",),
        remedy=(
            say(
                "Set opTimeout (2.5 s by default) of the ConnectionFactoryBuilder, and use asyncGet(key).get(timeout,"
                " unit)."
            ),
        ),
        family="remote",
    ),
    # net.rubyeye.xmemcached.XMemcachedClient.latchWait: killme2008/xmemcached
    Library(
        cause=REMOTE,
        name="xmemcached",
        frames=("net.rubyeye.xmemcached.", "com.google.code.yanf4j.", "com.danga.MemCached."),
        remedy=(say("Call setOpTimeout (5 s by default) and setConnectTimeout (60 s) of xmemcached."),),
        family="remote",
    ),
    # com.aerospike.client.command.SyncCommand.execute < Connection.readFully: aerospike/aerospike-client-java
    Library(
        cause=REMOTE,
        name="Aerospike client",
        frames=("com.aerospike.client.",),
        remedy=(
            say(
                "Set socketTimeout and totalTimeout of the Policy, and timeout of the ClientPolicy, of the Aerospike"
                " client."
            ),
        ),
        family="remote",
    ),
    # ClientInvocationFuture.get, ClientConnectionManagerImpl.connect: hazelcast/hazelcast
    Library(
        cause=REMOTE,
        name="Hazelcast client",
        frames=("com.hazelcast.",),
        remedy=(
            say(
                "Set hazelcast.client.invocation.timeout.seconds (120 s by default) and clusterConnectTimeoutMillis of"
                " the ConnectionRetryConfig (no limit by default)."
            ),
        ),
        family="remote",
    ),
    # TcpClientChannel.service < future get: apache/ignite
    Library(
        cause=REMOTE,
        name="Ignite",
        frames=("org.apache.ignite.",),
        remedy=(
            say(
                "Set ClientConfiguration.setTimeout of Ignite's thin client (no timeout by default); of a node:"
                " TransactionConfiguration.setDefaultTxTimeout (no timeout by default)."
            ),
        ),
        family="remote",
    ),
    # org.infinispan.client.hotrod.impl.Util.await: infinispan/infinispan
    Library(
        cause=REMOTE,
        name="Infinispan Hot Rod client",
        frames=("org.infinispan.",),
        remedy=(
            say(
                "Set infinispan.client.hotrod.socket_timeout and connect_timeout (milliseconds) and max_retries of the"
                " Hot Rod client."
            ),
        ),
        family="remote",
    ),
)
