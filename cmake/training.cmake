# Training: the runtime is built, run on program.cpp of training/, which counts how often each way through it is
# taken, and built again for that. Sets THRUM_TRAINED_OPTIONS, and makes the target thrum_training, behind which
# the compiler can take them.

if(NOT THRUM_TRAIN)
  return()
endif()

set(training ${PROJECT_BINARY_DIR}/training)
set(profile ${training}/profile)
# Without counts of values: what is then made of copies made the runtime a sixth slower.
thrum_runtime_library(thrum_untrained ${training}/${THRUM_LIB_DIR}
  -g0 -fprofile-generate=${profile} -fprofile-update=single -fno-profile-values)
target_link_libraries(thrum_untrained PRIVATE gcov)
target_link_options(thrum_untrained PRIVATE -Wl,-u,__gcov_dump)  # which workers call where it is there

set(script ${PROJECT_SOURCE_DIR}/cmake/training/run.cmake)
set(program ${PROJECT_SOURCE_DIR}/cmake/training/program.cpp)
add_custom_command(OUTPUT ${training}/trained VERBATIM
  COMMAND ${CMAKE_COMMAND} -D THRUM=$<TARGET_FILE:thrum> -D TRAINING=${training} -D PROGRAM=${program}
          -D FROM=thrum_untrained_objects.dir -D TO=thrum_runtime_objects.dir -P ${script}
  DEPENDS thrum thrum_untrained ${program} ${script}
  COMMENT "Training the runtime")
add_custom_target(thrum_training DEPENDS ${training}/trained)

# What was not run is optimised as if nothing were known; and so is what was only seen as part of its callers.
set(THRUM_TRAINED_OPTIONS -fprofile-use=${profile} -fprofile-partial-training -fprofile-correction
  -fno-profile-values -Wno-missing-profile)
