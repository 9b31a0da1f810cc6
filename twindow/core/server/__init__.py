"""The server process: Gunicorn, connections, file descriptors, threads and logs."""
