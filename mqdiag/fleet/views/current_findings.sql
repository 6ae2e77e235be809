-- All findings of the current incidents, refuted ones too.
SELECT t.* FROM findings t JOIN current_incidents i ON t.incident = i.incident AND t.run = i.analysed_in
