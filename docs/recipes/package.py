# Spack: copy to packages/reconstruct/package.py of a repository of your own, and set URL and
# checksum to those of the tarball that `make dist` made.
from spack.package import MakefilePackage, depends_on, variant, version


class Reconstruct(MakefilePackage):
    """Pictures from their edges: stencil, spectral and multigrid solvers on processors and GPUs."""

    url = "file:///path/to/dist/reconstruct-@VERSION@.tar.gz"
    license("MIT")

    version("@VERSION@", sha256="0" * 64)
    variant("cuda", default=False, description="the GPU's solvers")
    variant("mpi", default=False, description="reconstruct-mpi: one image over several nodes")
    variant("fftw", default=True, description="exact pictures by FFT (GPL as a whole)")
    variant("window", default=False, description="the live window")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("netpbm")
    depends_on("libpng")
    depends_on("libjpeg-turbo")
    depends_on("libtiff")
    depends_on("fftw@3", when="+fftw")
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("sdl2", when="+window")

    @property
    def build_targets(self):
        switches = {"CUDA": "cuda", "MPI": "mpi", "FFT": "fftw", "SDL": "window"}
        return [f"{name}={int(f'+{variant}' in self.spec)}" for name, variant in switches.items()]

    def install(self, spec, prefix):
        make("install", f"PREFIX={prefix}", *self.build_targets)
