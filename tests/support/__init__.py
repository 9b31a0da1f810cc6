"""Test helpers: the scripted upstream, portals, clients, browsers and other real servers."""
