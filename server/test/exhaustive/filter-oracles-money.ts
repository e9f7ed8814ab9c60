/** Lists of loans, payments, bills and their log: the expected result of filters and orders. */
import type { OperationId } from '@headroom/contract'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import {
  days,
  type Filter,
  flag,
  idOf,
  type ListOracle,
  moments,
  named,
  never,
  oneOf,
  type Row,
  words,
} from './filter-kinds.ts'
import type { Known } from './filter-world.ts'

export const names = (party: Row) => [party?.identifier ?? null, party?.vat_number ?? null]
export const idAndNames = (party: Row) => [party?.id ?? null, ...names(party)]
const padded = (amount: number) => String(amount).padStart(14, '0')

export function ofMoney(known: Known) {
  return {
    listLoans: ofLoans(known),
    ...ofEvents,
    listPayments: ofPayments(known),
    listBills,
  } satisfies Partial<Record<OperationId, ListOracle>>
}

function ofLoans({ invoices, today, ids }: Known): ListOracle {
  const loanWords = (loan: Row): (string | null)[] => [
    loan.borrower.name,
    loan.borrower.identifier,
    loan.salt_id,
    loan.id,
    loan.loan_from_references[0],
    ...loan.invoice_ids.map((id: string) => invoices.get(id).invoice_number),
  ]
  const anyId = [[ids.loan_id![0]!]]
  return {
    filters: {
      borrower: named(row => idAndNames(row.borrower)),
      to_repay_at_within_days: {
        queriesOf: () => ['0', '10', '30', '3650'].map(n => [n]),
        fits: ({ to_repay_at: on }, [n]) =>
          on.slice(0, 10) >= today && on.slice(0, 10) <= addDays(day(today), Number(n)),
      },
      postponed: flag(row => row.to_repay_at > row.contractual_repayment_date),
      guarantee_called: {
        ...flag(row => row.guarantor !== null),
        nothing: 'no loan has a guarantor',
      },
      guarantor: never('no loan has a guarantor', [['732829320'], ...anyId]),
      query: words(loanWords),
    },
    sorts: {
      created_at: row => row.id,
      to_pay_at: row => row.to_pay_at,
      to_repay_at: row => row.to_repay_at,
    },
  }
}

const ofEvents = {
  listLoanEvents: {
    oldest_first: true as const,
    ordered_by: (row: Row) => row.timestamp,
  },
  listEvents: {
    // Ordered by an ID that rows do not show: of two concurrent requests, the first to begin may
    // write last.
    ordered_by: null,
    filters: {
      event_type: oneOf(row => row.event_type, ['LOAN_CANCELED']),
      loan_id: idOf(row => row.event_payload.loan_id),
      from_date: moments(row => row.event_at, '>='),
      to_date: moments(row => row.event_at, '<'),
    },
  },
} satisfies Partial<Record<OperationId, ListOracle>>

function ofPayments({ accounts, ids }: Known): ListOracle {
  const concerns = (row: Row) => row.related_to.loans.map((loan: Row) => loan.loan_id)
  const account = (get: (row: Row) => Row): Filter => ({
    queriesOf: () => [...accounts.keys()].map(id => [id]).concat([[ids.loan_id![0]!]]),
    fits: (row, [id]) => accounts.has(id!) && get(row)?.account_number === accounts.get(id!),
  })
  const anyId = [[ids.loan_id![0]!]]
  return {
    filters: {
      loan_id: idOf(concerns),
      deposit_id: never('nobody deposits anything here', anyId),
      payment_intent_id: idOf(row =>
        row.related_to.payment_intents.map((one: Row) => one.payment_intent_id),
      ),
      references: oneOf(row => [...row.from_references, ...row.to_references]),
      from_account_id: account(row => row.from_account_details),
      to_account_id: account(row => row.to_account_details),
      from_date: days(row => row.scheduled_at, '>='),
      to_date: days(row => row.scheduled_at, '<'),
      paid_after: days(row => row.paid_at, '>='),
      paid_before: days(row => row.paid_at, '<'),
      updated_after: moments(row => row.updated_at, '>='),
      is_reconciled: flag(row => row.paid_at !== null),
    },
    views: {
      include_bills: without('bills'),
      include_loans: without('loans'),
      include_payment_intents: without('payment_intents'),
    },
    sorts: {
      amount: row => padded(row.amount),
      payment_method: row => row.payment_method,
      scheduled_at: row => row.scheduled_at,
    },
  }
}

const listBills: ListOracle = {
  filters: {
    bill_id: idOf(row => row.id),
    business_id: idOf(row => row.billed_borrower_id),
    business_identifier: named(row => names(row.billed_business)),
    start_date: days(row => row.start_date, '>='),
    end_date: days(row => row.end_date, '<'),
  },
  views: {
    light_bills: (row, requested) =>
      requested === 'true'
        ? { ...row, lines: [], document_url: null, invoice: null, payment: light(row.payment) }
        : row,
  },
}

const without = (name: string) => (row: Row, requested: string) =>
  requested === 'true' ? row : { ...row, related_to: { ...row.related_to, [name]: [] } }

const nothing = { bills: [], invoices: [], loans: [], payment_intents: [], subscriptions: [] }
const light = (payment: Row) => ({ ...payment, related_to: nothing })
