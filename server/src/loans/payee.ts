/** Whose account a loan would be paid to: never a third party's. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import type { PayeeCheck } from '../ports/bank.ts'
import type { LoanRequest } from './read-request.ts'
import type { Wish } from './rules.ts'
import type { BorrowerFacts } from './situation.ts'

/**
 * Own when on file, or when the bank's verification by name says match and the account is on
 * file of no other company (interface.md, Accounts).
 */
export async function judgePayee(
  tx: Tx,
  request: LoanRequest,
  borrower: BorrowerFacts,
  check: PayeeCheck,
): Promise<Wish['payee']> {
  const { iban, holder_key } = request
  if (!iban) return 'unsupported'
  if (holder_key && holder_key !== borrower.company_key) return 'foreign'
  if (check === 'refused') return 'refused'
  if (borrower.own_accounts.includes(iban)) return 'own'
  if (check === 'no_match') return 'foreign'
  return (await onFileOfAnother(tx, iban, borrower)) ? 'foreign' : 'own'
}

/** Asked over all partners: the account of any other company is a third party's. */
async function onFileOfAnother(tx: Tx, iban: string, borrower: BorrowerFacts): Promise<boolean> {
  const { taken } = await tx.one(
    sql<{ taken: boolean }>`select account_of_another(${iban}, ${borrower.company_key}) as taken`,
  )
  return taken
}
