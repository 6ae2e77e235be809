"""The gRPC client of RocketMQ 5 (rocketmq-client-java): how its objects are read."""
