"""A wheel with a library of one machine in it, for any Python: pyproject.toml has the rest."""
from setuptools import Distribution, setup


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=Binary)
