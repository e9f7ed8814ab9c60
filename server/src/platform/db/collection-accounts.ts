/**
 * The lender's collection accounts, of all its versions until now: loans are repaid to the account
 * that their contracts name.
 */
import { compactIban } from '../kit/iban.ts'
import { collectionAccount, type PaymentAccount } from '../kit/payment-account.ts'
import { bankAccountsOf, type Lender, type Settings } from './settings.ts'

/** The newest version of the lender that collects on an account; undefined for other accounts. */
function collectingOn({ lender, former_lenders = [] }: Settings, iban: string): Lender | undefined {
  const compact = compactIban(iban)
  return [...former_lenders, lender].findLast(
    one => bankAccountsOf(one).COLLECTION.iban === compact,
  )
}

/** Whether the IBAN is the lender's collection account, or was. */
export function isCollectionIban(settings: Settings, iban: string): boolean {
  return collectingOn(settings, iban) !== undefined
}

/**
 * The account with an IBAN that borrowers pay to, with the holder and the BIC that belong to it. An
 * account of a single loan is at the bank of the lender in force.
 */
export function repaymentAccount(
  settings: Settings,
  iban: string,
): PaymentAccount & { name: string } {
  const lender = collectingOn(settings, iban) ?? settings.lender
  return { ...collectionAccount(lender), name: lender.name, account_number: iban }
}
