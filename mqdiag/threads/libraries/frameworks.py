"""Frameworks between a client and the user's code that have the setting which people really change."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import Library

FRAMEWORKS: tuple[Library, ...] = (
    Library(
        name="Feign",
        frames=("feign.",),
        remedy=(
            say(
                "Feign: set spring.cloud.openfeign.client.config.default.connectTimeout and readTimeout"
                " (Request.Options)."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="RestTemplate",
        frames=("org.springframework.web.client.RestTemplate",),
        remedy=(
            say(
                "RestTemplate: RestTemplateBuilder.setConnectTimeout / setReadTimeout, or the request factory's"
                " setConnectTimeout / setReadTimeout (SimpleClientHttpRequestFactory has no timeout by default)."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="RestClient",
        frames=(
            "org.springframework.web.client.RestClient",
            "org.springframework.web.client.DefaultRestClient",
        ),
        remedy=(say("RestClient: requestFactory with setConnectTimeout and setReadTimeout."),),
        kind="framework",
    ),
    Library(
        name="Retrofit",
        frames=("retrofit2.",),
        remedy=(say("Retrofit: the timeouts are those of its OkHttpClient."),),
        kind="framework",
    ),
    Library(
        name="WebClient",
        frames=("org.springframework.web.reactive.function.client.",),
        remedy=(say("WebClient: responseTimeout of the HttpClient below it, and block(Duration)."),),
        kind="framework",
    ),
    Library(
        name="Spring HTTP interface",
        frames=("org.springframework.web.service.invoker.",),
        remedy=(
            say(
                "HTTP interface of Spring: the timeouts are those of the client in its adapter, and blockTimeout of the"
                " HttpServiceProxyFactory."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="Spring Data Redis",
        frames=("org.springframework.data.redis.",),
        remedy=(
            say(
                "Spring Data Redis: set spring.data.redis.timeout and connect-timeout (Spring Boot 2:"
                " spring.redis.timeout)."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="Spring JDBC",
        frames=("org.springframework.jdbc.core.",),
        remedy=(
            say(
                "Spring JDBC: set spring.jdbc.template.query-timeout or JdbcTemplate.setQueryTimeout;"
                " @Transactional(timeout = …) bounds the whole transaction."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="MyBatis",
        frames=("org.apache.ibatis.executor.", "org.mybatis.", "com.baomidou.mybatisplus."),
        remedy=(
            say(
                "MyBatis: set defaultStatementTimeout, or timeout on the statement, in seconds (none by default)."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="Hibernate",
        frames=("org.hibernate.",),
        remedy=(
            say(
                "Hibernate: set jakarta.persistence.query.timeout (milliseconds) and jakarta.persistence.lock.timeout;"
                " @Transactional(timeout = …) bounds the whole transaction."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="jOOQ",
        frames=("org.jooq.impl.",),
        remedy=(say("jOOQ: set Settings.withQueryTimeout (seconds)."),),
        kind="framework",
    ),
    Library(
        name="Hystrix",
        frames=("com.netflix.hystrix.",),
        remedy=(
            say(
                "Hystrix: execution.isolation.thread.timeoutInMilliseconds bounds the caller, not the pool's thread."
            ),
        ),
        kind="framework",
    ),
    Library(
        name="Spring Cloud Stream",
        frames=("org.springframework.cloud.stream.",),
        remedy=(
            say(
                "Spring Cloud Stream: set spring.cloud.stream.rocketmq.bindings.NAME.producer.send-message-timeout"
                " where the listener sends through StreamBridge."
            ),
        ),
        kind="framework",
    ),
)
