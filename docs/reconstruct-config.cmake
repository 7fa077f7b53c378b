# find_package(reconstruct) has the targets reconstruct::reconstruct and, the archive,
# reconstruct::static. The file is below the folder that it is about, wherever that is.
if(NOT TARGET reconstruct::reconstruct)
    get_filename_component(_reconstruct_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
    get_filename_component(_reconstruct_include "@INCLUDE@" ABSOLUTE BASE_DIR "${_reconstruct_lib}")
    add_library(reconstruct::reconstruct SHARED IMPORTED)
    set_target_properties(reconstruct::reconstruct PROPERTIES
        IMPORTED_LOCATION "${_reconstruct_lib}/libreconstruct.so.0"
        IMPORTED_SONAME libreconstruct.so.0
        INTERFACE_INCLUDE_DIRECTORIES "${_reconstruct_include}")
    add_library(reconstruct::static STATIC IMPORTED)
    set_target_properties(reconstruct::static PROPERTIES
        IMPORTED_LOCATION "${_reconstruct_lib}/libreconstruct.a"
        INTERFACE_LINK_LIBRARIES "@LIBS@"
        INTERFACE_INCLUDE_DIRECTORIES "${_reconstruct_include}")
endif()
