"""Reports as other systems take them."""
