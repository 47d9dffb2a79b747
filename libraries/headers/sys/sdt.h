// Probes for debuggers are inline assembly. With this header in the place of the real one libstdc++ is
// compiled without them.
#define STAP_PROBE2(provider, name, first, second)
#define STAP_PROBE3(provider, name, first, second, third)
