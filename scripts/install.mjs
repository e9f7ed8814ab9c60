/** Installs dependencies if they differ from the lockfile. Runs on any Node >= 20. */
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Installs below `root` if necessary; concurrent runs wait for each other. */
export async function installIfNeeded(root) {
  if (isInstalled(root)) return
  const unlock = await lock(join(root, 'node_modules.lock'))
  try {
    if (!isInstalled(root)) install(root)
  } finally {
    unlock()
  }
}

/**
 * Compares the lockfile with npm's record of a completed install. Optional packages for other
 * platforms may be missing.
 */
function isInstalled(root) {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const found = packagesOf(join(root, 'node_modules', '.package-lock.json'))
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '' || (optional && !found[path])) return true
    return found[path] !== undefined && found[path].version === version
  })
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return {}
  }
}

function install(root) {
  console.error('Installing dependencies from package-lock.json (once, about half a minute) ...')
  // Install scripts are not run: only the lockfile determines what is installed.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // Uses the npm that runs this script, because the one in PATH may be another version.
  const npm = process.env.npm_execpath
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: withHome() }
  const done = spawnSync(command, [...first, ...args, ...quiet], options)
  if (done.status === 0) return
  throw new Error(`npm ${args.join(' ')} failed: ${done.error?.message ?? `exit ${done.status}`}`)
}

/** npm's cache is in the home folder. Without a writable home, npm gets a temporary one. */
function withHome() {
  try {
    accessSync(process.env.HOME ?? homedir(), constants.W_OK)
    return process.env
  } catch {
    const home = join(tmpdir(), `headroom-npm-${process.pid}`)
    process.once('exit', () => rmSync(home, { recursive: true, force: true }))
    return { ...process.env, HOME: home, npm_config_cache: join(home, '.npm') }
  }
}

/** Locks with a file that holds the process id; the lock of a dead process is taken over. */
async function lock(file) {
  const own = `${file}.${process.pid}`
  writeFileSync(own, `${process.pid}`)
  try {
    for (let result = false; !linked(own, file); result = true) {
      if (!result) console.error('Waiting for another run that installs the dependencies ...')
      await sleep(200)
      takeOverStaleLock(file, own)
    }
  } finally {
    rmSync(own)
  }
  return () => rmSync(file, { force: true })
}

/** A link is atomic: it appears with its content, and fails if the file exists. */
function linked(own, file) {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function takeOverStaleLock(file, own) {
  const taken = `${own}.taken`
  try {
    if (isAlive(Number(readFileSync(file, 'utf8')))) return
    renameSync(file, taken)
    // Another run may have taken over the lock since this run read it; if so, give it back.
    if (isAlive(Number(readFileSync(taken, 'utf8')))) linked(taken, file)
    rmSync(taken)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
