"""From a camera's pictures to tracks: tags, shapes, what is hidden, held or gone, and unknown things."""
