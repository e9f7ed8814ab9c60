/**
 * Where a test run keeps its databases and data folders: in memory where there is plenty, because
 * a database copied for a test costs more files than rows. Removed with the run.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './install.mjs'

/** Linux keeps this folder in memory. */
const IN_MEMORY = '/dev/shm'
const NAME = /^headroom-tests-(\d+)-/
/** A run writes at most 2 GB; the tests' processes want as much again. */
const BYTES_MIN = 8 * 2 ** 30
/** As `/tmp` has it: tests also run programs as other users, in folders of their own. */
const EVERYBODY = 0o1777

/** Makes the folder. A run that was killed left its own, which goes now. */
export function makeTestFolder(): string {
  const parent = hasRoomInMemory() ? IN_MEMORY : tmpdir()
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) remove(join(parent, name))
  }
  const folder = mkdtempSync(join(parent, `headroom-tests-${process.pid}-`))
  chmodSync(folder, EVERYBODY)
  return folder
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(IN_MEMORY)) return false
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return bavail * bsize >= BYTES_MIN && freemem() >= BYTES_MIN
}
