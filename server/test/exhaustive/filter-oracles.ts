/**
 * The expected results of the lists' filters and orders, computed from the rows alone. Those that
 * follow from a parameter's name are in `filtersByField`.
 */
import type { OperationId } from '@headroom/contract'
import type { ListOracle } from './filter-kinds.ts'
import {
  days,
  type Filter,
  flag,
  idOf,
  moments,
  named,
  oneOf,
  type Row,
  single,
  words,
} from './filter-kinds.ts'
import { idAndNames, names, ofMoney } from './filter-oracles-money.ts'
import type { Known } from './filter-world.ts'

export function listOracles(known: Known): Partial<Record<OperationId, ListOracle>> {
  return {
    ...ofBorrowers(known),
    ...ofMoney(known),
    ...ofDebtors(known),
    ...ofCards,
    ...ofPrograms,
  }
}

function ofBorrowers({ invoices, paid }: Known) {
  const lent = (row: Row) => row.loan_ids.flatMap((id: string) => paid.get(id) ?? []) as string[]
  return {
    listBorrowers: {
      filters: {
        borrower_id: idOf(row => row.id),
        borrower_identifier: single(named(names)),
        identifier: single(named(names)),
        from_signed_at: moments(row => row.signed_at, '>='),
        to_signed_at: moments(row => row.signed_at, '<'),
        compliance_status: oneOf(row => row.compliance_checks.status, ['UNKNOWN']),
        query: wordsOrNumber,
      },
    },
    listBorrowerFinancialProducts: { ordered_by: null },
    listRepaymentMethods: { ordered_by: null },
    listDenialCodes: { ordered_by: null },
    listCreditLines: {
      filters: {
        borrower: named(row => idAndNames(row.default_borrower)),
      },
    },
    listCounterparties: {
      filters: {
        business_name: words(row => [row.name]),
        identifier: single(named(names)),
        identifier_type: single(oneOf(row => row.identifier_type, ['kvk', 'bsn'])),
      },
    },
    listInvoices: {
      filters: {
        buyer: named(row => idAndNames(row.buyer)),
        seller: named(row => idAndNames(row.seller)),
        invoice_id: idOf(row => row.id),
        query: words(({ invoice_number, seller, buyer }) => [
          invoice_number,
          seller?.name,
          seller?.identifier,
          buyer?.name,
          buyer?.identifier,
        ]),
        linked_to_loan: flag(row => row.loan_ids.length > 0),
        linked_to_loan_paid_after: onSome(lent, [...paid.values()], '>='),
        linked_to_loan_paid_before: onSome(lent, [...paid.values()], '<'),
      },
    },
    findPublicData: ofRegister([...invoices.values()].flatMap(row => row.buyer ?? [])),
  } satisfies Partial<Record<OperationId, ListOracle>>
}

const called = words(row => [row.name])
/** Part of the name, or the start of the number. */
const wordsOrNumber: Filter = {
  queriesOf: rows => [...called.queriesOf(rows), ...rows.map(row => [row.identifier.slice(0, 6)])],
  fits: (row, requested) => called.fits(row, requested) || row.identifier.startsWith(requested[0]!),
}

/** Matches rows with any day on or after the requested one (`>=`), or before it (`<`). */
function onSome(
  get: (row: Row) => string[],
  all: readonly (string | null)[],
  sign: '>=' | '<',
): Filter {
  const of = days(row => row, sign)
  return {
    queriesOf: () => of.queriesOf([...all]),
    fits: (row, requested) => get(row).some(at => of.fits(at, requested)),
  }
}

/** Companies are found by their number; any other given data must agree. */
function ofRegister(companies: readonly Row[]): ListOracle {
  const [{ identifier } = { identifier: '' }] = companies
  return {
    inputs: [{ identifier }],
    ordered_by: null,
    filters: {
      identifier: { queriesOf: () => [[identifier]], fits: () => true },
      identifier_type: {
        queriesOf: () => [['siren']],
        fits: row => row.identifier_type === 'siren',
      },
      name: single(words(row => [row.name])),
      street: single(words(row => [row.address.address_line_1])),
      postal_code: single(words(row => [row.address.postal_code])),
      city: single(words(row => [row.address.city])),
      // A number of another country is rejected rather than searched.
      country: { queriesOf: () => [['FR'], ['FRA']], fits: () => true },
    },
  }
}

/** The due day of a case's next action; null unless the action is scheduled. */
const nextDue = ({ next_action: { action_status, due_at } }: Row) =>
  action_status === 'SCHEDULED' ? due_at : null

function ofDebtors({ installments }: Known) {
  return {
    listRecollectionCases: {
      filters: {
        identifier: single(named(row => [row.debtor_business.identifier])),
        identifier_type: single(oneOf(row => row.debtor_business.identifier_type, ['kvk'])),
        next_action_due_at_from: days(nextDue, '>='),
        next_action_due_at_to: days(nextDue, '<'),
      },
    },
    listInstallments: {
      filters: {
        installment_plan_ids: idOf(row => row.installment_plan_id),
        loan_ids: idOf(row => [...installments.get(row.id)!]),
        to_pay_at_gt: days(row => row.scheduled_at, '>'),
        to_pay_at_lt: days(row => row.scheduled_at, '<'),
        paid_at_gt: days(row => row.last_repayment_date, '>'),
        paid_at_lt: days(row => row.last_repayment_date, '<'),
        updated_at_gt: moments(row => row.updated_at, '>'),
        updated_at_lt: moments(row => row.updated_at, '<'),
      },
    },
  } satisfies Partial<Record<OperationId, ListOracle>>
}

const ofCards = {
  listCards: {
    filters: {
      before: { ...single(idOf(row => row.id)), fits: (row, [requested]) => row.id < requested! },
    },
  },
  listCardEntries: {
    filters: {
      from_date: moments(row => row.created, '>='),
      to_date: moments(row => row.created, '<'),
    },
  },
} satisfies Partial<Record<OperationId, ListOracle>>

const ofPrograms = {
  listWebhookEvents: {
    ordered_by: null,
    oldest_first: true as const,
  },
  listSandboxMailbox: { filters: { to: single(named(row => [row.to], 'nobody@example.com')) } },
} satisfies Partial<Record<OperationId, ListOracle>>
