/**
 * Chaos test: a real service with concurrent clients, where kill -9 hits the service, its database
 * or both at random times. Acknowledged writes must survive, nothing is paid twice, pending jobs
 * continue and the books balance. The seed reproduces the choices, not the timing.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@headroom/sdk'
import { kill9, postmasterOf, processesOf } from '../../server/test/embedded/support/index.ts'
import {
  type DataFolder,
  dataFolder,
  freePort,
  headroom,
  isReady,
  type Service,
  startService,
} from '../../server/test/support/service.ts'
import { until } from '../../server/test/support/until.ts'
import { randomFrom } from '../random.ts'
import {
  expectAcknowledged,
  expectBankAgrees,
  expectPaidOnce,
  untilIdle,
  withDatabase,
} from './books.ts'
import { type Clients, clientsOf, type Journal, newJournal } from './clients.ts'

const TARGETS = ['service', 'service', 'database', 'service', 'all'] as const
type Target = (typeof TARGETS)[number]

const RESTART_MS = 20_000
const DAY_MS = 86_400_000

export interface ChaosResult {
  readonly kills: number
  readonly days: number
  readonly loans: number
  readonly transfers: number
  readonly payouts: number
}

interface ChaosTarget {
  readonly folder: string
  readonly port: number
  service: Service
}

/**
 * Runs until the number of kills and sandbox days is reached. Throws with the service's latest
 * output if a check fails.
 */
export async function runChaos(input: {
  readonly seed: number
  readonly kills: number
  readonly days: number
  /** The service's data folder; by default a new, empty one. */
  readonly data?: DataFolder
}): Promise<ChaosResult> {
  const random = randomFrom(input.seed)
  const { folder, remove } = input.data ?? dataFolder()
  const port = await freePort()
  const chaosTarget: ChaosTarget = { folder, port, service: await startService(folder, port) }
  const { base_url, credentials } = chaosTarget.service
  const caller = { base_url, key: credentials.partner_key }
  const journal = newJournal()
  const clients = clientsOf(caller, random, journal)
  const began = Date.now()
  const days = () =>
    Math.floor((Date.parse(journal.now || new Date().toISOString()) - began) / DAY_MS)
  let kills = 0
  try {
    for (; kills < input.kills || days() < input.days; kills++) {
      const running = clients.run()
      // The random delay is the point of the test; it does not wait for anything.
      await sleep(random.int(50, 900))
      const back = killAndRestart(chaosTarget, TARGETS[kills % TARGETS.length]!)
      await running.stop()
      await back
      await expectNothingLost(folder, clients, journal)
    }
    const payouts = await endInOrder(chaosTarget, caller)
    const { loans, transfers } = journal
    return { kills, days: days(), loans: loans.length, transfers: transfers.length, payouts }
  } catch (error) {
    const output = chaosTarget.service.output().slice(-4000)
    throw new Error(`seed ${input.seed}, kill ${kills + 1}; serve said: ${output}`, {
      cause: error,
    })
  } finally {
    const { exitCode, signalCode } = chaosTarget.service.child
    if (exitCode === null && signalCode === null) await chaosTarget.service.stop()
    await remove()
  }
}

async function killAndRestart(chaosTarget: ChaosTarget, target: Target): Promise<void> {
  const { folder, port, service } = chaosTarget
  if (target === 'database') {
    kill9([postmasterOf(folder)])
    // The service survives and reconnects to its database.
    await until(() => isReady(service.base_url), RESTART_MS)
    return
  }
  const { server, supervisor } = processesOf(folder)
  if (target === 'all') kill9([...supervisor, ...server])
  await service.kill()
  chaosTarget.service = await startService(folder, port)
}

async function expectNothingLost(
  folder: string,
  clients: Clients,
  journal: Journal,
): Promise<void> {
  await clients.settle()
  await withDatabase(folder, async ({ rows, verify }) => {
    await expectAcknowledged(rows, journal)
    await untilIdle(rows)
    await expectPaidOnce(rows)
    assert.deepEqual((await verify()).findings, [])
  })
}

/** Runs two quiet days, shuts down and verifies the books. Returns the number of booked payouts. */
async function endInOrder(
  { folder, service }: ChaosTarget,
  caller: { base_url: string; key: string },
): Promise<number> {
  await createClient(caller).advanceSandboxClock({ days: 2 })
  let payouts = 0
  await withDatabase(folder, async ({ rows }) => {
    await expectBankAgrees(rows)
    const paid = await rows("select count(*)::int as n from loan_movements where kind = 'PAYOUT'")
    payouts = paid[0]!.n as number
  })
  assert.equal(await service.stop(), 0, 'the service ends in order')
  const verified = await headroom(['verify'], { HEADROOM_DATA: folder })
  assert.match(verified.stdout, /are right/)
  assert.equal(verified.code, 0)
  return payouts
}
