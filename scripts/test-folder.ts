/**
 * The folder for the databases and data of a test run, which is removed afterwards. It is in memory
 * if there is room, because copying a database per test creates many files.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './install.mjs'

/** A tmpfs on Linux. */
const IN_MEMORY = '/dev/shm'
const NAME = /^headroom-tests-(\d+)-/
/** A run writes up to 2 GB and its processes use about as much memory; the rest is margin. */
const BYTES_MIN = 8 * 2 ** 30
/**
 * The mode of `/tmp`, because tests also run programs as other users, with folders of their own.
 */
const WORLD_WRITABLE = 0o1777

/** Creates the folder and removes those of killed runs. */
export function makeTestFolder(): string {
  const parent = hasRoomInMemory() ? IN_MEMORY : tmpdir()
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) removeLeftover(join(parent, name))
  }
  const folder = mkdtempSync(join(parent, `headroom-tests-${process.pid}-`))
  chmodSync(folder, WORLD_WRITABLE)
  return folder
}

/**
 * Removes what a killed run left. Ignores errors, because another run may remove the same folder at
 * the same time.
 */
function removeLeftover(folder: string): void {
  try {
    remove(folder)
  } catch {
    // The next run removes what is left.
  }
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(IN_MEMORY)) return false
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return bavail * bsize >= BYTES_MIN && freemem() >= BYTES_MIN
}
