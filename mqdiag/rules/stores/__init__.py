"""Rules about brokers that stand still, from their store folders."""
