/** Carries out what one has proposed oneself, once somebody else has approved it. */
import type { Decision } from '@headroom/contract'
import { Action } from '../kit/action.tsx'
import { carryOut } from '../kit/api.ts'
import { effectOf } from '../kit/effect.ts'
import { useSecret } from '../kit/secret.tsx'
import { useSignedIn } from '../kit/session.tsx'

interface Props {
  readonly decision: Decision
  readonly partner: string
}

export function CarryOut({ decision, partner }: Props) {
  const { email } = useSignedIn().operator
  const { show, dialog } = useSecret()
  const { id, title, proposer, status, operations } = decision
  const left = operations.filter(step => step.status === 'PLANNED')
  // A program that has proposed carries it out itself.
  if (proposer.name !== email || status !== 'APPROVED' || left.length === 0) return dialog
  const run = async () => {
    for (const step of left) {
      const made = (await carryOut(id, step, partner)) as { key?: string; secret?: string } | null
      const secret = made?.key ?? made?.secret
      if (secret) show(title, secret)
    }
  }
  return (
    <>
      {dialog}
      <Action
        label="Carry out"
        variant="filled"
        says={
          <ol>
            {left.map(step => (
              <li key={step.step}>{effectOf(step)}</li>
            ))}
          </ol>
        }
        run={run}
        done="It is done."
      />
    </>
  )
}
