/**
 * Something that a person does: a button, disabled with its reason where it is not possible, and a
 * dialog that says in words and amounts what will happen before it does.
 */
import {
  Button,
  type ButtonProps,
  Checkbox,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { Problem } from './api.ts'
import { cents, words } from './format.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { Proposal, takesDecision } from './proposal.tsx'
import { useMayWrite } from './session.tsx'

/** What a person fills in: always text, of a checkbox `yes` or nothing. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly kind?: 'text' | 'long' | 'day' | 'amount' | 'choice' | 'check'
  readonly options?: readonly string[]
  /** What an option is called, where it is no word of ours. */
  readonly called?: (option: string) => string
  readonly hint?: string
  readonly initial?: string
  readonly optional?: true
}

export type Values = Readonly<Record<string, string>>

interface Props extends Pick<ButtonProps, 'color' | 'variant' | 'size'> {
  readonly label: string
  /** Why it is not possible now; null where it is. */
  readonly whyNot?: string | null
  /** What will happen, with the amounts. */
  readonly says: ReactNode | ((values: Values) => ReactNode)
  readonly fields?: readonly Field[]
  /** A live part under the fields: what follows from what is filled in. */
  readonly more?: (values: Values, set: (name: string, value: string) => void) => ReactNode
  readonly run: (values: Values) => Promise<unknown>
  /** Said once it has happened. */
  readonly done: string
}

const LOOKS_ONLY = 'Your role may look, and change nothing.'

export function Action({ label, whyNot, color, variant = 'default', size, ...rest }: Props) {
  const [open, { open: show, close }] = useDisclosure()
  const mayWrite = useMayWrite()
  const reason = mayWrite ? whyNot : LOOKS_ONLY
  const button = { color, variant, size } as ButtonProps
  // Whoever is at it reads why it was refused, also where that cannot be done any more.
  if (reason && !open) {
    return (
      <Tooltip label={reason} multiline maw={320} events={TOOLTIP_EVENTS}>
        <Button {...button} data-disabled aria-disabled aria-description={reason}>
          {label}
        </Button>
      </Tooltip>
    )
  }
  return (
    <>
      <Button {...button} onClick={show}>
        {label}
      </Button>
      <Modal opened={open} onClose={close} title={label} centered size="lg">
        <Dialog label={label} color={color} close={close} {...rest} />
      </Modal>
    </>
  )
}

const TOOLTIP_EVENTS = { hover: true, focus: true, touch: true }

/**
 * Where a dialog begins: the first of these in it. Without a field that is its button, or the way
 * back from what is grave: a key that was pressed once too often does none of that.
 */
const FOCUS = { 'data-autofocus': true }

/** Answers to what is done with a thing that is not as it was, or not there any more. */
const STALE = new Set([404, 409])

type DialogProps = Omit<Props, 'whyNot' | 'variant' | 'size'> & { readonly close: () => void }

function Dialog({ label, says, fields = [], more, run, done, color, close }: DialogProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState<Values>({})
  // What a field begins with may be known only after the dialog is open, such as today's date.
  const initials = fields.map(({ name, initial = '' }) => [name, initial])
  const values: Values = { ...Object.fromEntries(initials), ...typed }
  const set = (name: string, value: string) => setTyped(all => ({ ...all, [name]: value }))
  const action = useMutation({
    mutationFn: () => run(values),
    onSuccess: async () => {
      notifications.show({ color: 'green', message: done })
      close()
      // Whatever is on the screen may follow from it.
      await client.invalidateQueries()
    },
    onError: async error => {
      // Somebody was quicker: what is shown is not how it stands any more.
      if (error instanceof Problem && STALE.has(error.status)) await client.invalidateQueries()
    },
  })
  const faults = action.error instanceof Problem ? action.error.invalid_params : []
  const faultOf = (name: string) => faults.find(fault => fault.name.endsWith(name))?.reason
  const isGrave = color === 'red'
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (!action.isPending) action.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text component="div">{typeof says === 'function' ? says(values) : says}</Text>
        {fields.map((field, n) => (
          <FieldInput
            key={field.name}
            field={field}
            isFirst={n === 0}
            value={values[field.name] ?? ''}
            fault={faultOf(field.name)}
            onChange={value => set(field.name, value)}
          />
        ))}
        {more?.(values, set)}
        {takesDecision(action.error) ? (
          <Proposal title={titleOf(label)} run={() => run(values)} close={close} />
        ) : (
          <ProblemAlert error={action.error} />
        )}
        <Group justify="end">
          <Button variant="default" onClick={close} {...(isGrave && FOCUS)}>
            Back
          </Button>
          <Button type="submit" color={color} loading={action.isPending} {...(!isGrave && FOCUS)}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What is to be done, and with what: Cancel, Loan 79868ca8 of €100.00. */
const titleOf = (label: string) => `${label}: ${document.title.replace(/ · Headroom$/, '')}`

interface InputProps {
  readonly field: Field
  /** Where one begins to fill in. */
  readonly isFirst: boolean
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (value: string) => void
}

function FieldInput({ field, isFirst, value, fault, onChange }: InputProps) {
  const { name, label, kind = 'text', hint, options = [], called = words, optional } = field
  const id = useId()
  const typed = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  const focus = isFirst && FOCUS
  const shared = { id, label, description: hint, error: fault, required: !optional, name, ...focus }
  if (kind === 'check') {
    const checked = value === 'yes'
    const check = { id, label, description: hint, error: fault, checked }
    return <Checkbox {...check} onChange={() => onChange(checked ? '' : 'yes')} />
  }
  if (kind === 'choice') {
    const data = options.map(option => ({ value: option, label: called(option) }))
    const choose = (chosen: string | null) => onChange(chosen ?? '')
    // It would open at once, and hide what is said above it.
    return (
      <Select
        {...shared}
        data-autofocus={undefined}
        data={data}
        value={value || null}
        onChange={choose}
        searchable
      />
    )
  }
  if (kind === 'long') return <Textarea {...shared} value={value} onChange={typed} autosize />
  if (kind === 'day') return <TextInput {...shared} type="date" value={value} onChange={typed} />
  if (kind === 'amount') {
    const wrong = value !== '' && cents(value) === null ? 'Write it as 1234.56' : fault
    const input = { ...shared, error: wrong, inputMode: 'decimal' as const }
    return <TextInput {...input} leftSection="€" value={value} onChange={typed} />
  }
  return <TextInput {...shared} value={value} onChange={typed} />
}
