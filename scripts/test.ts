/**
 * Runs the whole suite: types, lint and tests. The last line is `N passed, N failed`, plus `, N
 * skipped` if any. Arguments go to vitest; types and lint are then left out.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runChecks } from './checks.ts'
import { makeTestFolder, remove } from './test-folder.ts'

type Report = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

const args = process.argv.slice(2)
// Runs in parallel with the tests, which leave some CPU idle.
const checks = args.length > 0 ? 0 : runChecks()
const folder = makeTestFolder()
const file = join(folder, 'report.json')
const code = await vitest(['--reporter=default', '--reporter=json', `--outputFile.json=${file}`])
const { passed, failed, skipped } = count(file)
remove(folder)

const failedChecks = await checks
// An error outside any test, such as an unhandled rejection, also fails the run.
const failures = failedChecks + (failed === 0 && code !== 0 ? 1 : failed)
process.exitCode = failures === 0 ? 0 : 1
console.log(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)

function vitest(reporters: string[]): Promise<number | null> {
  const script = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [script, 'run', ...reporters, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise(resolve => child.once('exit', resolve))
}

/** Counts tests. A file that failed without a failed test, such as at import, counts as one. */
function count(report: string): { passed: number; failed: number; skipped: number } {
  let found: Report
  try {
    found = JSON.parse(readFileSync(report, 'utf8')) as Report
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const notLoaded = found.testResults.filter(
    file => file.status === 'failed' && !file.assertionResults.some(t => t.status === 'failed'),
  )
  return {
    passed: found.numPassedTests,
    failed: found.numFailedTests + notLoaded.length,
    skipped: found.numPendingTests + found.numTodoTests,
  }
}
