/**
 * kill -9 at any time, of the service, its database or both. KILL_SEED=<number> repeats the choices
 * of a run, though not its exact timing.
 */
import { expect, test } from 'vitest'
import { runChaos } from '../../../simulator/chaos/run-chaos.ts'
import { onLinux } from '../embedded/support/index.ts'
import { seededFolder } from '../support/seeded-folder.ts'

const KILLS = 20
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))

test.skipIf(!onLinux)(
  `${KILLS} kills lose nothing acknowledged and pay nothing twice`,
  async () => {
    const survived = await runChaos({ seed, kills: KILLS, days: 0, data: await seededFolder() })
    expect(survived.loans).toBeGreaterThan(KILLS / 2)
    expect(survived.payouts).toBeGreaterThan(KILLS / 2)
    expect(survived.transfers).toBeGreaterThan(0)
  },
  900_000,
)
