"""Software kits of cloud providers and payment services; each has another HTTP client inside."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import REMOTE, Library

CLOUDS: tuple[Library, ...] = (
    # com.amazonaws.http.AmazonHttpClient$RequestExecutor.executeOneRequest: aws/aws-sdk-java
    Library(
        cause=REMOTE,
        name="AWS SDK for Java 1",
        frames=("com.amazonaws.",),
        remedy=(
            say(
                "Set ClientConfiguration.setSocketTimeout (50 s by default) and setClientExecutionTimeout (no limit by"
                " default) of the AWS client; each retry waits again."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # software.amazon.awssdk.core.internal.http.AmazonSyncHttpClient: aws/aws-sdk-java-v2
    Library(
        cause=REMOTE,
        name="AWS SDK for Java 2",
        frames=("software.amazon.awssdk.",),
        remedy=(
            say(
                "Set apiCallTimeout and apiCallAttemptTimeout (no limit by default) in the"
                " ClientOverrideConfiguration of the AWS client, and socketTimeout (30 s) of its HTTP client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.aliyun.oss.common.comm.DefaultServiceClient.sendRequestCore over Apache HttpClient 4:
    # aliyun/aliyun-oss-java-sdk
    Library(
        cause=REMOTE,
        name="Alibaba Cloud OSS SDK",
        frames=("com.aliyun.oss.",),
        remedy=(
            say(
                "Set ClientBuilderConfiguration.setSocketTimeout (50 s by default), setConnectionTimeout (50 s) and"
                " setRequestTimeoutEnabled with setRequestTimeout of the OSS client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.aliyuncs.http.clients.ApacheHttpClient.syncInvoke, com.aliyun.tea.Tea.doAction: aliyun/aliyun-openapi-java-sdk
    Library(
        cause=REMOTE,
        name="Alibaba Cloud SDK",
        frames=(
            "com.aliyuncs.",
            "com.aliyun.tea.",
            "com.aliyun.teaopenapi.",
            "com.aliyun.mns.",
            "com.aliyun.openservices.log.",
        ),
        remedy=(
            say(
                "Set readTimeout and connectTimeout (milliseconds) of the Config or RuntimeOptions of the Alibaba Cloud"
                " SDK; of the older one HttpClientConfig or IAcsClient's request.setSysReadTimeout."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.qcloud.cos.http.DefaultCosHttpClient.executeOneRequest over Apache HttpClient 4: tencentyun/cos-java-sdk-v5
    Library(
        cause=REMOTE,
        name="Tencent Cloud COS SDK",
        frames=("com.qcloud.cos.",),
        remedy=(
            say(
                "Set ClientConfig.setSocketTimeout and setConnectionTimeout (30 s by default), and setRequestTimeout"
                " with setRequestTimeOutEnable, of the COS client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.tencentcloudapi.common.http.HttpConnection.doRequest over OkHttp: TencentCloud/tencentcloud-sdk-java
    Library(
        cause=REMOTE,
        name="Tencent Cloud SDK",
        frames=("com.tencentcloudapi.",),
        remedy=(
            say(
                "Set HttpProfile.setReadTimeout, setWriteTimeout and setConnTimeout (seconds; 0 means no timeout)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.obs.services.internal.RestStorageService.executeRequest over OkHttp: huaweicloud/huaweicloud-sdk-java-obs
    Library(
        cause=REMOTE,
        name="Huawei Cloud OBS SDK",
        frames=("com.obs.services.",),
        remedy=(
            say(
                "Set ObsConfiguration.setSocketTimeout and setConnectionTimeout (60 s by default) of the OBS client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    Library(
        cause=REMOTE,
        name="Huawei Cloud SDK",
        frames=("com.huaweicloud.sdk.",),
        remedy=(
            say(
                "Call HttpConfig.withTimeout (seconds; 60 by default) in the client's builder of Huawei Cloud."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.qiniu.http.Client.send over OkHttp: qiniu/java-sdk
    Library(
        cause=REMOTE,
        name="Qiniu SDK",
        frames=("com.qiniu.http.", "com.qiniu.storage.", "com.qiniu.util."),
        remedy=(
            say("Set readTimeout (30 s by default), writeTimeout and connectTimeout of Qiniu's Configuration."),
        ),
        kind="sdk",
        family="http",
    ),
    # io.minio.MinioAsyncClient, CompletableFuture.get over OkHttp: minio/minio-java
    Library(
        cause=REMOTE,
        name="MinIO SDK",
        frames=("io.minio.",),
        remedy=(
            say(
                "Call MinioClient.setTimeout(connect, write, read) (5 minutes each by default, 0 means no timeout), or"
                " give its builder an OkHttpClient."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.google.cloud.storage, com.google.api.gax.rpc.ApiExceptions.callAndTranslateApiException: googleapis
    Library(
        cause=REMOTE,
        name="Google Cloud SDK",
        frames=("com.google.cloud.", "com.google.api.gax."),
        remedy=(
            say(
                "Set HttpTransportOptions.setReadTimeout (20 s by default, 0 means no timeout), and"
                " RetrySettings.setTotalTimeoutDuration of the service's options."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # Mono.block < com.azure.core.implementation, com.azure.storage: Azure/azure-sdk-for-java
    Library(
        cause=REMOTE,
        name="Azure SDK",
        frames=("com.azure.", "com.microsoft.azure."),
        remedy=(
            say(
                "Pass a timeout to the …WithResponse methods, or set HttpClientOptions.setReadTimeout and"
                " setResponseTimeout (60 s by default) and AZURE_REQUEST_RESPONSE_TIMEOUT (milliseconds)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.baidubce.http.BceHttpClient.execute over Apache HttpClient 4: baidubce/bce-sdk-java
    Library(
        cause=REMOTE,
        name="Baidu Cloud SDK",
        frames=("com.baidubce.",),
        remedy=(
            say(
                "Set BceClientConfiguration.setSocketTimeoutInMillis and setConnectionTimeoutInMillis (50 s by"
                " default)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.alipay.api.internal.util.WebUtils.doPost over HttpURLConnection: alipay/alipay-sdk-java-all
    Library(
        cause=REMOTE,
        name="Alipay SDK",
        frames=("com.alipay.api.",),
        remedy=(
            say(
                "Call setReadTimeout (15 s by default) and setConnectTimeout (3 s) of the AlipayConfig or client."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # com.wechat.pay.java.core.http.okhttp.OkHttpClientAdapter: wechatpay-apiv3/wechatpay-java
    Library(
        cause=REMOTE,
        name="WeChat Pay SDK",
        frames=("com.wechat.pay.", "com.github.binarywang.wxpay."),
        remedy=(
            say(
                "Call readTimeoutMs and connectTimeoutMs of DefaultHttpClientBuilder (WxPayConfig: httpTimeout,"
                " httpConnectionTimeout)."
            ),
        ),
        kind="sdk",
        family="http",
    ),
)
