-- Threads by what they keep alive, local variables included.
SELECT address(threads.id) AS id, name, frames, locals, retained
FROM threads
ORDER BY retained DESC, threads.id
