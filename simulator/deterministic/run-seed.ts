/** A process that lives a life: it is sent a plan and answers what became of it. */
import './nature.ts'
import pg from 'pg'
import { type Life, live, type Plan } from './live.ts'

export interface Order extends Plan {
  readonly server: { host: string; port: number; user: string; password: string }
  readonly template: string
}

export type Report =
  | { readonly seed: number; readonly life: Life }
  | { readonly seed: number; readonly violation: string }

process.on('message', async ({ server, template, ...plan }: Order) => {
  const { seed } = plan
  const database = `life_${seed}_${process.pid}`
  const admin = new pg.Client({ ...server, database: 'headroom' })
  await admin.connect()
  await admin.query(`create database ${database} template ${template}`)
  let report: Report
  try {
    report = { seed, life: await live({ ...server, database }, plan) }
  } catch (error) {
    report = { seed, violation: (error as Error).message }
  }
  await admin.query(`drop database ${database}`)
  await admin.end()
  process.send?.(report)
})
