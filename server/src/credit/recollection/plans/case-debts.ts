/** Reads what a case's debts amount to today, computed as in its plans. */
import type { CaseDebts } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../../platform/kit/dates.ts'
import { maxAmount, toWire } from '../../../platform/kit/money.ts'
import { owedAfter } from './compute.ts'
import { type DebtIds, readDebts } from './debts.ts'

interface Thing {
  type: 'LOAN' | 'BILL'
  id: string
  status: string
  due_on: Day
}

/** Loans by due date, then bills; settled debts appear with 0. */
export async function caseDebts(tx: Tx, case_id: string, about: DebtIds): Promise<CaseDebts> {
  const debts = await readDebts(tx, about)
  const owed = new Map(debts.map(debt => [debt.id, owedAfter(debt, [], tx.today)]))
  const owes = (id: string) => {
    const cents = owed.get(id) ?? 0n
    return maxAmount(cents, 0n)
  }
  const things = await readThings(tx, about)
  return {
    recollection_case_id: case_id,
    on: wireDay(tx.today),
    currency: 'EUR',
    total: toWire(things.reduce((sum, { id }) => sum + owes(id), 0n)),
    debts: things.map(({ type, id, status, due_on }) => ({
      type,
      id,
      status,
      due_at: wireDay(due_on),
      owed: toWire(owes(id)),
    })),
  }
}

async function readThings(tx: Tx, { loan_ids, bill_ids }: DebtIds): Promise<Thing[]> {
  return tx.all(sql<Thing>`
    select 'LOAN' as type, id, status, falls_due_on as due_on from loans
      where id = any(${loan_ids}::uuid[])
    union all
    select 'BILL', id, status, due_on from bills where id = any(${bill_ids}::uuid[])
    order by type desc, due_on, id`)
}
