/**
 * Node flags of the service. By default, V8 lets the heap grow freely on a large machine. These
 * flags leave that memory to the database.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=60']
