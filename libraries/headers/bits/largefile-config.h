// libstdc++'s makefile writes this header, to say how files larger than 2 GB are to be had. With 64 bits they
// need nothing.
