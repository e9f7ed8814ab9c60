/** Steps of stories about collections: opening cases, creating plans, paying installments. */
import type { BodyInput } from '@headroom/contract'
import type { TestApp } from './app.ts'
import type { StoryContext } from './calendar.ts'
import { debitOf, type Loan, lend, returnDebit } from './money.ts'
import { type ReadyBorrower, readyBorrower } from './story.ts'

export function openCase(
  { client }: TestApp,
  debtor: { identifier: string; identifier_type: ReadyBorrower['identifier_type'] | null },
  about: { loan_ids?: string[]; bill_ids?: string[]; salt_id?: string },
) {
  const { loan_ids = [], bill_ids = [], salt_id } = about
  return client.createRecollectionCase({
    agent: 'Ada',
    debtor_business: {
      identifier: debtor.identifier,
      identifier_type: debtor.identifier_type!,
    },
    loan_ids,
    bill_ids,
    salt_id,
    next_action: { action_name: 'Call', due_at: '2030-01-02' },
  })
}

type Terms = BodyInput<'computeRecollectionInstallmentPlan'>

/** Creates a plan for a case from its schedule preview. Returns the preview and the plan. */
export async function planFor(
  app: TestApp,
  recollection_case_id: string,
  terms: Terms,
  more: { is_contractual?: boolean; salt_id?: string } = {},
) {
  const { client } = app
  const computed = await client.computeRecollectionInstallmentPlan({
    recollection_case_id,
    ...terms,
  })
  const created = await client.createRecollectionInstallmentPlan({
    recollection_case_id,
    ...computed,
    ...more,
  })
  await app.drain()
  const { installment_plan_id } = created
  return { computed, plan: await client.getInstallmentPlan({ installment_plan_id }) }
}

/** The installments of a plan, in order. */
export async function installmentsOf({ client }: TestApp, installment_plan_id: string) {
  const { data } = await client.listInstallments({ installment_plan_ids: [installment_plan_id] })
  return data.toReversed()
}

/** Books a transfer to the collection account. */
export async function transfer(
  app: TestApp,
  paid: { reference: string; amount: number; from_iban: string; value_date?: string },
): Promise<void> {
  const to_iban = app.context.database.settings.lender.collection_iban
  await app.client.createSandboxIncomingTransfer({
    to_iban,
    amount: paid.amount,
    from_iban: paid.from_iban,
    from_name: 'Payer',
    reference: paid.reference,
    value_date: paid.value_date ?? null,
  })
  await app.drain()
}

/**
 * Lends for five days, has the debits returned, and agrees a plan, by default of weekly debits. The
 * dates are those of a story that starts on 2027-01-11.
 */
export async function lateInPlan(
  { app, until }: StoryContext,
  amounts: readonly number[],
  input: Partial<Terms> & Pick<Terms, 'number_of_installment'>,
) {
  const borrower = await readyBorrower(app)
  const loans: Loan[] = []
  for (const amount of amounts) loans.push(await lend(app, borrower, { amount, days: 5 }))
  await until('2027-01-19')
  for (const loan of loans) await returnDebit(app, await debitOf(app, loan))
  const { id: case_id } = await openCase(app, borrower, { loan_ids: loans.map(loan => loan.id) })
  const { plan } = await planFor(app, case_id, {
    period: 'weekly',
    start_date: '2027-01-25',
    repayment_method: 'DIRECT_DEBIT',
    ...input,
  })
  return { borrower, loans, plan, case_id }
}
