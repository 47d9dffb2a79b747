// Stands before the compiler's header where libstdc++'s random_device is compiled for the machine: with these
// two names gone, it asks the C library (arc4random, getentropy), not the processor.
#undef _GLIBCXX_X86_RDRAND
#undef _GLIBCXX_X86_RDSEED
