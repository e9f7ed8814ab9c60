/**
 * The entry point of every npm script, on any Node >= 20: installs what is missing, finds Node 24
 * and runs the script with it. Use: node scripts/run.mjs <script> [args]
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from './install.mjs'
import { SERVER_FLAGS } from './server-flags.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const scripts = {
  start: [...SERVER_FLAGS, 'server/src/main.ts', 'serve'],
  headroom: [...SERVER_FLAGS, 'server/src/main.ts'],
  demo: ['scripts/demo.ts'],
  bench: ['bench/main.ts'],
  simulate: ['simulator/main.ts'],
  test: ['scripts/test.ts'],
  lint: ['scripts/lint.ts'],
  generate: ['scripts/generate.ts'],
}

try {
  const [name, ...args] = process.argv.slice(2)
  if (!scripts[name]) throw new Error(`Use: npm run <${Object.keys(scripts).join(' | ')}>`)
  await installIfNeeded(root)
  // The server does not wait for this build, and serves the console once it is done.
  if (name === 'start' || (name === 'headroom' && args[0] === 'serve')) buildConsole()
  const words = scripts[name].map(word => (word.includes('/') ? join(root, word) : word))
  goOn(node24(), [...words, ...args])
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function node24() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const installed = join(root, `node_modules/node-linux-${process.arch}/bin/node`)
  if (process.platform === 'linux' && existsSync(installed)) return installed
  throw new Error(
    `Headroom runs on Node 24, and this is ${process.version}. For ${process.platform} ` +
      `${process.arch} none is brought along: install Node 24 (nodejs.org) and run this again.`,
  )
}

function buildConsole() {
  const child = spawn(node24(), [join(root, 'scripts/build-console.ts')], { stdio: 'inherit' })
  child.on('error', error => console.error(`The console was not built: ${error.message}`))
}

/** Runs the program as a child in place of this process: passes on signals and the exit code. */
function goOn(node, args) {
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
    // Caches compiled code, for faster starts.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node'),
  }
  const child = spawn(node, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // The terminal has already sent Ctrl-C to the child.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', error => {
    console.error(`${node} does not run: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
