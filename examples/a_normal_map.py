"""The heights that a normal map shades, as a game's texture has it, in 8 bits."""
import numpy as np
import reconstruct
from drawn import draw

y, x = np.mgrid[-1:1:200j, -1:1:200j]
bump = 20 * np.exp(-6 * (x ** 2 + y ** 2)) + 3 * np.cos(9 * x) * np.cos(9 * y)
down, right = np.gradient(bump)
normals = np.stack([-right, down, np.ones_like(bump)], axis=-1)  # green points up
normals = np.round((normals / np.linalg.norm(normals, axis=-1, keepdims=True) + 1) * 127.5).astype(np.uint8)
heights = reconstruct.heights(normals)

error = np.abs(heights - (bump - bump.mean())).max()
print(f"heights of {np.ptp(bump):.0f} pixels, within {error:.2f}")
assert error < 1
draw("a-normal-map.ppm", normals.mean(axis=-1), 255 * (heights - heights.min()) / np.ptp(heights))
