/** A truly full disk: the data folder is a tmpfs, and a file fills it. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@headroom/sdk'
import { afterAll, expect, test } from 'vitest'
import { allGone, kill9, processesOf } from '../embedded/support/index.ts'
import { freePort, headroom, isReady, startService } from '../support/service.ts'
import { fill, MEGABYTE, requireSmallDisk, unmount } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const AGAIN_MS = 60_000
const STORAGE_FULL = 'storage_full'

afterAll(unmount)

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
    const disk = requireSmallDisk(skip)
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

    // PostgreSQL cannot start again either.
    const { server } = processesOf(folder)
    kill9(server)
    await until(
      async () => (await (await fetch(`${base_url}/readyz`)).json()).code === STORAGE_FULL,
    )
    expect(await outcomes(client, 3)).toEqual(new Map([[`503 ${STORAGE_FULL} 30`, 3]]))

    rmSync(ballast)
    await until(() => isReady(base_url), AGAIN_MS)
    expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])
    expect(await service.stop()).toBe(0)
    await allGone(folder)
    expect(await headroom(['verify'], { HEADROOM_DATA: folder })).toMatchObject({ code: 0 })
    await allGone(folder)
  }, 240_000)
}
