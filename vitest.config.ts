/** How the tests run: every file in a process of its own, against a real database. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/test/**/*.test.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    pool: 'forks',
    // Tests wait for databases and processes more than they compute.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
