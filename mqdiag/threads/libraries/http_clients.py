"""HTTP clients."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import HTTP, Library

HTTP_CLIENTS: tuple[Library, ...] = (
    # okhttp3.internal.http1.Http1ExchangeCodec.readResponseHeaders, okio.InputStreamSource.read (okio.Okio$2.read
    # in 3.x), okhttp3.internal.connection.RealConnection.connectSocket: square/okhttp
    Library(
        cause=HTTP,
        name="OkHttp",
        frames=("okhttp3.", "okio.", "com.squareup.okhttp."),
        remedy=(
            say(
                "Set OkHttpClient.Builder.readTimeout and connectTimeout (10 s by default, 0 means no timeout), and"
                " callTimeout (none by default) to bound the whole call."
            ),
        ),
        family="http",
    ),
    # org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer < DefaultHttpResponseParser.parseHead <
    # protocol.HttpRequestExecutor.doReceiveResponse: apache/httpcomponents-core 4.4
    Library(
        cause=HTTP,
        name="Apache HttpClient 4",
        frames=("org.apache.http.",),
        remedy=(
            say(
                "Set RequestConfig.custom().setSocketTimeout(…).setConnectTimeout(…).setConnectionRequestTimeout(…)"
                " (all without a timeout by default) on the Apache HttpClient 4; for TLS handshakes also"
                " setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(…))."
            ),
        ),
        family="http",
    ),
    # org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.fillBuffer < DefaultBHttpClientConnection.
    # receiveResponseHeader: apache/httpcomponents-core 5
    Library(
        cause=HTTP,
        name="Apache HttpClient 5",
        frames=("org.apache.hc.",),
        remedy=(
            say(
                "Set RequestConfig.custom().setResponseTimeout(…) (no timeout by default) and ConnectionConfig.custom()"
                ".setConnectTimeout(…).setSocketTimeout(…) on the Apache HttpClient 5."
            ),
        ),
        family="http",
    ),
    Library(
        cause=HTTP,
        name="commons-httpclient 3",
        frames=("org.apache.commons.httpclient.",),
        remedy=(
            say(
                "Set HttpConnectionManagerParams.setSoTimeout and setConnectionTimeout (no timeout by default) of"
                " commons-httpclient 3; it is out of maintenance."
            ),
        ),
        family="http",
    ),
    # jdk.internal.net.http.HttpClientImpl.send < CompletableFuture.get: openjdk/jdk
    # src/java.net.http/share/classes/jdk/internal/net/http/HttpClientImpl.java
    Library(
        cause=HTTP,
        name="java.net.http.HttpClient",
        frames=("jdk.internal.net.http.", "java.net.http.", "jdk.incubator.http."),
        remedy=(
            say(
                "Set HttpRequest.Builder.timeout (no timeout by default) on every request and"
                " HttpClient.Builder.connectTimeout."
            ),
        ),
        family="http",
    ),
    Library(
        cause=HTTP,
        name="Jetty HttpClient",
        frames=("org.eclipse.jetty.client.",),
        remedy=(say("Set Request.timeout and idleTimeout on the Jetty HttpClient."),),
        family="http",
    ),
    # sun.net.www.http.HttpClient.parseHTTPHeader < HttpURLConnection.getInputStream0: openjdk/jdk
    # src/java.base/share/classes/sun/net/www/http/HttpClient.java; RestTemplate and Feign use it by default
    Library(
        cause=HTTP,
        name="HttpURLConnection",
        frames=(
            "sun.net.www.http.",
            "sun.net.www.protocol.http",
            "java.net.HttpURLConnection.",
        ),
        remedy=(
            say(
                "Call setConnectTimeout and setReadTimeout on every HttpURLConnection (both 0, no timeout, by default),"
                " or"
                " set -Dsun.net.client.defaultConnectTimeout and -Dsun.net.client.defaultReadTimeout (milliseconds)."
            ),
        ),
        family="http",
    ),
    # CompletableFuture.get or Future.get < NettyResponseFuture.get: AsyncHttpClient/async-http-client
    Library(
        cause=HTTP,
        name="AsyncHttpClient",
        frames=("org.asynchttpclient.", "com.ning.http.client."),
        remedy=(
            say(
                "Set requestTimeout and readTimeout (60 s by default) of the AsyncHttpClient's config, and use"
                " get(timeout, unit) on its future."
            ),
        ),
        family="http",
    ),
    # com.google.api.client.http.HttpRequest.execute over HttpURLConnection: googleapis/google-http-java-client
    Library(
        cause=HTTP,
        name="Google HTTP client",
        frames=("com.google.api.client.",),
        remedy=(
            say(
                "Call HttpRequest.setReadTimeout and setConnectTimeout (20 s by default, 0 means no timeout) in the"
                " HttpRequestInitializer of the Google HTTP client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # kong.unirest.apache.ApacheClient.request over Apache HttpClient 4, kong.unirest.java.JavaClient (4):
    # Kong/unirest-java
    Library(
        cause=HTTP,
        name="Unirest",
        frames=("kong.unirest.", "com.mashape.unirest."),
        remedy=(
            say(
                "Set Unirest.config().socketTimeout (60 s by default, 0 means no timeout) and connectTimeout (10 s);"
                " version 4: requestTimeout."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # org.glassfish.jersey.client.internal.HttpUrlConnector._apply: eclipse-ee4j/jersey
    Library(
        cause=HTTP,
        name="Jersey client",
        frames=("org.glassfish.jersey.client.", "com.sun.jersey.api.client.", "com.sun.jersey.client."),
        remedy=(
            say(
                "Set ClientBuilder.readTimeout and connectTimeout, or ClientProperties.READ_TIMEOUT (0, no timeout, by"
                " default), on the Jersey client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # org.jboss.resteasy.client.jaxrs.engines.ManualClosingApacheHttpClient43Engine.invoke: resteasy/resteasy
    Library(
        cause=HTTP,
        name="RESTEasy client",
        frames=("org.jboss.resteasy.client.", "org.jboss.resteasy.microprofile.client."),
        remedy=(
            say(
                "Set ResteasyClientBuilder.readTimeout and connectTimeout (no timeout by default); in Quarkus"
                " quarkus.rest-client.read-timeout and connect-timeout."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    Library(
        cause=HTTP,
        name="Hutool HTTP",
        frames=("cn.hutool.http.",),
        remedy=(
            say(
                "Call HttpRequest.timeout(milliseconds) of Hutool, or HttpGlobalConfig.setTimeout (no timeout by"
                " default)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.dtflys.forest.http.ForestRequest.execute over OkHttp or Apache HttpClient: dromara/forest
    Library(
        cause=HTTP,
        name="Forest",
        frames=("com.dtflys.forest.",),
        remedy=(
            say(
                "Set forest.connect-timeout and forest.read-timeout, or both on the @Request of the interface."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # io.micronaut.http.client.netty.DefaultHttpClient under a blocking Mono or Flux: micronaut-projects/micronaut-core
    Library(
        cause=HTTP,
        name="Micronaut HTTP client",
        frames=("io.micronaut.http.client.",),
        remedy=(
            say(
                "Set micronaut.http.client.read-timeout (10 s by default) and connect-timeout, or those of"
                " micronaut.http.services.NAME."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # io.quarkus.rest.client, org.jboss.resteasy.reactive.client under a CompletableFuture.get: quarkusio/quarkus
    Library(
        cause=HTTP,
        name="Quarkus REST client",
        frames=("io.quarkus.rest.client.", "org.jboss.resteasy.reactive.client."),
        remedy=(
            say(
                "Set quarkus.rest-client.read-timeout and connect-timeout (milliseconds), or those of"
                " quarkus.rest-client.NAME."
            ),
        ),
        kind="sdk",
        family="http",
    ),
)
