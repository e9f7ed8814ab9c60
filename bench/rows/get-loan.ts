/**
 * Measures `GET /loan/{id}` on two services that start with the same loan, of which one has run
 * through 700 days. Both are queried in turn.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { businessOf } from '../../server/src/sandbox/generators.ts'
import type { LoadPlan, LoadResult } from '../load.ts'
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { runLoad } from '../run-load.ts'
import { dataFolder, type Service, startService } from '../service.ts'

const DAYS = 700
const STEP_DAYS = 35
const PATIENCE_MS = 60_000

export async function measureGetLoan(
  options: Options,
  say: (line: string) => void,
): Promise<Row[]> {
  const folders = [dataFolder(), dataFolder()] as const
  const services: Service[] = []
  try {
    for (const { path } of folders) services.push(await startService(path, 'serve'))
    const [young, old] = services as [Service, Service]
    const plans = [planOf(young, await lend(young)), planOf(old, await lend(old))] as const
    say(`${DAYS} days pass`)
    const facts = await live(old, plans[1].loan_id)
    return [await compare(options, plans, facts)]
  } finally {
    for (const service of services) await service.stop()
    for (const folder of folders) folder.remove()
  }
}

type GetPlan = LoadPlan & { readonly loan_id: string }

function planOf({ port, key }: Service, loan_id: string): GetPlan {
  const work = { kind: 'get', path: `/loan/${loan_id}` } as const
  return { port, key, connections: 1, seconds: 2, rate: null, work, loan_id }
}

async function lend({ client }: Service): Promise<string> {
  const business = businessOf('FRA', 1, 1)
  const { account_number, ...rest } = business
  const borrower = await client.createBorrower({ ...rest, bank_identifier: null })
  const borrower_id = borrower.id!
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const today = (await client.getSandboxClock()).business_date.slice(0, 10)
  const repay = new Date(Date.parse(today) + 30 * 86_400_000).toISOString().slice(0, 10)
  const { id } = await client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 1_000_000,
    borrower: { identifier: business.identifier },
    loan_to: { account_number },
    to_pay_at: today,
    to_repay_at: repay,
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  // After the cut-off or on a bank holiday, the payout leaves on the next banking day.
  await client.advanceSandboxClock({ days: 5 })
  await waitUntilOwed(client, id)
  return id
}

async function waitUntilOwed(client: Service['client'], loan_id: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const { status } = await client.getLoan({ loan_id })
    if (status === 'TO_REPAY') return
    if (Date.now() > deadline) throw new Error(`the loan is ${status}, and not paid out in time`)
    await sleep(50)
  }
}

/** Repays a part at every step; the rest is overdue, and its interest is billed each month. */
async function live({ client }: Service, loan_id: string) {
  const loan = await client.getLoan({ loan_id })
  for (let day = 0; day < DAYS; day += STEP_DAYS) {
    await client.createSandboxIncomingTransfer({
      to_iban: loan.repayment_to.account_number,
      amount: 10_000,
      from_iban: loan.loan_to.account_number,
      from_name: 'Payer',
      reference: loan.repayment_to_references[0]!,
      value_date: null,
    })
    await client.advanceSandboxClock({ days: STEP_DAYS })
  }
  const { data: payments } = await client.listPayments({ loan_id: [loan_id], page_size: 100 })
  const { data: bills } = await client.listBills({ page_size: 100 })
  return { payments: payments.length, bills: bills.length }
}

async function compare(
  { repetitions, seconds }: Options,
  [young, old]: readonly [GetPlan, GetPlan],
  history: { payments: number; bills: number },
): Promise<Row> {
  for (const plan of [young, old]) await runLoad(plan)
  const found: { young: LoadResult; old: LoadResult }[] = []
  for (let n = 0; n < repetitions; n++) {
    found.push({
      young: await runLoad({ ...young, seconds }),
      old: await runLoad({ ...old, seconds }),
    })
  }
  const ms = (side: 'young' | 'old') => median(found.map(pair => pair[side].p50_ms)).toFixed(2)
  const { payments, bills } = history
  return {
    work: `GET /loan/{id} after ${DAYS} days`,
    value: median(found.map(pair => pair.old.p50_ms / pair.young.p50_ms)),
    unit: '×',
    better: 'less',
    first_bar: 1.2,
    goal: 1.05,
    text: `${ms('old')} ms, when young ${ms('young')} ms; ${payments} payments, ${bills} bills`,
    details: { history, found },
  }
}
