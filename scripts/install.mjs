/** Installs dependencies when what is installed is not what the lockfile says. Any Node >= 20. */
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

/** Installs below `root` if need be; runs at the same time wait for one another. */
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
 * Compares the lockfile with npm's own record of what it installed, which it writes when it is
 * done. Optional packages of other platforms are not there, and need not be.
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
  // Scripts are not needed, and not run: the lockfile says what is installed, nothing else does.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // npm's own program when npm runs us: the npm of the PATH may be another one.
  const npm = process.env.npm_execpath
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: withHome() }
  const done = spawnSync(command, [...first, ...args, ...quiet], options)
  if (done.status === 0) return
  throw new Error(`npm ${args.join(' ')} failed: ${done.error?.message ?? `exit ${done.status}`}`)
}

/** npm keeps a cache at home. Where there is none to write to, it gets one for the time being. */
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

/** One process at a time, by a file with its number; a dead process's lock is taken over. */
async function lock(file) {
  const own = `${file}.${process.pid}`
  writeFileSync(own, `${process.pid}`)
  try {
    for (let told = false; !linked(own, file); told = true) {
      if (!told) console.error('Waiting for another run that installs the dependencies ...')
      await sleep(200)
      takeFromTheDead(file, own)
    }
  } finally {
    rmSync(own)
  }
  return () => rmSync(file, { force: true })
}

// A link appears with its content, and only where there is none yet.
function linked(own, file) {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function takeFromTheDead(file, own) {
  const taken = `${own}.taken`
  try {
    if (isAlive(Number(readFileSync(file, 'utf8')))) return
    renameSync(file, taken)
    // Another may have taken the dead one's lock, and locked, since we looked.
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
