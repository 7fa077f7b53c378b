"""Holes in a DEM that a second one covers, with another datum: its relief is taken, and no step is left at the seam."""
import numpy as np
import reconstruct
from drawn import draw, terrain

heights = terrain(200, 300)
y, x = np.mgrid[:200, :300]
hole = np.hypot(x - 150, y - 100) < 60
second = heights + 37 + 0.05 * x  # another datum, and tilted
filled = reconstruct.clone(second, np.where(hole, np.nan, heights), hole)

pasted = np.where(hole, second, heights)
assert np.array_equal(filled[~hole], heights[~hole])
print(f"largest error {np.abs(pasted - heights).max():.0f} m pasted, {np.abs(filled - heights).max():.1f} m cloned")
assert np.abs(filled - heights).max() < 3
draw("a-second-dem.ppm", np.where(hole, np.nan, heights), pasted, filled)
