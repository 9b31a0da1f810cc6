"""The server process: Gunicorn, connections, file descriptors, load and logs."""
