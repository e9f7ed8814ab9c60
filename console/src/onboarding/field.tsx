/** A form field with its label, hint and error. */
import { type ComponentProps, useId } from 'react'

type Shared = {
  readonly label: string
  readonly hint?: string
  readonly fault?: string | undefined
}

function useDescribed({ hint, fault }: Pick<Shared, 'hint' | 'fault'>) {
  const id = useId()
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  const notes = (
    <>
      {hint && (
        <span className="quiet" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault && (
        <span className="fault" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </>
  )
  const aria = {
    ...(described && { 'aria-describedby': described }),
    ...(fault && { 'aria-invalid': true as const }),
  }
  return { id, aria, notes }
}

export function Field({ label, hint, fault, ...input }: Shared & ComponentProps<'input'>) {
  const { id, aria, notes } = useDescribed({ ...(hint && { hint }), fault })
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} {...aria} {...input} />
      {notes}
    </div>
  )
}

export function Choice({ label, hint, fault, ...select }: Shared & ComponentProps<'select'>) {
  const { id, aria, notes } = useDescribed({ ...(hint && { hint }), fault })
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} {...aria} {...select} />
      {notes}
    </div>
  )
}

export function Tick({ label, fault, ...input }: Shared & ComponentProps<'input'>) {
  const { id, aria, notes } = useDescribed({ fault })
  return (
    <div className="field">
      <label className="tick" htmlFor={id}>
        <input type="checkbox" id={id} {...aria} {...input} />
        <span>{label}</span>
      </label>
      {notes}
    </div>
  )
}
