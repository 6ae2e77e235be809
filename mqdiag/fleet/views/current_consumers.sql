-- The consumers of the current incidents, of every dump of a host.
SELECT t.* FROM consumers t JOIN current_incidents i ON t.incident = i.incident AND t.run = i.analysed_in
