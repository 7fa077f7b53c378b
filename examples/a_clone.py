"""A picture pasted into another without a seam: it takes on the light of its new place."""
import numpy as np
import reconstruct
from drawn import draw, terrain

target, source = terrain(200, 300, 7), terrain(80, 80, 9) + 900
y, x = np.mgrid[:80, :80]
mask = np.hypot(x - 40, y - 40) < 34
cloned = reconstruct.clone(source, target, mask, at=(110, 60))

pasted = target.copy()
pasted[60:140, 110:190][mask] = source[mask]
step = [np.abs(np.diff(field, axis=1))[60:140, 110:189].max() for field in (pasted, cloned)]
print(f"largest step from pixel to pixel {step[0]:.0f} pasted, {step[1]:.0f} cloned")
assert step[1] < step[0] / 4
draw("a-clone.ppm", pasted, cloned)
