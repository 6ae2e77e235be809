#!/bin/sh
# Prints the free space below /tmp.
df -P -k /tmp | tail -n 1
