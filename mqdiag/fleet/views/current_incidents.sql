-- The incidents of the latest run: what it analysed, and what earlier runs had analysed and it found again.
SELECT * FROM incidents WHERE run = (SELECT max_by(run, run_number) FROM runs)
