"""The evidence of a JVM in a pod or on another host: nothing is installed there, and nothing is left there."""
