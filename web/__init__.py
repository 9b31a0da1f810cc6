"""The portal's web layer: everything between Flask and the domain except the blueprints."""
