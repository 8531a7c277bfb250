# Read by CMake at the beginning of llama.cpp's build. Its helpers for command-line programs (`common`) take
# a third of the time and the engine has no use for them, but llama-cpp-2 builds llama-cpp-sys-2 with its
# default features, of which they are one.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
