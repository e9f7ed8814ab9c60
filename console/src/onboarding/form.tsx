/** The form of a step. It is not submitted while a required field is empty. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from './texts/index.ts'

interface Props {
  readonly title: string
  readonly text?: string
  readonly submit: string
  readonly busy: boolean
  readonly back?: () => void
  readonly faults: Record<string, string>
  readonly send: (values: Record<string, string>) => void
  /** Renders the fields; `fault` returns a field's error. */
  readonly children: (fault: (name: string) => string | undefined) => ReactNode
}

export function StepForm({ title, text, submit, busy, back, faults, send, children }: Props) {
  const texts = useTexts()
  const form = useRef<HTMLFormElement>(null)
  const [empty, setEmpty] = useState<readonly string[]>([])
  const [tries, setTries] = useState(0)
  const fault = (name: string) => {
    if (empty.includes(name)) return texts.faults[`${name}_empty`] ?? texts.required
    return name in faults ? (texts.faults[name] ?? faults[name]) : undefined
  }
  const wrong = [...empty, ...Object.keys(faults)].join()
  useEffect(() => {
    // `tries` refocuses the field on every attempt, even if the same one is still invalid.
    const look = wrong !== '' && tries > 0
    if (look) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [wrong, tries])

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].map(([k, v]) => [k, String(v).trim()])
    const values: Record<string, string> = Object.fromEntries(given)
    const needed = event.currentTarget.querySelectorAll<HTMLInputElement>('[required]')
    const missing = [...needed].map(field => field.name).filter(name => !values[name])
    setEmpty(missing)
    setTries(tries + 1)
    if (missing.length === 0 && !busy) send(values)
  }
  return (
    <form ref={form} onSubmit={onSubmit} noValidate>
      <h1 tabIndex={-1}>{title}</h1>
      {text && <p>{text}</p>}
      {children(fault)}
      <div className="buttons">
        {back && (
          <button type="button" className="plain" onClick={back}>
            {texts.back}
          </button>
        )}
        <button type="submit" aria-disabled={busy}>
          {busy ? texts.loading : submit}
        </button>
      </div>
    </form>
  )
}
