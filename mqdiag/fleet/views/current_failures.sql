-- What could not be analysed of the current incidents.
SELECT t.* FROM failures t JOIN current_incidents i ON t.incident = i.incident AND t.run = i.analysed_in
