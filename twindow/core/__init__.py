"""Modules shared by portal and service. They import no other package of Twindow."""
