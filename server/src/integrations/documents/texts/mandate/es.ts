/** The SEPA mandate's texts in Spanish (EPC130-08 and EPC131-08). */
import type { MandateTexts } from './keys.ts'

export const es: MandateTexts = {
  title: {
    CORE: 'Orden de domiciliación de adeudo directo SEPA',
    B2B: 'Orden de domiciliación de adeudo directo SEPA B2B',
  },
  authorisation: {
    CORE: creditor => `Mediante la firma de esta orden de domiciliación, el deudor autoriza (A) al
      acreedor, ${creditor}, a enviar instrucciones a la entidad del deudor para adeudar su cuenta y
      (B) a la entidad para efectuar los adeudos en su cuenta siguiendo las instrucciones del
      acreedor. Como parte de sus derechos, el deudor está legitimado al reembolso por su entidad en
      los términos y condiciones del contrato suscrito con la misma. La solicitud de reembolso
      deberá efectuarse dentro de las ocho semanas que siguen a la fecha de adeudo en cuenta.`,
    B2B: creditor => `Mediante la firma de esta orden de domiciliación, el deudor autoriza (A) al
      acreedor, ${creditor}, a enviar instrucciones a la entidad del deudor para adeudar su cuenta y
      (B) a la entidad para efectuar los adeudos en su cuenta siguiendo las instrucciones del
      acreedor. Esta orden de domiciliación está prevista para operaciones exclusivamente entre
      empresas y/o autónomos. El deudor no tiene derecho a que su entidad le reembolse una vez que
      se haya realizado el cargo en cuenta, pero puede solicitar a su entidad que no efectúe el
      adeudo en la cuenta hasta la fecha debida.`,
  },
  note: {
    CORE: 'Puede obtener información adicional sobre sus derechos en su entidad financiera.',
    B2B: `Podrá obtener información detallada del procedimiento en su entidad financiera. Entregue
      una copia de esta orden a su entidad antes del primer adeudo: debe conocerla para atenderlo.`,
  },
  creditor: 'Acreedor',
  debtor: 'Deudor',
  account: 'Cuenta de adeudo',
  payment_type: 'Tipo de pago',
  recurrent: 'Pago recurrente',
  signed_on: 'Fecha de firma',
  signatory: 'Firmante',
  signature: 'Firma del deudor',
  electronic: 'Firmado electrónicamente',
}
