/**
 * kill -9 at any moment, of the service, of its database, of both: what was acknowledged is there
 * afterwards, nothing is paid twice, every waiting job goes on, and the books are right.
 * KILL_SEED=<number> repeats the choices of a run, though not its exact moments.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@headroom/sdk'
import { afterEach, expect, test } from 'vitest'
import { kill9, onLinux, postmasterOf, processesOf } from '../embedded/support/index.ts'
import { until } from '../support/house.ts'
import {
  dataFolder,
  freePort,
  headroom,
  isReady,
  type Service,
  startService,
} from '../support/service.ts'
import {
  expectAcknowledged,
  expectBankAgrees,
  expectPaidOnce,
  looking,
  untilIdle,
} from './books.ts'
import { type Clients, clientsOf, type Journal, newJournal } from './clients.ts'
import { randomFrom } from './random.ts'

const KILLS = 20
/** What is killed, in turn, so that each is met several times. */
const VICTIMS = ['service', 'service', 'database', 'service', 'all'] as const
type Victim = (typeof VICTIMS)[number]

const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const random = randomFrom(seed)
const { folder, remove } = dataFolder()
let service: Service | undefined

afterEach(async () => {
  const { exitCode, signalCode } = service?.child ?? {}
  if (exitCode === null && signalCode === null) await service!.stop()
  await remove()
})

/** Kills one of them, and returns once the service is ready again. */
async function killAndReturn(victim: Victim, port: number): Promise<void> {
  if (victim === 'database') {
    kill9([postmasterOf(folder)])
    // The service itself lives on, and finds its database again.
    await until(() => isReady(service!.base_url), 20_000)
    return
  }
  const { server, supervisor } = processesOf(folder)
  if (victim === 'all') kill9([...supervisor, ...server])
  await service!.kill()
  service = await startService(folder, port)
}

/** Everything that must hold after a kill. */
async function expectNothingLost(clients: Clients, journal: Journal): Promise<void> {
  await clients.settle()
  await looking(folder, async ({ rows, verify }) => {
    await expectAcknowledged(rows, journal)
    await untilIdle(rows)
    await expectPaidOnce(rows)
    expect((await verify()).findings).toEqual([])
  })
}

test.skipIf(!onLinux)(
  `${KILLS} kills lose nothing acknowledged and pay nothing twice`,
  async () => {
    const port = await freePort()
    service = await startService(folder, port)
    const caller = { base_url: service.base_url, key: service.credentials.partner_key }
    const journal = newJournal()
    const clients = clientsOf(caller, random, journal)
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = VICTIMS[kill % VICTIMS.length]!
      try {
        const running = clients.run()
        // The moment of the kill is the test's subject, no wait for something to happen.
        await sleep(random.int(50, 900))
        const back = killAndReturn(victim, port)
        await running.stop()
        await back
        await expectNothingLost(clients, journal)
      } catch (error) {
        const said = service.said().slice(-4000)
        throw new Error(`KILL_SEED=${seed}, kill ${kill + 1} (${victim}); serve said: ${said}`, {
          cause: error,
        })
      }
    }
    expect(journal.loans.length).toBeGreaterThan(KILLS / 2)
    expect(journal.transfers.length).toBeGreaterThan(0)
    await createClient(caller).advanceSandboxClock({ days: 2 })
    await looking(folder, async ({ rows }) => {
      await expectBankAgrees(rows)
      const [paid] = await rows(
        "select count(*)::int as n from loan_movements where kind = 'PAYOUT'",
      )
      expect(paid!.n).toBeGreaterThan(KILLS / 2)
    })
    expect(await service.stop()).toBe(0)
    const verified = await headroom(['verify'], { HEADROOM_DATA: folder })
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('are right') })
  },
  400_000,
)
