/** Words of the interest bill in Spanish. */
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
  rate_note: rate => `Los intereses son del ${rate} diario del principal pendiente al final del día;
    se cuentan el primer día y el último. Cada préstamo se redondea una sola vez en toda su
    duración, de modo que sus facturas suman lo que da la fórmula.`,
  loan: 'Préstamo',
  from: 'Desde',
  to: 'Hasta',
  days: 'Días',
  outstanding: 'Pendiente',
  interest: 'Intereses',
  interest_total: 'Total de intereses',
  extras: { ADJUSTMENT: 'Regularización', PARTNER_MARK_UP: 'Comisión del socio' },
  summary: 'Resumen',
  total: 'Total',
  prepaid: 'Ya pagado',
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
  wallet_note: day => `El importe se carga en el monedero dedicado el ${day}.`,
  nothing_to_pay: 'No queda nada por pagar.',
  credit_note: `El importe abonado se compensa con las facturas pendientes, empezando por las más
    antiguas; el resto se devuelve en cinco días hábiles bancarios.`,
}
