"""Fields of records in JSON and columns of tables that hold the text of a line."""

from __future__ import annotations

TIMED_KEYS = ("log", "message", "msg", "MESSAGE", "textPayload", "@message")
OF_ANSWERS = ("errMsg", "errorMessage")
MESSAGE_KEYS = (*TIMED_KEYS, "content", "_raw", *OF_ANSWERS)
"""fields that hold the text: of docker, Elasticsearch, zap, journald, Google, CloudWatch, SLS, Splunk, consoles, and
RocketMQ's server of the Model Context Protocol"""
