"""Servers of RocketMQ 5 besides brokers: proxies, controllers, name servers."""
