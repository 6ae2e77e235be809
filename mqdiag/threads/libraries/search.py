"""Clients of search engines."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import REMOTE, Library

SEARCH: tuple[Library, ...] = (
    # org.elasticsearch.client.RestClient.performRequest < BasicFuture.get (7.x), transport client:
    # PlainActionFuture.actionGet / AdapterActionFuture.actionGet: elastic/elasticsearch client/rest
    Library(
        cause=REMOTE,
        name="Elasticsearch client",
        frames=("org.elasticsearch.", "co.elastic.clients."),
        remedy=(
            say(
                "Set RestClientBuilder.setRequestConfigCallback(b -> b.setConnectTimeout(…).setSocketTimeout(…))"
                " (socket timeout 30 s by default); transport client: actionGet(timeout) instead of actionGet()."
            ),
            say(
                "Bulk requests: look at the search and write thread pools of the cluster (GET _cat/thread_pool)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    Library(
        cause=REMOTE,
        name="OpenSearch client",
        frames=("org.opensearch.",),
        remedy=(
            say(
                "Call RestClientBuilder.setRequestConfigCallback (setConnectTimeout, setSocketTimeout or"
                " setResponseTimeout; 30 s by default) of the OpenSearch client."
            ),
            say("Look at the search and write thread pools of the cluster (GET _cat/thread_pool)."),
        ),
        kind="sdk",
        family="http",
    ),
    Library(
        cause=REMOTE,
        name="Jest",
        frames=("io.searchbox.",),
        remedy=(say("Set HttpClientConfig.Builder.readTimeout and connTimeout (3 s by default) of Jest."),),
        kind="sdk",
        family="http",
    ),
    # org.apache.solr.client.solrj.impl.HttpSolrClient.executeMethod, Http2SolrClient.request: apache/solr
    Library(
        cause=REMOTE,
        name="Solr client",
        frames=("org.apache.solr.",),
        remedy=(
            say(
                "Set withSocketTimeout and withConnectionTimeout (SolrJ 9: withRequestTimeout, withIdleTimeout) on the"
                " builder of the SolrClient."
            ),
        ),
        kind="sdk",
        family="http",
    ),
)
