/** Actions on your own decision: withdraw it, or execute it once approved. */
import type { Decision } from '@headroom/contract'
import { Action } from '../kit/action.tsx'
import { call, executeStep } from '../kit/api.ts'
import { blockedReason } from '../kit/machine.ts'
import { useSecret } from '../kit/secret.tsx'
import { StepsInWords } from './decision-steps.tsx'

interface Props {
  readonly decision: Decision
  readonly partner: string
}

/** Shown only to the user who proposed the decision. Agents execute their own decisions. */
export function OwnDecision(props: Props) {
  return (
    <>
      <Withdraw {...props} />
      <ExecuteSteps {...props} />
    </>
  )
}

function Withdraw({ decision: { id: decision_id, title, status }, partner }: Props) {
  return (
    <Action
      label="Withdraw"
      disabledReason={blockedReason('decision', status, 'withdraw')}
      info={`“${title}” will not be executed, and no longer needs a review.`}
      run={() => call('withdrawDecision', { params: { decision_id }, partner })}
      done="It is withdrawn."
    />
  )
}

function ExecuteSteps({ decision, partner }: Props) {
  const { show, dialog } = useSecret()
  const { id, title, status, operations } = decision
  const left = operations.filter(step => step.status === 'PLANNED')
  if (status !== 'APPROVED' || left.length === 0) return dialog
  const run = async () => {
    for (const step of left) {
      const made = (await executeStep(id, step, partner)) as {
        key?: string
        secret?: string
      } | null
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
        info={<StepsInWords of={left} partner={partner} />}
        run={run}
        done="It is done."
      />
    </>
  )
}
