/** The mails' texts in Spanish. */
import type { MailTexts } from './keys.ts'

export const es: MailTexts = {
  greeting: recipient => `Buenos días, ${recipient}:`,
  closing: 'Un cordial saludo',
  questions: email => `¿Alguna pregunta? Escriba a ${email}.`,
  interest_runs: 'Los intereses siguen contando hasta el reembolso.',
  terms_signed: {
    subject: lender => `Sus documentos de ${lender}`,
    body: 'Su empresa ha aceptado nuestras condiciones. Las adjuntamos; consérvelas, por favor.',
    mandate: reference =>
      `Adjuntamos también su orden de domiciliación de adeudo directo SEPA ${reference}.`,
  },
  contract_ready: {
    subject: reference => `Su préstamo ${reference} está aprobado`,
    body: 'Su préstamo está aprobado. Adjuntamos el contrato de préstamo; consérvelo, por favor.',
  },
  contract_amended: {
    subject: reference => `Modificación de su contrato de préstamo ${reference}`,
    body: count => `Su préstamo se reembolsa ahora según un plan de pagos de ${count} cuotas.
Adjuntamos el contrato de préstamo modificado con el calendario de pagos, que sustituye al
anterior; consérvelo, por favor.`,
  },
  bill_sent: {
    subject: (number, period) => `Factura de intereses ${number}, ${period}`,
    body: period => `Adjuntamos la factura de intereses ${period}.`,
    debited: (
      amount,
      day,
      mandate,
    ) => `El ${day} se adeudarán ${amount} en su cuenta con la orden de
      domiciliación ${mandate}. No tiene que hacer nada; procure que la cuenta tenga fondos.`,
    transfer: day => `Rogamos transferir el importe de modo que llegue a más tardar el ${day}:`,
    wallet: day => `El importe se carga en su monedero dedicado el ${day}.`,
    plan: 'El plan de pagos acordado liquida esta factura: no hay que pagar nada más.',
    nothing: 'No queda nada por pagar.',
  },
  bill_withdrawn: {
    subject: number => `Factura de intereses ${number} anulada`,
    body: (
      number,
      period,
    ) => `Nuestra factura de intereses ${number} era errónea: por lo que se ha sabido después,
      no se debe nada por el período ${period}. La factura queda anulada; le rogamos que no la
      pague.`,
  },
  credit_note: {
    subject: (number, period) => `Nota de abono ${number}, ${period}`,
    body: period => `Adjuntamos nuestra nota de abono de intereses ${period}.`,
    unpaid: amount => `${amount} se habían facturado sin haberse pagado; ya no se deben.`,
    kept: amount => `${amount} quedan a su favor y se descuentan de su próxima factura.`,
    set_off: amount => `${amount} se compensan con facturas pendientes, primero las más antiguas.`,
    refund: (amount, day, iban) =>
      `Devolvemos ${amount} a la cuenta ${iban}; la transferencia sale el ${day}.`,
  },
  revenue_share: {
    subject: period => `Su participación en los ingresos, ${period}`,
    body: (
      amount,
      day,
    ) => `Su participación en los intereses pagados hasta el ${day} por los clientes que usted
      ha presentado es de ${amount}. Le rogamos que envíe su factura por este importe a la
      plataforma; se paga el día hábil bancario siguiente a su entrega.`,
  },
  payout_done: {
    subject: reference => `Su préstamo ${reference} está desembolsado`,
    body: (amount, day) => `Hemos abonado ${amount} en su cuenta el ${day}.`,
    interest: 'Los intereses cuentan desde ese día.',
    transfer: `Le rogamos que lo reembolse por transferencia, cada importe a más tardar en su
      vencimiento, con la referencia indicada:`,
  },
  repaid: {
    subject: reference => `Su préstamo ${reference} está reembolsado`,
    body: (
      amount,
      day,
    ) => `El principal de su préstamo, ${amount}, quedó reembolsado por completo el
      ${day}. Desde ese día no devenga intereses. Gracias.`,
    interest: amount => `Quedan intereses por ${amount}, que figurarán en su próxima factura.`,
    billed: amount => `En una factura anterior quedan ${amount} de intereses por pagar.`,
    closed: 'Ya no se debe nada por este préstamo.',
  },
  postponed: {
    subject: reference => `El vencimiento de su préstamo ${reference} se aplaza`,
    body: (before, day) => `Como se ha acordado, su préstamo vence ahora el ${day} en lugar del
      ${before}.`,
    once: 'Solo cabe un aplazamiento.',
  },
  debit_announced: {
    loan: reference => `Se va a adeudar su préstamo ${reference}`,
    bill: reference => `Se va a adeudar su factura ${reference}`,
    installment: reference => `Se va a adeudar su cuota ${reference}`,
    fee: reference => `Se va a adeudar su cuota mensual ${reference}`,
    body: (
      amount,
      day,
    ) => `El ${day} adeudaremos ${amount} en su cuenta. No tiene que hacer nada; le
      rogamos que procure que haya fondos suficientes.`,
  },
  to_transfer: {
    fee: {
      subject: reference => `Le rogamos que transfiera su cuota mensual ${reference}`,
      body: `Esta cuota mensual no se adeuda en cuenta. Le rogamos que
        la transfiera antes de su vencimiento, con su referencia:`,
    },
    bill: {
      subject: reference => `Le rogamos que transfiera su factura ${reference}`,
      body: `El adeudo de esta factura ha fallado o ha sido devuelto y no se repetirá. Le rogamos
        que transfiera el importe, con la referencia de la factura:`,
      reopened: `Un pago que se había imputado a esta factura ya no cuenta, y ningún adeudo la
        salda. Le rogamos que transfiera el importe, con la referencia de la factura:`,
    },
  },
  mandate_ended: {
    subject: mandate => `Su mandato de adeudo directo ${mandate} ha terminado`,
    refused: (
      mandate,
      iban,
    ) => `Su banco nos comunica que la cuenta ${iban} no puede adeudarse. Por ello, el
      mandato ${mandate} ha terminado: ya no se adeudará nada por él.`,
    unused: (
      mandate,
      iban,
    ) => `Con su mandato ${mandate} no se ha adeudado nada en la cuenta ${iban} durante
      36 meses. Por ello ha caducado: ya no se adeudará nada por él.`,
    set_up: `Le rogamos que configure otra forma de reembolso en la plataforma a través
      de la cual se financia. Hasta entonces no se le puede conceder ningún otro préstamo.`,
    transfer: `Lo que se debe ya no se adeuda en cuenta. Le rogamos que transfiera cada
      importe antes de su vencimiento, con su referencia:`,
  },
  refund_reclaimed: {
    subject: reference => `La devolución del préstamo ${reference} se adeuda de nuevo`,
    body: (amount, day) => `Su banco ha devuelto un adeudo domiciliado de este préstamo. La
      transferencia que habíamos considerado un pago en exceso amortiza ahora el préstamo. Por ello
      se adeudan de nuevo los ${amount} que devolvimos. Vencen el ${day}.`,
    interest: 'Devengan intereses desde el día de la devolución.',
    to_you: 'Habíamos devuelto este importe a su cuenta.',
    to_payer: `Habíamos devuelto este importe a la cuenta de la que procedía la transferencia, que
      no es ninguna de las suyas. Aun así lo adeuda usted: le rogamos que se ponga en contacto con
      el ordenante de la transferencia.`,
    to_both: amount => `Habíamos devuelto este importe a su cuenta, salvo ${amount}, que fueron a la
      cuenta de la que procedía la transferencia, que no es ninguna de las suyas. Adeuda usted
      también esa parte: le rogamos que se ponga en contacto con el ordenante de la transferencia.`,
    transfer: 'Le rogamos que transfiera el importe pendiente:',
  },
  late: {
    subject: reference => `Su préstamo ${reference} está en mora`,
    body: (day, days) => `Su préstamo venció el ${day} y no se ha reembolsado: lleva ${days}
      ${days === 1 ? 'día' : 'días'} de retraso.`,
    suspended: 'Hasta el reembolso no se le puede desembolsar ningún otro préstamo.',
    transfer: 'Le rogamos que transfiera de inmediato lo pendiente:',
    debited: 'Este importe se adeudará en su cuenta; le rogamos que no lo transfiera además:',
  },
  installment_late: {
    subject: reference => `Una cuota de su plan de pagos ${reference} está en mora`,
    body: (day, days) => `La cuota que vencía el ${day} no se ha pagado por completo: lleva ${days}
      ${days === 1 ? 'día' : 'días'} de retraso.`,
    breaks: `Si sigue sin pagarse, el plan de pagos terminará y todo el saldo pendiente volverá a
      ser exigible en las fechas originales.`,
    transfer: 'Le rogamos que transfiera de inmediato el importe vencido:',
  },
  plan_broken: {
    subject: reference => `Su plan de pagos ${reference} ha terminado`,
    body: (unpaid, day) => `De la cuota que vencía el ${day} quedaron sin pagar ${unpaid} una vez
      transcurrido el plazo de gracia. Por ello, su plan de pagos ha terminado.`,
    stop: `Las cuotas aún pendientes quedan anuladas: le rogamos que no pague nada más a cuenta del
      plan. Lo que todavía adeuda vuelve a vencer en las fechas originales que figuran abajo.`,
    total: amount => `A día de hoy adeuda ${amount} en total:`,
    to_bill: 'Los intereses que aún no se han facturado figurarán en su próxima factura.',
    nothing: 'Ya no se debe nada.',
  },
  labels: {
    loan: 'Préstamo',
    amount: 'Importe',
    payout_on: 'Fecha de desembolso',
    repay_on: 'Fecha de reembolso',
    interest_estimated: 'Intereses si se reembolsa según lo acordado',
    account: 'Cuenta',
    bill: 'Factura',
    installment: 'Cuota',
    fee: 'Cuota mensual',
    to_pay: 'Importe a pagar',
    due_on: 'Vencimiento',
    interest: 'Intereses hasta hoy',
    mandate: 'Mandato',
    creditor: 'Identificador del acreedor',
    principal: 'Principal pendiente',
    unbilled: 'Intereses aún no facturados',
    debit: 'Adeudo previsto',
    to_transfer: 'Importe a transferir',
  },
}
