# SPDX-License-Identifier: Apache-2.0
"""gpuprim for Python: parallel reductions, filters and classes of numpy arrays over OpenCL.

    import gpuprim, numpy
    x = numpy.random.rand(1000, 1000).astype("f4")
    gpuprim.sum(x, axis=0)
    gpuprim.convolve1d(x, [1, 2, 1], axis=1, mode="nearest")
    gpuprim.histogram(x, 100, (0, 1))

Functions with names of numpy and scipy.ndimage mean the same as there. Filter and Classifier have
everything else that the library does. Arrays are numpy's, of any strides, and copied only where rows do
not lie at equal distances; tensors behind DLPack; or pyopencl.array.Array, whose calls are enqueued in
the array's queue and whose results are such arrays. Functions on host arrays use the device of
gpuprim.using(context), or the first one.
"""
from ._arrays import from_dlpack
from ._classify import Classifier, bincount, digitize, histogram, searchsorted
from ._context import Context, current, devices, using
from ._convolve import Filter, convolve1d, correlate1d
from ._library import LIBRARY, Error, NoDevice
from ._reduce import (OPERATIONS, Statistics, all, any, argmax, argmin, count_nonzero,  # noqa: A004
                      max, mean, min, minmax, nanmean, nanstd, nansum, nanvar, prod, reduce, statistics,
                      std, sum, var)

__version__: str = LIBRARY.gpuprim_version().decode()
__all__ = ["Classifier", "Context", "Error", "Filter", "NoDevice", "OPERATIONS", "Statistics", "all",
           "any", "argmax", "argmin", "bincount", "convolve1d", "correlate1d", "count_nonzero", "current",
           "devices", "digitize", "from_dlpack", "histogram", "max", "mean", "min", "minmax", "nanmean",
           "nanstd", "nansum", "nanvar", "prod", "reduce", "searchsorted", "statistics", "std", "sum",
           "using", "var"]
