/** The lender's own bank accounts, as a transaction's settings name them. IBANs are canonical. */
import { compactIban } from '../kit/iban.ts'
import { bankAccountsOf, lendersUntilNow, type OwnAccount, type Settings } from './settings.ts'

/** The collection and the funding account, which the bank pools; one account can be both. */
export function accountsInUse({ bank_accounts }: Settings): readonly OwnAccount[] {
  return Object.values(bank_accounts)
}

/** The accounts in use, and those of earlier versions of the lender, which still receive money. */
export function ownAccounts(settings: Settings): readonly OwnAccount[] {
  return lendersUntilNow(settings).flatMap(lender => Object.values(bankAccountsOf(lender)))
}

/** Whether the lender's capital comes from the account, which is at another bank. */
export function isCapitalIban({ lender }: Settings, iban: string | null): boolean {
  return lender.capital_ibans.some(capital_iban => compactIban(capital_iban) === iban)
}
