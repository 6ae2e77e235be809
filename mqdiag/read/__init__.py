"""Bytes and text to records; knows formats, knows no RocketMQ."""
