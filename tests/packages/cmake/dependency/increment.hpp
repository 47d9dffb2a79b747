int increment();
