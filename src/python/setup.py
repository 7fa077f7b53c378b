"""A wheel with a library of one machine in it, for any Python: pyproject.toml has the rest."""
import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Build(build_py):
    """Among the sources the library is made first, by make and a C compiler, under the module's licence."""

    def run(self):
        library = "build/libreconstruct.so.0"
        if os.path.exists("Makefile"):
            subprocess.run(["make", f"-j{os.cpu_count()}", "CUDA=0", "FFT=0", library], check=True)
            shutil.copy(library, self.get_package_dir("reconstruct"))
        super().run()


setup(distclass=Binary, cmdclass={"build_py": Build})
