# CMake toolchain: zig's clang, which the package `ziglang` brings. A compiler where there is none, and for other systems:
#   cmake -S . -B build/zig -DCMAKE_TOOLCHAIN_FILE=engine/zig.cmake [-DZIG_TARGET=x86_64-windows-gnu]
# python is the one on PATH that has ziglang; -DPYTHON=... names another.
set(ZIG_TARGET "" CACHE STRING "the system to build for, as zig names it; empty for this one")
find_program(PYTHON NAMES python3 python REQUIRED)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG_TARGET PYTHON)

if(ZIG_TARGET)
  string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${ZIG_TARGET}")
  if(ZIG_TARGET MATCHES "windows")
    set(CMAKE_SYSTEM_NAME Windows)
  elseif(ZIG_TARGET MATCHES "macos")
    set(CMAKE_SYSTEM_NAME Darwin)
  else()
    set(CMAKE_SYSTEM_NAME Linux)
  endif()
  set(target " -target ${ZIG_TARGET}")
endif()

set(CMAKE_C_COMPILER "${PYTHON}")
set(CMAKE_C_COMPILER_ARG1 "-m ziglang cc${target}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")   # zig adds debug information unasked
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=all -Wno-bitwise-conditional-parentheses")
