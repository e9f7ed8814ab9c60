/** How the tests run: one file after the other in a few processes, against a real database. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Of these one alone may take longer than all others that are left: they begin first. */
const LONG = /\/(crash|simulator|demo|pages-at-scale)[/.]/

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ['**/test/**/*.test.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    setupFiles: ['server/test/support/each-file.ts'],
    pool: 'forks',
    // What a process has loaded and compiled serves the files after it.
    isolate: false,
    // Tests wait for databases and processes more than they compute.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongOnesFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
