/**
 * How Node runs the service. Left to itself V8 gives what is young up to 100 MB on a large machine
 * and fills it before it collects, and lets the old grow alike: the memory is the database's.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=60']
