"""Objects known by the AprilTags that they wear."""
