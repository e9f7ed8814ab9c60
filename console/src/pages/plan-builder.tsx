/** Builds an installment plan: enter its terms, see the schedule, and create it. */
import type { BodyInput, ComputedInstallmentPlan } from '@headroom/contract'
import { Button, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { plusDays, useBusinessDate } from '../kit/business-date.ts'
import { amount, dayOf } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { cents, count, day, money, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { Rows } from '../kit/rows.tsx'
import { SideBySide } from '../kit/side-by-side.tsx'

const route = getRouteApi('/p/$partner/case/$case/plan')

type Terms = BodyInput<'computeRecollectionInstallmentPlan'>
const PERIODS = ['weekly', 'biweekly', 'monthly'] as const
const METHODS = ['DIRECT_DEBIT', 'SCT', 'P2P'] as const
const TYPING_MS = 300
/** Leaves time for the pre-notification of a debit. */
const DAYS_AHEAD = 14

interface PlanTerms {
  readonly number: number
  readonly period: (typeof PERIODS)[number]
  readonly start: string
  readonly fees: string
  /** Null for the borrower's main repayment method. */
  readonly method: (typeof METHODS)[number] | null
  readonly is_contractual: boolean
}

function termsOf({ number, period, start, fees, method }: PlanTerms): Terms | null {
  const recollection_fees = cents(fees || '0')
  if (!number || !start || recollection_fees === null) return null
  const terms = { number_of_installment: number, period, start_date: start }
  return { ...terms, recollection_fees, ...(method && { repayment_method: method }) }
}

const INSTALLMENTS: readonly Column<ComputedInstallmentPlan['installments'][number]>[] = [
  dayOf('date', 'Due', part => part.date),
  amount('amount', 'Amount', part => part.amount),
  amount('loans', 'Loans', part => part.loans.reduce((sum, one) => sum + one.amount, 0)),
  amount('bills', 'Bills', part => part.bills.reduce((sum, one) => sum + one.amount, 0)),
  amount('fees', 'Fees', part => part.recollection_fees),
]

const DEFAULT_TERMS: Omit<PlanTerms, 'start'> = {
  number: 3,
  period: 'monthly',
  fees: '',
  method: null,
  is_contractual: false,
}

export function PlanBuilderPage() {
  const { partner, case: recollection_case_id } = route.useParams()
  const today = useBusinessDate(partner)
  const [chosen, choose] = useState<Partial<PlanTerms>>({})
  const start = today ? plusDays(today, DAYS_AHEAD) : ''
  const planTerms: PlanTerms = { ...DEFAULT_TERMS, start, ...chosen }
  // Serialized, because debouncing compares by identity.
  const typed = JSON.stringify(termsOf(planTerms))
  const [debounced] = useDebouncedValue(typed, TYPING_MS)
  const settled = JSON.parse(debounced) as Terms | null
  const params = { recollection_case_id }
  const computed = useQuery({
    queryKey: ['plan', 'computed', recollection_case_id, settled],
    queryFn: () => call('computeRecollectionInstallmentPlan', { params, body: settled!, partner }),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <Stack>
      <PageHead
        title="Build a plan"
        info={
          <PageLink to="/p/$partner/case/$case" params={{ partner, case: recollection_case_id }}>
            Back to the case
          </PageLink>
        }
      />
      <SideBySide
        sideFirst
        side={
          <TermsSection planTerms={planTerms} set={part => choose(all => ({ ...all, ...part }))} />
        }
      >
        <Section title="Schedule preview">
          {settled === null ? (
            <Text c="dimmed">Say how many installments, and from which day on.</Text>
          ) : (
            <QueryResult
              of={computed.error ? ({ ...computed, data: undefined } as typeof computed) : computed}
            >
              {plan => (
                <Computed
                  plan={plan}
                  partner={partner}
                  case_id={recollection_case_id}
                  is_contractual={planTerms.is_contractual}
                  isOld={computed.isPlaceholderData || typed !== debounced}
                />
              )}
            </QueryResult>
          )}
        </Section>
      </SideBySide>
    </Stack>
  )
}

interface PlanTermsProps {
  readonly planTerms: PlanTerms
  readonly set: (part: Partial<PlanTerms>) => void
}

function TermsSection({ planTerms, set }: PlanTermsProps) {
  return (
    <Section title="Plan terms">
      <NumberInput
        label="Installments"
        min={1}
        max={600}
        allowDecimal={false}
        value={planTerms.number}
        onChange={value => set({ number: Number(value) })}
      />
      <Select
        label="Every"
        allowDeselect={false}
        data={[
          { value: 'weekly', label: 'Week' },
          { value: 'biweekly', label: 'Two weeks' },
          { value: 'monthly', label: 'Month' },
        ]}
        value={planTerms.period}
        onChange={value => set({ period: value as PlanTerms['period'] })}
      />
      <TextInput
        type="date"
        label="First on"
        value={planTerms.start}
        onChange={event => set({ start: event.currentTarget.value })}
      />
      <TextInput
        label="Collection fees"
        leftSection="€"
        inputMode="decimal"
        placeholder="0.00"
        error={cents(planTerms.fees || '0') === null && 'Write it as 1234.56'}
        value={planTerms.fees}
        onChange={event => set({ fees: event.currentTarget.value })}
      />
      <Select
        label="Collected by"
        placeholder="Main repayment method"
        clearable
        data={METHODS.map(value => ({ value, label: words(value) }))}
        value={planTerms.method}
        onChange={value => set({ method: value as PlanTerms['method'] })}
      />
      <Switch
        label="Contractual: it amends the loan agreements"
        checked={planTerms.is_contractual}
        onChange={event => set({ is_contractual: event.currentTarget.checked })}
      />
    </Section>
  )
}

interface ComputedProps {
  readonly plan: ComputedInstallmentPlan
  readonly partner: string
  readonly case_id: string
  readonly is_contractual: boolean
  /** Set while a new schedule is computed because the terms have changed. */
  readonly isOld: boolean
}

const REST = 'Older plans of these loans are canceled, and the loans’ own debits rest.'

function Computed({ plan, partner, case_id, is_contractual, isOld }: ComputedProps) {
  const navigate = useNavigate()
  const { installments, recollection_fees, repayment_method } = plan
  const total = installments.reduce((sum, part) => sum + part.amount, 0)
  const [first, last] = [installments[0], installments.at(-1)]
  const toCase = {
    to: '/p/$partner/case/$case' as '/',
    params: { partner, case: case_id } as never,
  }
  const create = async () => {
    await call('createRecollectionInstallmentPlan', {
      params: { recollection_case_id: case_id },
      body: { installments, repayment_method, recollection_fees, is_contractual },
      partner,
    })
    await navigate(toCase)
  }
  const method = words(repayment_method).toLowerCase()
  const sums = `${count(installments.length)} installments, ${money(total)} in all`
  return (
    <>
      <Rows
        columns={INSTALLMENTS}
        rows={installments}
        rowId={part => part.date}
        label="Installments"
      />
      <Text>
        {sums}, including {money(recollection_fees)} fees; from {day(first?.date)} to{' '}
        {day(last?.date)}.
      </Text>
      <Group justify="end">
        <Button variant="default" onClick={() => navigate(toCase)}>
          Back
        </Button>
        <Action
          label="Create the plan"
          variant="filled"
          disabledReason={isOld ? 'The schedule is being recalculated.' : null}
          info={`${sums}, by ${method}, the first on ${day(first?.date)}. ${REST}`}
          run={create}
          done="The plan is created."
        />
      </Group>
    </>
  )
}
