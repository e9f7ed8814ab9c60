/** Small disks that tests can fill. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

const SIZE = '200m'
export const MEGABYTE = 1 << 20

const mounted: string[] = []

/** Unmounts all small disks, even those that programs still use. */
export function unmount(): void {
  for (const folder of mounted.splice(0)) spawnSync('umount', ['-l', folder])
}

/** Mounts a small disk; returns its folder, or undefined if this process may not mount one. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder])
  if (status !== 0) return undefined
  mounted.push(folder)
  return folder
}

/** Mounts a small disk. If that is impossible, skips the test; in CI as root, throws instead. */
export function requireSmallDisk(skip: (note: string) => never): string {
  const disk = smallDisk()
  if (disk) return disk
  const missing = 'a small disk cannot be mounted here: that needs root on Linux'
  if (process.env.CI === 'true' && process.getuid?.() === 0) throw new Error(missing)
  return skip(missing)
}

/** Fills the disk with a file at `path`, and leaves about `leave_bytes` free. */
export function fill(path: string, leave_bytes: number): void {
  const spare = `${path}.spare`
  const write = (file: string, step: number, most = Number.POSITIVE_INFINITY) => {
    const opened = openSync(file, 'a')
    try {
      for (let size = 0; size < most; size += step) writeSync(opened, Buffer.alloc(step))
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' })
    } finally {
      closeSync(opened)
    }
  }
  if (leave_bytes > 0) write(spare, MEGABYTE, leave_bytes)
  write(path, MEGABYTE)
  write(path, 4096)
  rmSync(spare, { force: true })
}
