/** The installment plans of a case. */
import type { InstallmentPlan } from '@headroom/contract'
import { Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, QueryResult, Section } from '../kit/detail.tsx'
import { money, shortId, words, yesOrNo } from '../kit/format.ts'
import { Rows } from '../kit/rows.tsx'
import type { CaseProps } from './case.tsx'

type Planned = InstallmentPlan['installments'][number]

const INSTALLMENTS: readonly Column<Planned>[] = [
  dayOf('date', 'Due', part => part.date),
  status(part => part.status),
  amount('amount', 'Amount', part => part.amount),
  amount('fees', 'Fees', part => part.recollection_fees),
  amount('paid', 'Paid', part => part.paid_amount),
  plain('reference', 'Reference', part => part.reference),
]

export function Plans({ of, partner }: CaseProps) {
  const ids = of.strategies.map(strategy => strategy.id)
  const plans = useQueries({
    queries: ids.map(installment_plan_id => ({
      queryKey: ['plan', installment_plan_id],
      queryFn: () => call('getInstallmentPlan', { params: { installment_plan_id }, partner }),
    })),
  })
  if (ids.length === 0) {
    return (
      <Section title="Plans">
        <Text c="dimmed">No plan yet. Build one, and the debtor repays in parts.</Text>
      </Section>
    )
  }
  return plans.map((found, n) => (
    <Section key={ids[n]} title={`Plan ${shortId(ids[n]!)}`}>
      <QueryResult of={found}>
        {plan => (
          <>
            <Facts
              of={[
                ['Status', words(plan.status)],
                ['Collected by', words(plan.payment_method)],
                ['Contractual', yesOrNo(plan.is_contractual)],
                ['Fees', money(plan.recollection_fees)],
                ['Reference', plan.reference],
              ]}
            />
            <Rows
              columns={INSTALLMENTS}
              rows={plan.installments}
              rowId={part => part.id}
              label={`Installments of plan ${n + 1}`}
              csv
            />
          </>
        )}
      </QueryResult>
    </Section>
  ))
}
