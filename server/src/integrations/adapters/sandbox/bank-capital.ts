/** The capital of a sandbox: its bank receives it with the first payment that leaves. */
import { sql } from 'kysely'
import { isCapitalIban } from '../../../platform/db/own-accounts.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { compactIban } from '../../../platform/kit/iban.ts'
import { SANDBOX_CAPITAL, type Transfer } from '../../ports/bank.ts'
import { writeStatement } from './bank-statement.ts'

/** Whether a transfer comes from one of the lender's own accounts at other banks. */
export function isCapital(tx: Tx, { from_iban }: Transfer): boolean {
  return isCapitalIban(tx.settings, from_iban)
}

/** SQL condition: the lender has put in capital, or the bank has received a sandbox's own. */
export const HAS_CAPITAL = sql<boolean>`exists (
  select from sandbox_bank_accounts where role = 'FUNDING' and has_capital)`

/** Notes that the lender has put in capital; returns false if it had before. */
export async function noteCapital(tx: Tx): Promise<boolean> {
  const noted = await tx.run(sql`
    insert into sandbox_bank_accounts as a (role, has_capital) values ('FUNDING', true)
    on conflict (role) do update set has_capital = true where not a.has_capital`)
  return noted === 1
}

/** Receives the sandbox's capital, with the first order that takes cash from our accounts. */
export async function receiveCapital(tx: Tx): Promise<void> {
  const [capital_iban] = tx.settings.lender.capital_ibans
  if (!capital_iban || !(await noteCapital(tx))) return
  const from_iban = compactIban(capital_iban)
  const { iban: to_iban } = tx.settings.bank_accounts.FUNDING
  const transfer: Transfer = { to_iban, from_iban, from_name: null, reference: null }
  await writeStatement(tx, [
    {
      kind: 'TRANSFER_IN',
      instruction_id: null,
      payment_id: null,
      account: 'FUNDING',
      direction: 'IN',
      amount: SANDBOX_CAPITAL,
      value_on: tx.today,
      reason_code: null,
      raw: { ...transfer },
    },
  ])
}
