"""Remote procedure calls, and web services."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import RPC, Library

RPC_CLIENTS: tuple[Library, ...] = (
    # org.apache.dubbo.common.threadpool.ThreadlessExecutor.waitAndDrain < rpc.AsyncRpcResult.get: apache/dubbo issue
    # 13088; com.alibaba.dubbo.remoting.exchange.support.DefaultFuture.get (2.6)
    Library(
        cause=RPC,
        name="Dubbo",
        frames=("org.apache.dubbo.", "com.alibaba.dubbo."),
        remedy=(
            say(
                "Set timeout (1 s by default) and retries=0 on the Dubbo reference (@DubboReference(timeout=…),"
                " dubbo.consumer.timeout); a worker waits timeout × (retries + 1)."
            ),
            say("Look at the provider's thread pool (DubboServerHandler threads in a jstack of the provider)."),
        ),
        family="rpc",
    ),
    # io.grpc.stub.ClientCalls$ThreadlessExecutor.waitAndDrain < ClientCalls.blockingUnaryCall:
    # grpc/grpc-java issue 9759
    Library(
        cause=RPC,
        name="gRPC",
        frames=("io.grpc.",),
        remedy=(
            say(
                "Set a deadline on every call: stub.withDeadlineAfter(3, TimeUnit.SECONDS) (gRPC has none by"
                " default), and keepAliveTime on the channel to notice a dead peer."
            ),
        ),
        family="rpc",
    ),
    # org.apache.thrift.transport.TIOStreamTransport.read < TTransport.readAll < protocol.TBinaryProtocol.readAll:
    # apache/thrift lib/java/src/main/java/org/apache/thrift/transport
    Library(
        cause=RPC,
        name="Thrift",
        frames=("org.apache.thrift.",),
        remedy=(
            say(
                "Set the socket timeout of Thrift: new TSocket(host, port, timeoutMillis) or TSocket.setTimeout (0, for"
                " ever, by default)."
            ),
        ),
        family="rpc",
    ),
    Library(
        cause=RPC,
        name="RMI",
        frames=("sun.rmi.transport.", "java.rmi."),
        remedy=(say("Set -Dsun.rmi.transport.tcp.responseTimeout and -Dsun.rmi.transport.connectionTimeout."),),
        family="rpc",
    ),
    Library(
        cause=RPC,
        name="Hessian",
        frames=("com.caucho.hessian.",),
        remedy=(say("Call HessianProxyFactory.setReadTimeout and setConnectTimeout (no timeout by default)."),),
        kind="sdk",
        family="rpc",
    ),
    # com.alipay.remoting.rpc.RpcClient.invokeSync < InvokeFuture.waitResponse: sofastack/sofa-bolt, sofa-rpc
    Library(
        cause=RPC,
        name="SOFA RPC (Bolt)",
        frames=("com.alipay.remoting.", "com.alipay.sofa."),
        remedy=(
            say(
                "Set timeout (3 s by default) on the SOFA reference (@SofaReference(binding = @SofaReferenceBinding"
                "(timeout = …)), ConsumerConfig.setTimeout); of Bolt alone the last argument of invokeSync."
            ),
        ),
        family="rpc",
    ),
    # com.weibo.api.motan.rpc.DefaultResponseFuture.getValue: weibocom/motan
    Library(
        cause=RPC,
        name="Motan",
        frames=("com.weibo.api.motan.",),
        remedy=(say("Set requestTimeout (200 ms by default) and retries of the Motan referer."),),
        family="rpc",
    ),
    # org.apache.avro.ipc.netty.NettyTransceiver.transceive < CallFuture.get, HttpTransceiver: apache/avro lang/java/ipc
    Library(
        cause=RPC,
        name="Avro RPC",
        frames=("org.apache.avro.ipc.",),
        remedy=(
            say(
                "Call HttpTransceiver.setTimeout, or CallFuture.get(timeout, unit) instead of the blocking call of a"
                " NettyTransceiver, which has no timeout."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    # com.sun.xml.ws.transport.http.client.HttpTransportPipe.process: eclipse-ee4j/metro-jax-ws; also inside JDK 8
    Library(
        cause=RPC,
        name="JAX-WS",
        frames=("com.sun.xml.ws.", "com.sun.xml.internal.ws."),
        remedy=(
            say(
                "Put com.sun.xml.ws.request.timeout and com.sun.xml.ws.connect.timeout (milliseconds; no timeout by"
                " default; com.sun.xml.internal.ws inside JDK 8) into the BindingProvider's request context."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    Library(
        cause=RPC,
        name="CXF",
        frames=("org.apache.cxf.",),
        remedy=(
            say(
                "Set HTTPClientPolicy.setReceiveTimeout (60 s by default) and setConnectionTimeout (30 s) on the HTTP"
                " conduit of CXF; 0 means no timeout."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    Library(
        cause=RPC,
        name="Axis",
        frames=("org.apache.axis.", "org.apache.axis2."),
        remedy=(say("Call Stub.setTimeout of Axis, or Options.setTimeOutInMilliSeconds of Axis2."),),
        kind="sdk",
        family="rpc",
    ),
    # org.apache.xmlrpc.client.XmlRpcSunHttpTransport over HttpURLConnection: apache xmlrpc 3
    Library(
        cause=RPC,
        name="XML-RPC client",
        frames=("org.apache.xmlrpc.",),
        remedy=(
            say(
                "Call XmlRpcClientConfigImpl.setReplyTimeout and setConnectionTimeout (0, no timeout, by default)."
            ),
        ),
        kind="sdk",
        family="rpc",
    ),
    # com.taobao.hsf: the HSF of Alibaba's EDAS, from its documentation
    Library(
        cause=RPC,
        name="HSF",
        frames=("com.taobao.hsf.",),
        remedy=(say("Set clientTimeout of @HSFConsumer, or serverTimeout of the provider (3 s by default)."),),
        family="rpc",
    ),
)
