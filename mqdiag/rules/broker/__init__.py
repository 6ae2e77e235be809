"""Rules about brokers, from their heap dumps and logs."""
