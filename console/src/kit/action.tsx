/**
 * An action the operator can take: a button, disabled with its reason while unavailable, and a
 * dialog that states the effect and amounts before anything is sent.
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
import { ACCEPTED, readEvidence } from './evidence.ts'
import { cents, words } from './format.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { Proposal, requiresDecision } from './proposal.tsx'
import { useMayWrite } from './session.tsx'

/**
 * A field of the dialog. Values are always text: a checked box is `yes`, an unchecked one empty,
 * and a file is what `evidenceIn` reads.
 */
export interface Field {
  readonly name: string
  readonly label: string
  readonly kind?: 'text' | 'long' | 'day' | 'amount' | 'choice' | 'check' | 'file'
  readonly options?: readonly string[]
  /** The label of an option; by default the option's code, in words. */
  readonly called?: (option: string) => string
  readonly hint?: string
  readonly initial?: string
  readonly optional?: true
}

export type Values = Readonly<Record<string, string>>

interface Props extends Pick<ButtonProps, 'color' | 'variant' | 'size'> {
  readonly label: string
  /** Why the action is unavailable now; null if it is available. */
  readonly disabledReason?: string | null
  /** What the action does, with its amounts. */
  readonly info: ReactNode | ((values: Values) => ReactNode)
  readonly fields?: readonly Field[]
  /** Content below the fields that depends on their values, such as a preview or further inputs. */
  readonly more?: (values: Values, set: (name: string, value: string) => void) => ReactNode
  readonly run: (values: Values) => Promise<unknown>
  /** The notification on success. */
  readonly done: string
}

const READ_ONLY_NOTE = 'Your role may look, and change nothing.'

export function Action({
  label,
  disabledReason,
  color,
  variant = 'default',
  size,
  ...rest
}: Props) {
  const [open, { open: show, close }] = useDisclosure()
  const mayWrite = useMayWrite()
  const reason = mayWrite ? disabledReason : READ_ONLY_NOTE
  const button = { color, variant, size } as ButtonProps
  // An open dialog stays open so that its error remains readable, even if the action is now
  // unavailable.
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
 * Marks elements for the initial focus, which goes to the first one marked. If the action is
 * destructive, Back is marked instead of the submit button, so that a stray Enter in a dialog
 * without fields submits nothing.
 */
const FOCUS = { 'data-autofocus': true }

/** HTTP statuses after which the page's data may be stale. */
const STALE = new Set([404, 409])

type DialogProps = Omit<Props, 'disabledReason' | 'variant' | 'size'> & {
  readonly close: () => void
}

function Dialog({ label, info, fields = [], more, run, done, color, close }: DialogProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState<Values>({})
  // An initial value, such as today's date, may arrive after the dialog has opened.
  const initials = fields.map(({ name, initial = '' }) => [name, initial])
  const values: Values = { ...Object.fromEntries(initials), ...typed }
  const set = (name: string, value: string) => setTyped(all => ({ ...all, [name]: value }))
  const action = useMutation({
    mutationFn: () => run(values),
    onSuccess: async () => {
      notifications.show({ color: 'green', message: done })
      close()
      // Any query on the page may show data that this write changed.
      await client.invalidateQueries()
    },
    onError: async error => {
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
        <Text component="div">{typeof info === 'function' ? info(values) : info}</Text>
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
        {requiresDecision(action.error) ? (
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

/** The action and its subject, such as "Cancel: Loan 79868ca8 of €100.00". */
const titleOf = (label: string) => `${label}: ${document.title.replace(/ · Headroom$/, '')}`

interface InputProps {
  readonly field: Field
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
    // With the initial focus, the list would open at once and cover the text above.
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
  if (kind === 'file') {
    const chosen = async ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange(await readEvidence(currentTarget.files?.[0]))
    return <TextInput {...shared} type="file" accept={ACCEPTED} onChange={chosen} />
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
