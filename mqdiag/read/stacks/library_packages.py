"""Packages that are not the user's own code; the first frame outside them is the one that a user can change."""

from __future__ import annotations

import re
from functools import lru_cache

JDK: tuple[str, ...] = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "oracle.jrockit.")

LIBRARIES: tuple[str, ...] = (
    *JDK,
    "jakarta.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus.groovy.",
    "clojure.",
    "org.apache.",
    "org.springframework.",
    "org.hibernate.",
    "org.mybatis.",
    "org.postgresql.",
    "org.mariadb.",
    "org.h2.",
    "org.redisson.",
    "org.elasticsearch.",
    "org.opensearch.",
    "org.eclipse.",
    "org.jboss.",
    "org.slf4j.",
    "org.quartz.",
    "org.aspectj.",
    "org.junit.",
    "org.I0Itec.",
    "org.reactivestreams.",
    "org.bson.",
    "org.jooq.",
    "org.glassfish.",
    "com.mysql.",
    "com.microsoft.sqlserver.",
    "com.zaxxer.",
    "com.mchange.",
    "com.mongodb.",
    "com.alibaba.rocketmq.",
    "com.alibaba.dubbo.",
    "com.alibaba.druid.",
    "com.alibaba.fastjson",
    "com.alibaba.nacos.",
    "com.alibaba.csp.",
    "com.alibaba.ttl.",
    "com.alibaba.cloud.",
    "com.aliyun.",
    "com.baomidou.",
    "com.clickhouse.",
    "com.datastax.",
    "com.fasterxml.",
    "com.google.common.",
    "com.google.gson.",
    "com.google.protobuf.",
    "com.google.inject.",
    "com.jcraft.",
    "com.lambdaworks.",
    "com.lmax.",
    "com.netflix.",
    "com.rabbitmq.",
    "com.squareup.",
    "com.caucho.",
    "com.codahale.",
    "com.github.benmanes.",
    "com.xxl.job.core.",
    "com.ctrip.framework.",
    "com.dianping.cat.",
    "co.elastic.",
    "cn.hutool.",
    "ch.qos.",
    "dm.jdbc.",
    "feign.",
    "io.grpc.",
    "io.lettuce.",
    "io.micrometer.",
    "io.micronaut.",
    "io.netty.",
    "io.opentelemetry.",
    "io.opentracing.",
    "io.quarkus.",
    "io.reactivex.",
    "io.searchbox.",
    "io.seata.",
    "io.undertow.",
    "io.vertx.",
    "brave.",
    "akka.",
    "net.bytebuddy.",
    "net.rubyeye.",
    "net.sf.cglib.",
    "net.sf.ehcache.",
    "net.sourceforge.jtds.",
    "net.spy.",
    "com.danga.",
    "okhttp3.",
    "okio.",
    "oracle.",
    "reactor.",
    "redis.clients.",
    "retrofit2.",
    "ru.yandex.",
    "rx.",
    "tk.mybatis.",
    "zipkin2.",
    # drivers and clients of mqdiag/threads/libraries
    "com.aerospike.",
    "com.alipay.api.",
    "com.alipay.remoting.",
    "com.alipay.sofa.",
    "com.aliyuncs.",
    "com.amazonaws.",
    "com.atomikos.",
    "com.azure.",
    "com.baidubce.",
    "com.couchbase.",
    "com.dtflys.forest.",
    "com.ecwid.consul.",
    "com.facebook.presto.",
    "com.github.binarywang.",
    "com.github.rholder.",
    "com.github.tobato.",
    "com.google.api.",
    "com.google.cloud.",
    "com.google.code.yanf4j.",
    "com.hazelcast.",
    "com.hierynomus.",
    "com.huawei.gauss.",
    "com.huawei.opengauss.",
    "com.huaweicloud.sdk.",
    "com.ibm.db2.",
    "com.ibm.disthub2.",
    "com.ibm.mq.",
    "com.ibm.msg.",
    "com.influxdb.",
    "com.jolbox.",
    "com.kingbase8.",
    "com.kingbase86.",
    "com.mashape.",
    "com.microsoft.azure.",
    "com.ning.http.",
    "com.obs.services.",
    "com.oceanbase.jdbc.",
    "com.orbitz.consul.",
    "com.qcloud.cos.",
    "com.qiniu.http.",
    "com.qiniu.storage.",
    "com.qiniu.util.",
    "com.taobao.hsf.",
    "com.taosdata.",
    "com.tencentcloudapi.",
    "com.unboundid.",
    "com.wechat.pay.",
    "com.weibo.api.motan.",
    "dev.failsafe.",
    "io.agroal.",
    "io.etcd.",
    "io.github.bucket4j.",
    "io.github.resilience4j.",
    "io.minio.",
    "io.nats.",
    "io.prestosql.",
    "io.smallrye.",
    "io.trino.",
    "jcifs.",
    "kong.unirest.",
    "net.jodah.failsafe.",
    "net.schmizz.",
    "net.snowflake.",
    "org.asynchttpclient.",
    "org.csource.",
    "org.firebirdsql.",
    "org.hsqldb.",
    "org.infinispan.",
    "org.influxdb.",
    "org.neo4j.",
    "org.opengauss.",
    "org.sqlite.",
    "org.vibur.",
    "software.amazon.",
    # wrappers around the user's code: agents, tracing, statement loggers, caches
    "com.alicp.jetcache.",
    "com.datadog.",
    "com.dynatrace.",
    "com.github.pagehelper.",
    "com.navercorp.pinpoint.",
    "com.newrelic.",
    "com.p6spy.",
    "com.taobao.arthas.",
    "datadog.",
    "io.projectreactor.",
    "io.r2dbc.",
    "javassist.",
    "net.ttddyy.",
    "ognl.",
    "org.javassist.",
)

NOT_OWN_PARTS: tuple[str, ...] = (
    "$$EnhancerBy",
    "$$FastClassBy",
    "$$SpringCGLIB$$",
    "$Proxy",
    "$$Lambda",
    # of ByteBuddy, and of SkyWalking's agent, which instruments with it
    "$ByteBuddy$",
    "$auxiliary$",
    "$accessor$",
    "$HibernateProxy$",
    # of AspectJ, Quarkus and Micronaut
    "$AjcClosure",
    "_ClientProxy.",
    "_Subclass.",
    "$Intercepted.",
)
"""generated classes in the user's packages: the frame next to them says more"""


_MOVED = re.compile(r"(?:^|\.)(?:shaded?|relocated|repackaged|thirdparty|internal\.libs?)\.")
"""the last part of a package that build tools move libraries to, as companies choose it"""


def unshaded(methods: tuple[str, ...]) -> tuple[str, ...]:
    """Methods of libraries that were moved to another package under the names that they have at home.

    Only what is a library behind the mark is taken for one: a package of the user's may be called so too.
    """
    if not any(_MOVED.search(method) for method in methods):
        return methods
    return tuple(_at_home(method) for method in methods)


def _at_home(method: str) -> str:
    marks = list(_MOVED.finditer(method))
    if not marks:
        return method
    inner = method[marks[-1].end() :]
    if inner.startswith("rocketmq."):
        inner = f"org.apache.{inner}"
    return inner if inner.startswith(LIBRARIES) else method


HIDDEN_PARTS: tuple[str, ...] = (
    "$$Lambda",
    "java.lang.Thread.runWith",
    "java.lang.ScopedValue$Carrier.runWith",
    "java.lang.invoke.LambdaForm$",
    "java.lang.invoke.DirectMethodHandle$Holder.",
    "java.lang.invoke.DelegatingMethodHandle$Holder.",
    "java.lang.invoke.Invokers$Holder.",
    "jdk.MHProxy",
    "jdk.internal.reflect.DirectMethodHandleAccessor.invokeImpl",
    "jdk.internal.reflect.DirectConstructorHandleAccessor.invokeImpl",
    "jdk.internal.vm.Continuation.enter",
)
"""frames that the JDK marks as hidden: jstack prints them, Thread.dump_to_file does not (compared on JDK 21 and 25)"""


@lru_cache(maxsize=65_536)
def is_hidden(method: str) -> bool:
    """Whether only some forms of dumps show a frame of this method."""
    return any(part in method for part in HIDDEN_PARTS)


def is_own(method: str) -> bool:
    """Whether a "package.Class.method" is the user's code, as far as its name shows."""
    return not method.startswith(LIBRARIES) and not any(part in method for part in NOT_OWN_PARTS)
