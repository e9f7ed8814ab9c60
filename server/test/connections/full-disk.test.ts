/** A truly full disk: the data folder is a tmpfs, and a file fills it. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@headroom/sdk'
import { afterAll, expect, test } from 'vitest'
import { allGone } from '../embedded/support/index.ts'
import { freePort, headroom, isReady, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const SIZE = '200m'
const MEGABYTE = 1 << 20
const AGAIN_MS = 60_000

const mounted: string[] = []
afterAll(() => {
  for (const folder of mounted) spawnSync('umount', [folder])
})

/** A folder on its own small disk; undefined if this process may not mount one. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder])
  if (status !== 0) return undefined
  mounted.push(folder)
  return folder
}

/** Fills the disk except for the given number of bytes. */
function fill(path: string, leave_bytes: number): void {
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

async function outcomes(client: Client, count: number): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const business = await client.generateSandboxBusiness({ is_borrower: true })
    const said = await client.createBorrower(business).then(
      () => 'created',
      error => `${error.status} ${error.code} ${error.headers?.get('retry-after')}`,
    )
    seen.set(said, (seen.get(said) ?? 0) + 1)
  }
  return seen
}

/** No space at all, or enough that the database's log runs out first. */
for (const [what, leave_bytes] of [
  ['tables', 0],
  ['the log of the database', 6 * MEGABYTE],
] as const) {
  test(`a disk too full for ${what} refuses writes with a 503 until there is space`, async ({
    skip,
  }) => {
    const disk = smallDisk()
    if (!disk) {
      const missing = 'a small disk cannot be mounted here: that needs root on Linux'
      if (process.env.CI === 'true' && process.getuid?.() === 0) throw new Error(missing)
      skip(missing)
      return
    }
    const folder = join(disk, 'data')
    mkdirSync(folder)
    const service = await startService(folder, await freePort(), { HEADROOM_LOG: 'fatal' })
    const { base_url, credentials } = service
    const client = createClient({ base_url, key: credentials.partner_key, attempts_max: 1 })
    expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])

    const ballast = join(disk, 'ballast')
    fill(ballast, leave_bytes)
    const refusal = /^503 (storage_full 30|not_ready 2)$/
    await until(async () => {
      const seen = [...(await outcomes(client, 20)).keys()]
      expect(seen.filter(said => said !== 'created' && !refusal.test(said))).toEqual([])
      return !seen.includes('created')
    }, AGAIN_MS)
    const unready = await fetch(`${base_url}/readyz`)
    expect(unready.status).toBe(503)
    expect(await unready.json()).toMatchObject({ code: expect.stringMatching(/storage_full|not_/) })

    rmSync(ballast)
    await until(() => isReady(base_url), AGAIN_MS)
    expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])
    expect(await service.stop()).toBe(0)
    await allGone(folder)
    expect(await headroom(['verify'], { HEADROOM_DATA: folder })).toMatchObject({ code: 0 })
    await allGone(folder)
  }, 240_000)
}
