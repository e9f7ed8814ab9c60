/** Renders the page with transfer instructions: self-contained, without scripts. Pure. */
import { createHash } from 'node:crypto'
import { renderSVG } from 'uqr'
import { formatMoney, toDecimal } from '../../platform/kit/money.ts'

export interface TransferDetails {
  readonly payee: string
  readonly iban: string
  readonly bic: string
  readonly reference: string
  readonly amount: bigint
  /** Cents received with this reference. */
  readonly received: bigint
  /** The URL of the Back link; http or https. */
  readonly callback_url: string
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;
padding:0 1rem;color:#1a1a2e}dt{color:#555;margin-top:.8rem}svg{width:15rem;height:15rem}
dd{margin:0;font-size:1.15rem;font-weight:600}a{color:#1a4fd6}`

/** The page's content security policy, which allows its inline style and nothing else. */
export const REPAY_PAGE_POLICY = `default-src 'none'; frame-ancestors 'none'; base-uri 'none'; \
form-action 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

export function repayPage(to: TransferDetails): string {
  const left = to.amount > to.received ? to.amount - to.received : 0n
  const facts: [string, string][] = [
    ['Amount', formatMoney(left, 'EUR', 'en')],
    ['Payee', to.payee],
    ['IBAN', to.iban.replace(/(.{4})(?=.)/g, '$1 ')],
    ['BIC', to.bic],
    ['Reference', to.reference],
  ]
  const paid = `<p>We have received ${formatMoney(to.received, 'EUR', 'en')}. Thank you.</p>`
  const ask = `<p>Please transfer the amount below. The reference tells us what it pays.</p>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<p>Or scan this with your banking app:</p>
${renderSVG(epcText({ ...to, amount: left }), { ecc: 'M' })}`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Repay</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>Repay ${formatMoney(to.amount, 'EUR', 'en')}</h1>
${to.received > 0n ? paid : ''}${left > 0n ? ask : ''}
<p><a rel="noopener noreferrer" href="${escapeHtml(to.callback_url)}">Back</a></p>
</body></html>
`
}

/** The QR code's content: EPC069-12 version 2, with a structured reference. */
export function epcText(
  to: Pick<TransferDetails, 'payee' | 'iban' | 'bic' | 'reference' | 'amount'>,
) {
  const { bic, payee, iban, amount, reference } = to
  const lines = ['BCD', '002', '1', 'SCT', bic, payee.slice(0, 70), iban]
  return [...lines, `EUR${toDecimal(amount)}`, '', reference].join('\n')
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, sign => names[sign]!)
}
