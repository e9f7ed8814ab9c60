/** An invoice that the sandbox made up: a request that declares it, with its PDF. */
import { z } from 'zod'
import { AccountAnswer, DayAnswer, IdentifierType, MetadataAnswer } from './shared.ts'

const Party = z.object({
  identifier: z.string(),
  identifier_type: IdentifierType,
  name: z.string(),
  vat_number: z.null(),
  address: z.null(),
  contact: z.null(),
})

export const GeneratedInvoice = z
  .object({
    invoice_creation_payload: z.object({
      seller: Party,
      buyer: Party,
      currency: z.enum(['EUR']),
      invoice_number: z.string(),
      issued_at: DayAnswer,
      due_at: DayAnswer,
      net_amount: z.int(),
      tax_amount: z.int(),
      total_amount: z.int(),
      to_pay_amount: z.int(),
      to_account: AccountAnswer,
      /** Base64. */
      document: z.string(),
      is_draft: z.boolean(),
      metadata: MetadataAnswer,
    }),
    pdf_download_url: z.string(),
  })
  .meta({ id: 'GeneratedInvoice' })
