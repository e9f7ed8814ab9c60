/** The interest bill's texts in Spanish. */
import type { BillTexts } from './keys.ts'

export const es: BillTexts = {
  title: 'Factura de intereses',
  title_credit: 'Nota de abono',
  issued_on: 'Fecha',
  from_to: (from, to) => `del ${from} al ${to}`,
  due_on: 'Vencimiento',
  payer: 'Pagador',
  to_pay: 'Importe a pagar',
  credited: 'Importe abonado',
  amends: (number, issued) =>
    `Esta factura sustituye a la factura ${number} de ${issued}, que queda anulada.`,
  detail: 'Intereses de cada préstamo',
  rate_note: `Cada línea es principal × tipo diario × días, redondeado al céntimo; cuenta el
    principal pendiente al final de cada día, incluidos el primero y el último. Una regularización
    recoge la diferencia con el principal de una factura anterior. Un préstamo se redondea una sola
    vez en toda su duración: si hay un céntimo de diferencia, lo indica una línea.`,
  loan: 'Préstamo',
  from: 'Desde',
  to: 'Hasta',
  days: 'Días',
  outstanding: 'Pendiente',
  rate: 'Tipo diario',
  amount: 'Importe',
  interest_total: 'Total de intereses',
  extras: {
    PARTNER_MARK_UP: 'Comisión del socio',
    ADJUSTMENT: 'Regularizaciones',
    LAPSED: 'No facturado',
    ROUNDING: 'Redondeo',
  },
  adjustment: (number, reason) =>
    number ? `Regularización de la factura ${number}: ${reason}` : `Regularización: ${reason}`,
  reasons: {
    REPAYMENT_VALUED_EARLIER: 'reembolso con fecha de valor anterior',
    COLLECTION_RETURNED: 'adeudo devuelto por el banco',
    PAYOUT_RETURNED: 'desembolso devuelto por el banco',
    INTEREST_STOPPED: 'intereses detenidos',
    WRITE_OFF: 'préstamo pasado a pérdidas',
    RECALCULATED: 'intereses recalculados',
    NOT_RECORDED: 'intereses recalculados',
  },
  lapsed: 'No facturado: el préstamo pasó a pérdidas',
  rounding: (exact, before) =>
    `Redondeo: intereses hasta la fecha ${exact}, de ellos ya facturados ${before}`,
  summary: 'Resumen',
  total: 'Total',
  prepaid: 'Ya pagado',
  unpaid: 'Facturado, no pagado, ya no se debe',
  kept: 'Se descuenta de la próxima factura',
  set_off: 'Compensado con facturas pendientes',
  paid_back: (day, iban) => `Devuelto el ${day} a ${iban}`,
  payment: 'Pago',
  prenotification: (
    amount,
    day,
  ) => `Notificación previa del adeudo: el ${day} se adeudarán ${amount} en
    la cuenta aquí indicada. Rogamos que la cuenta tenga fondos suficientes.`,
  transfer_note: day => `Rogamos transferir el importe de modo que llegue a más tardar el ${day},
    indicando la referencia de esta factura.`,
  plan_note: 'El plan de pagos acordado liquida esta factura: no hay que pagar nada más.',
  wallet_note: day => `El importe se carga en el monedero dedicado el ${day}.`,
  nothing_to_pay: 'No queda nada por pagar.',
}
