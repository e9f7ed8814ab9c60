/**
 * Asks how the company repays. For a direct debit, asks for its account and shows the mandate.
 */
import { useId, useState } from 'react'
import { Field } from '../field.tsx'
import { StepForm } from '../form.tsx'
import { Mandate } from '../mandate.tsx'
import type { StepProps } from '../onboarding.tsx'
import { useTexts } from '../texts/index.ts'

type Method = 'DIRECT_DEBIT' | 'SCT'

export function RepaymentStep({ page, faults, busy, take, next, back }: StepProps) {
  const texts = useTexts()
  const [method, setMethod] = useState<Method>(page.repayment?.method ?? 'DIRECT_DEBIT')
  const kept = page.repayment?.account_end
  const send = ({ account_number = '', bank_identifier = '' }: Record<string, string>) => {
    if (method === 'SCT') take('repayment', { method })
    else if (kept && !account_number && !bank_identifier) next()
    else take('repayment', { method, account_number, bank_identifier })
  }
  return (
    <StepForm
      title={texts.repayment_title}
      submit={texts.next}
      busy={busy}
      faults={faults}
      send={send}
      back={back}
    >
      {fault => (
        <>
          <div role="radiogroup" aria-label={texts.repayment_title}>
            <MethodOption
              method={method}
              setMethod={setMethod}
              value="DIRECT_DEBIT"
              text={texts.direct_debit_text}
            >
              {texts.direct_debit}
            </MethodOption>
            <MethodOption
              method={method}
              setMethod={setMethod}
              value="SCT"
              text={texts.transfer_text}
            >
              {texts.transfer}
            </MethodOption>
          </div>
          {method === 'DIRECT_DEBIT' && (
            <>
              <Field
                label={texts.account_number}
                fault={fault('account_number')}
                {...(kept && { hint: texts.account_kept(kept) })}
                name="account_number"
                autoComplete="off"
                spellCheck={false}
                maxLength={64}
                required={!kept}
              />
              <Field
                label={texts.bank_identifier}
                fault={fault('bank_identifier')}
                name="bank_identifier"
                autoComplete="off"
                spellCheck={false}
                maxLength={64}
                required={!kept}
              />
              <Mandate mandate={page.mandate} />
            </>
          )}
        </>
      )}
    </StepForm>
  )
}

interface MethodOptionProps {
  readonly method: Method
  readonly setMethod: (method: Method) => void
  readonly value: Method
  readonly text: string
  readonly children: string
}

function MethodOption({ method, setMethod, value, text, children }: MethodOptionProps) {
  const id = useId()
  return (
    <label className="way" htmlFor={id}>
      <input
        type="radio"
        id={id}
        name="method"
        value={value}
        checked={method === value}
        onChange={() => setMethod(value)}
      />
      <span>
        <strong>{children}</strong>
        <span className="quiet">{text}</span>
      </span>
    </label>
  )
}
