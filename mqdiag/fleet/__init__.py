"""Many incidents at once on Spark: plan the work, analyse each incident, keep tables, judge the fleet.

`files` finds and groups evidence, `work` analyses one incident in a process of its own, `tables` keeps the results,
`views` and `analysis` compare instances in SQL, `job` joins them. See docs/fleet.md.
"""
