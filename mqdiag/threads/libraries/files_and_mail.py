"""Clients of file servers, mail servers and directories."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import REMOTE, Library

FILES_AND_MAIL: tuple[Library, ...] = (
    Library(
        cause=REMOTE,
        name="FTP client",
        frames=("org.apache.commons.net.ftp.", "sun.net.ftp."),
        remedy=(
            say("Set FTPClient.setDefaultTimeout, setSoTimeout and setDataTimeout (no timeout by default)."),
        ),
        family="remote",
    ),
    Library(
        cause=REMOTE,
        name="JSch SFTP",
        frames=("com.jcraft.jsch.",),
        remedy=(say("Call Session.setTimeout and connect(timeout) of JSch (no timeout by default)."),),
        family="remote",
    ),
    Library(
        cause=REMOTE,
        name="JavaMail",
        frames=("com.sun.mail.", "org.eclipse.angus.mail.", "jakarta.mail.", "javax.mail."),
        remedy=(say("Set mail.smtp.timeout and mail.smtp.connectiontimeout (no timeout by default)."),),
        family="remote",
    ),
    Library(
        cause=REMOTE,
        name="LDAP (JNDI)",
        frames=("com.sun.jndi.ldap.",),
        remedy=(
            say(
                "Set com.sun.jndi.ldap.read.timeout and com.sun.jndi.ldap.connect.timeout (no timeout by default)."
            ),
        ),
        family="remote",
    ),
    # net.schmizz.sshj.transport.TransportImpl.init, net.schmizz.concurrent.Promise.retrieve: hierynomus/sshj
    Library(
        cause=REMOTE,
        name="SSHJ",
        frames=("net.schmizz.", "com.hierynomus.sshj."),
        remedy=(
            say(
                "Call SSHClient.setTimeout and setConnectTimeout (no timeout by default), and set"
                " getTransport().setTimeoutMs and getConnection().setTimeoutMs (30 s)."
            ),
        ),
        family="remote",
    ),
    # org.apache.sshd.client.future.DefaultConnectFuture.verify: apache/mina-sshd
    Library(
        cause=REMOTE,
        name="Apache MINA SSHD client",
        frames=("org.apache.sshd.",),
        remedy=(
            say(
                "Pass a timeout to connect(…).verify(timeout), auth().verify(timeout) and await(timeout); without one"
                " they have no limit."
            ),
        ),
        family="remote",
    ),
    # com.hierynomus.smbj.connection.Connection.sendAndReceive < Promise.retrieve: hierynomus/smbj
    Library(
        cause=REMOTE,
        name="smbj",
        frames=("com.hierynomus.smbj.", "com.hierynomus.protocol."),
        remedy=(say("Set SmbConfig.builder().withTimeout and withSoTimeout (no read timeout by default)."),),
        family="remote",
    ),
    # jcifs.util.transport.Transport.sendrecv, jcifs.smb.SmbTransportImpl: AgNO3/jcifs-ng
    Library(
        cause=REMOTE,
        name="jCIFS",
        frames=("jcifs.",),
        remedy=(
            say(
                "Set jcifs.smb.client.responseTimeout (30 s by default), soTimeout (35 s) and connTimeout (35 s) of"
                " jCIFS."
            ),
        ),
        family="remote",
    ),
    # org.apache.hadoop.ipc.Client.call, hdfs.DFSInputStream.read: apache/hadoop
    Library(
        cause=REMOTE,
        name="HDFS client",
        frames=(
            "org.apache.hadoop.ipc.",
            "org.apache.hadoop.hdfs.",
            "org.apache.hadoop.fs.",
            "org.apache.hadoop.net.",
        ),
        remedy=(
            say(
                "Set ipc.client.rpc-timeout.ms, dfs.client.socket-timeout (60 s by default) and"
                " ipc.client.connect.timeout of Hadoop."
            ),
        ),
        family="rpc",
    ),
    # com.unboundid.ldap.sdk.LDAPConnection.connect, LDAPResponse queue poll: pingidentity/ldapsdk
    Library(
        cause=REMOTE,
        name="UnboundID LDAP SDK",
        frames=("com.unboundid.",),
        remedy=(
            say(
                "Call LDAPConnectionOptions.setResponseTimeoutMillis and setConnectTimeoutMillis of the UnboundID LDAP"
                " SDK."
            ),
        ),
        family="remote",
    ),
    # org.csource.fastdfs.ProtoCommon.recvHeader, com.github.tobato.fastdfs: happyfish100/fastdfs-client-java
    Library(
        cause=REMOTE,
        name="FastDFS client",
        frames=("org.csource.", "com.github.tobato.fastdfs."),
        remedy=(
            say("Set connect_timeout and network_timeout (seconds) in fdfs_client.conf, or fdfs.so-timeout."),
        ),
        family="remote",
    ),
)
