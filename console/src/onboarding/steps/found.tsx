/** Shows the company found, for the visitor to confirm, or why it cannot borrow. */
import { StepForm } from '../form.tsx'
import type { StepProps } from '../onboarding.tsx'
import { useTexts } from '../texts/index.ts'

export function FoundStep({ page, busy, next, back }: StepProps) {
  const texts = useTexts()
  const { company, refused_because } = page
  if (!company) return null
  const found = (
    <address>
      <strong>{company.name}</strong>
      {[...company.address, company.identifier].map(line => (
        <span key={line}>{line}</span>
      ))}
    </address>
  )
  if (refused_because.length > 0) {
    return (
      <>
        <h1 tabIndex={-1}>{texts.refused_title}</h1>
        {found}
        <ul>
          {refused_because.map(reason => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        <div className="buttons">
          <button type="button" onClick={back}>
            {texts.found_no}
          </button>
        </div>
      </>
    )
  }
  return (
    <StepForm
      title={texts.found_title}
      submit={texts.found_yes}
      busy={busy}
      faults={{}}
      send={next}
    >
      {() => (
        <>
          {found}
          <p>
            <button type="button" className="link" onClick={back}>
              {texts.found_no}
            </button>
          </p>
        </>
      )}
    </StepForm>
  )
}
