"""Temperatures of an ocean model (time, level, lat, lon) on its land, for interpolation to another coast.

The map is a globe's: it wraps in longitude. Each level has a coast of its own, and all are solved side by side.
"""
import numpy as np
import reconstruct
from drawn import draw, terrain

lat, lon = np.mgrid[-75:75:150j, 0:360:300j]
bed = terrain(150, 300, 4) - 1000  # above 0: land
level = np.array([0, 50, 150])[:, None, None]
sea = np.stack([27 * np.cos(np.radians(lat)) ** 2 - 0.03 * level + month * np.sin(np.radians(lat + lon)) for month in (0, 1)])
water = np.broadcast_to(-bed > level, sea.shape)
filled = reconstruct.fill(np.where(water, sea, np.nan), axes=(-2, -1), boundary="cylinder")

assert np.array_equal(filled[water], sea[water]) and np.isfinite(filled).all()
assert filled.min() >= sea[water].min() - 0.01 and filled.max() <= sea[water].max() + 0.01  # no new extremes
print(f"{filled.shape[0] * filled.shape[1]} maps, {100 * np.mean(~water):.0f}% land filled")
draw("land-of-an-ocean-model.ppm", np.where(water, sea, np.nan)[0, 0], filled[0, 0])
