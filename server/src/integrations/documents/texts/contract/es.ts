/** The loan agreement's texts in Spanish. */
import type { ContractTexts } from './keys.ts'

export const es: ContractTexts = {
  title: 'Contrato de préstamo',
  title_amended: 'Contrato de préstamo modificado',
  loan_types: {
    WALLET_FINANCING: 'Financiación de monedero',
    INVOICE_BASED_FINANCING: 'Financiación de factura',
    CREDIT_CARD_FINANCING: 'Financiación de tarjeta',
  },
  intro: (version, accepted) => `El prestamista concede al prestatario el préstamo aquí descrito,
    conforme a las condiciones generales de la línea de crédito para empresas, versión ${version},
    que el prestatario aceptó el ${accepted} y que forman parte de este contrato.`,
  amends: (id, issued) => `Este contrato sustituye al contrato ${id} de ${issued}.`,
  loan: 'Préstamo',
  loan_reference: 'Referencia del préstamo',
  loan_type: 'Tipo de préstamo',
  invoice: 'Factura financiada',
  principal: 'Principal',
  payout_on: 'Fecha de desembolso',
  payout_account: 'Abonado en',
  repay_on: 'Fecha de reembolso',
  days: 'Días con intereses',
  cost: 'Coste del préstamo',
  daily_rate: 'Interés diario sobre el principal pendiente',
  annual_rate: 'Tipo nominal anual (365 días)',
  interest: 'Intereses si se reembolsa según lo acordado',
  total: 'Total a reembolsar',
  cost_note: rate => `Intereses = ${rate} × principal pendiente × días, sin capitalización, desde la
    fecha valor del desembolso hasta el día anterior a la del reembolso; el total se redondea una
    sola vez. Los intereses indicados son una estimación: dependen de los días realmente
    utilizados. Se facturan al comienzo de cada mes, aparte del principal.`,
  no_other_fees: 'El prestamista no cobra otros gastos por este préstamo.',
  repayment: 'Reembolso del principal',
  prenotification: (
    amount,
    day,
  ) => `Notificación previa del adeudo: el ${day} se adeudarán ${amount}
    en la cuenta aquí indicada. Si los bancos están cerrados ese día, el adeudo se hará el siguiente
    día hábil bancario. Rogamos que la cuenta tenga fondos suficientes.`,
  transfer_note: `Rogamos transferir el principal de modo que llegue a más tardar en la fecha de
    reembolso, indicando la referencia: es la que asigna el dinero a este préstamo.`,
  wallet_note: 'El principal se carga en el monedero dedicado en esa fecha.',
  early: (
    iban,
    reference,
  ) => `El préstamo puede reembolsarse anticipadamente en cualquier momento, en
    todo o en parte, sin coste, por transferencia a ${iban} con la referencia ${reference}.`,
  early_free: `El préstamo puede reembolsarse anticipadamente en cualquier momento, en todo o en
    parte, sin coste.`,
  plan: 'Plan de pagos',
  plan_note: `Las partes acuerdan que lo adeudado se pague en estas cuotas. Sustituyen a la fecha de
    reembolso indicada más arriba; la demora se mide según ellas.`,
  plan_prenotification: `Cada cuota se adeuda en su fecha en la cuenta aquí indicada. Esta tabla es
    la notificación previa de esos adeudos.`,
  due_on: 'Vencimiento',
  recollection_fees: 'de los cuales, gastos de recobro',
  sum: 'Total',
  closing: law => `Este contrato se celebra por vía electrónica y es válido sin firma. Se somete al
    ${law}; tribunales y reclamaciones, según las condiciones generales.`,
}
