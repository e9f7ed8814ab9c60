/** The process of one life: receives a plan and sends back a report. */
import './runtime.ts'
import pg from 'pg'
import { Violation } from '../scenario/world.ts'
import type { Server } from '../server.ts'
import { runSimulation, type SimulationPlan, type SimulationResult } from './run-simulation.ts'

export interface SeedOrder extends SimulationPlan {
  readonly server: Server
  readonly template: string
}

export type SeedReport =
  | { readonly seed: number; readonly life: SimulationResult }
  | {
      readonly seed: number
      /** The first broken rule; for an unexpected error, its message. */
      readonly rule: string
      /** The story so far, the violation, and how to reproduce it. */
      readonly violation: string
    }

process.on('message', async ({ server, template, ...plan }: SeedOrder) => {
  const { seed } = plan
  const database = `life_${seed}_${process.pid}`
  const admin = new pg.Client({ ...server, database: 'headroom' })
  await admin.connect()
  await admin.query(`create database ${database} template ${template}`)
  let report: SeedReport
  try {
    report = { seed, life: await runSimulation({ ...server, database }, plan) }
  } catch (error) {
    const { message: violation } = error as Error
    report = { seed, rule: error instanceof Violation ? error.rule : violation, violation }
  }
  // A life that ended with a fault may have left connections open.
  await admin.query(`drop database ${database} with (force)`)
  await admin.end()
  process.send?.(report)
})

// Exits even if a failed life has left timers or connections open.
process.on('disconnect', () => process.exit())
