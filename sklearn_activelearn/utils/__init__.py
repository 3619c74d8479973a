"""Ground floor: versions of libraries, types of arguments, statistics."""
