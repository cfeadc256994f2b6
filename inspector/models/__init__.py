"""Qt item models over the read model: lazy and paged, strings made when shown."""
