"""What the events of a recording mean: where threads spent their time, and what held them up."""
