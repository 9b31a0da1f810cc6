"""How fast it is: ratios against a reference that is measured in the same run."""
