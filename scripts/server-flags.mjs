/**
 * Node flags of the service. By default V8 lets the young generation grow to 100 MB on a large
 * machine, and the old one as freely; that memory should go to the database.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=60']
