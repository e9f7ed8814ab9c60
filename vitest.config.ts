/** How the tests run: one file after the other in a few processes, against a real database. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take more than half a minute, longest first, so that none of them starts late and
 * prolongs the run. Files that mostly wait are spread among them, because together they would leave
 * the cores idle.
 */
const LONG = [
  'flows/together',
  'console/test/actions',
  'connections/silent-workers',
  'simulator/test/simulator',
  'console/test/pages-at-scale',
  'connections/silent-midway',
  'crash/kill',
  'invoices/reading-process',
  'exhaustive/filters',
  'crash/business-days',
  'test/postgres15',
  'console/test/pages',
  'console/test/work',
  'test/demo',
  'stripe/any-order',
  'races/pauses-collecting',
  'connections/fresh-start',
  'commands/commands',
  'commands/archive',
  'console/test/keyboard',
  'embedded/repair',
  'exhaustive/fuzz',
  'countries/new-country',
  'exhaustive/lists-at-scale',
  'exhaustive/runs-at-scale',
].map(name => `/${name}.test.ts`)

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex(name => moduleId.endsWith(name))
      return place < 0 ? LONG.length : place
    }
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/**
 * By default, all stories run together in `server/test/flows/together.test.ts`. A story that the
 * command line names runs alone.
 */
const STORIES = process.argv.some(word => word.includes('.story')) ? ['**/test/**/*.story.ts'] : []

export default defineConfig({
  test: {
    include: ['**/test/**/*.test.ts', ...STORIES],
    globalSetup: ['server/test/support/global-setup.ts'],
    setupFiles: ['server/test/support/each-file.ts'],
    pool: 'forks',
    // Node runs the code as it does in production. Vite would wrap each module and each import.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Later files in a process reuse the modules it has loaded and compiled.
    isolate: false,
    // Tests wait for databases and processes about a quarter of their time, so one worker more than
    // there are cores keeps all cores busy.
    maxWorkers: availableParallelism() + 1,
    // Tests that run concurrently within a file mostly wait.
    maxConcurrency: 16,
    // Otherwise each test that starts forgets the calls that concurrent tests have recorded.
    clearMocks: false,
    sequence: { sequencer: LongOnesFirst },
    // Tests run most of their code only a few times, so compiling it at once without optimization
    // costs less than interpreting and later optimizing it. A large young generation makes garbage
    // collections rare, and other processes use the cores that parallel collection would take.
    execArgv: [
      '--always-sparkplug',
      '--no-flush-bytecode',
      '--max-semi-space-size=64',
      '--single-threaded-gc',
    ],
    // A limit for tests that hang, high enough for slow tests on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
