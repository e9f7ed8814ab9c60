/** Products and their terms, which an administrator of the lender can change. */
import type { Product, ProductChange } from '@headroom/contract'
import { List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action, type Field, type Values } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { cents, count, decimal, moment, money, words } from '../kit/format.ts'
import { useAdminsOnly } from '../kit/session.tsx'

export function ProductsPage() {
  const products = useQuery({ queryKey: ['products'], queryFn: () => call('listProducts') })
  return (
    <Stack>
      <PageHead title="Products" info="What is lent on which terms, over all partners" />
      <QueryResult of={products}>
        {({ data }) => data.map(product => <ProductSection key={product.id} {...product} />)}
      </QueryResult>
    </Stack>
  )
}

type Setting = keyof ProductChange

interface SettingField {
  readonly kind: Field['kind']
  /** The unit or format of the value, shown with the input. */
  readonly hint?: string
  /** Formats the value for display. */
  readonly info: (value: never) => string
  /** Formats the value for the input. */
  readonly write: (value: never) => string
  /** Parses the input. Invalid input becomes null, which the server refuses. */
  readonly read: (typed: string) => unknown
}

const integer = (typed: string) => (/^\s*\d+\s*$/.test(typed) ? Number(typed) : null)
const MONEY: SettingField = {
  kind: 'amount',
  info: (value: number) => money(value),
  write: (value: number) => decimal(value),
  read: cents,
}
const DAYS: SettingField = {
  hint: 'Days',
  kind: 'text',
  info: (days: number) => `${count(days)} ${days === 1 ? 'day' : 'days'}`,
  write: String,
  read: integer,
}
const MONTHS: SettingField = {
  ...DAYS,
  hint: 'Months',
  info: (months: number) => `${count(months)} ${months === 1 ? 'month' : 'months'}`,
}
const LIST: SettingField = {
  kind: 'text',
  hint: 'Days, with commas between them',
  info: (days: readonly number[]) => days.join(', '),
  write: (days: readonly number[]) => days.join(', '),
  read: typed => typed.split(',').map(integer),
}
const YES_OR_NO: SettingField = {
  kind: 'check',
  info: (value: boolean) => (value ? 'Yes' : 'No'),
  write: (value: boolean) => (value ? 'yes' : ''),
  read: typed => typed === 'yes',
}

const SETTINGS: readonly (readonly [name: Setting, label: string, way: SettingField])[] = [
  ['offered', 'Offered', YES_OR_NO],
  ['amount_max', 'Largest loan', MONEY],
  ['monthly_fee', 'Monthly fee', MONEY],
  ['duration_days_min', 'Shortest duration', DAYS],
  ['duration_days_max', 'Longest duration', DAYS],
  ['company_age_months_min', 'Youngest company', MONTHS],
  ['late_grace_days', 'Days late before drawing stops', DAYS],
  ['reminder_days', 'Reminders on these days late', LIST],
  ['case_days', 'Days late when a case opens', DAYS],
  ['bill_grace_days', 'Days that a bill may stay unpaid', DAYS],
]

const read = (of: Product, name: Setting, { info }: SettingField) => info(of[name] as never)

function ProductSection(product: Product) {
  const { name, product_type, changed } = product
  return (
    <Section title={name} actions={<Change {...product} />}>
      <Text size="sm" c="dimmed">
        {words(product_type)}.{' '}
        {changed
          ? `Changed by ${changed.by} on ${moment(changed.at)}: ${changed.reason}`
          : 'Never changed.'}
      </Text>
      <Facts of={SETTINGS.map(([key, label, way]) => [label, read(product, key, way)] as const)} />
      <Json of={product} />
    </Section>
  )
}

function changesOf(product: Product, values: Values) {
  return SETTINGS.filter(([name, , { write }]) => values[name] !== write(product[name] as never))
}

function Change(product: Product) {
  const fields = SETTINGS.map(([name, label, { kind, hint, write }]): Field => {
    const initial = write(product[name] as never)
    return { name, label, initial, ...(kind && { kind }), ...(hint && { hint }) }
  })
  return (
    <Action
      label={`Change ${product.name}`}
      size="compact-sm"
      disabledReason={useAdminsOnly()}
      info={values => <Changes product={product} values={values} />}
      fields={[...fields, { name: 'reason', label: 'Reason', kind: 'long' }]}
      run={values => {
        const changed = changesOf(product, values)
        const change = Object.fromEntries(
          changed.map(([name, , way]) => [name, way.read(values[name] ?? '')]),
        ) as ProductChange
        const body = { change, reason: values.reason ?? '' }
        return call('changeProduct', { params: { product_id: product.id }, body })
      }}
      done="The product is changed."
    />
  )
}

function Changes({ product, values }: { product: Product; values: Values }) {
  const changes = changesOf(product, values)
  if (changes.length === 0) return 'Nothing is filled in otherwise yet.'
  return (
    <>
      It counts from now on, also for loans that run.
      <List size="sm">
        {changes.map(([name, label, way]) => {
          const to = way.read(values[name] ?? '')
          const known = [to].flat().every(part => part !== null)
          return (
            <List.Item key={name}>
              {label}: {read(product, name, way)} becomes {known ? way.info(to as never) : '…'}
            </List.Item>
          )
        })}
      </List>
    </>
  )
}
