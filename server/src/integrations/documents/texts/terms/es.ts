/** Condiciones generales de la línea de crédito: general terms in Spanish. */
import { count } from '../../format.ts'
import type { TermsFacts, TermsSection, TermsText } from './facts.ts'

const dias = (n: number) => count(n, 'día', 'días')
const diasHabiles = (n: number) => count(n, 'día hábil bancario', 'días hábiles bancarios')

export const es: TermsText = {
  title: 'Condiciones generales de la línea de crédito para empresas',
  sections: f => [...relation(f), ...credit(f), ...price(f), ...money(f), ...closing(f)],
}

function relation(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Partes y objeto',
      paragraphs: [
        `Estas condiciones regulan la línea de crédito «${f.product.name}» que ${f.lender.name},
        ${f.lender.registration}, ${f.lender.address} (el «prestamista»), abre a la empresa que las
        acepta (el «prestatario»).`,
        `La línea de crédito sirve únicamente a fines profesionales. No está abierta a consumidores;
        el prestatario confirma que actúa en el marco de su actividad empresarial.`,
        `El prestatario utiliza el servicio a través de una plataforma (el «socio»), que transmite
        sus solicitudes y le muestra su estado. El socio no es parte en los préstamos.`,
      ],
    },
    {
      heading: 'Aceptación y documentos',
      paragraphs: [
        `Esta es la versión ${f.version}. Puede leerse antes de su aceptación en los siguientes
        idiomas: ${f.languages}. Es vinculante la versión en el idioma que el prestatario haya
        aceptado.`,
        `Quien acepta declara estar facultado para obligar al prestatario. La aceptación se registra
        electrónicamente con su fecha y hora, y se conserva el texto aceptado.`,
        `Para cada préstamo se extiende, al aprobarse, un contrato de préstamo, que se envía por
        correo electrónico y puede consultarse en todo momento. Si difiere de estas condiciones,
        prevalece el contrato de préstamo. Es día hábil bancario aquel en que está abierto el
        sistema de pagos TARGET; los días empiezan y terminan según la hora de París.`,
      ],
    },
  ]
}

function credit(f: TermsFacts): TermsSection[] {
  const p = f.product
  const invoice = {
    heading: 'Financiación de facturas',
    paragraphs: [
      `El préstamo se concede sobre una factura que el prestatario ha emitido por bienes entregados
      o servicios prestados. Puede cubrir una parte de la factura y nunca la supera; varios
      préstamos sobre una misma factura no exceden en conjunto su importe.`,
      `La fecha de reembolso está entre ${dias(p.days_min)} y ${dias(p.days_max)} después de la
      fecha de desembolso. El prestatario debe el reembolso haya pagado o no su cliente.`,
    ],
  }
  const wallet = {
    heading: 'Financiación de monedero',
    paragraphs: [
      `El préstamo se abona en una cuenta o un monedero a nombre del propio prestatario; no hace
      falta factura. Queda excluido el pago a terceros, y el prestamista comprueba quién es el
      titular de la cuenta.`,
      `La fecha de reembolso es, a más tardar, ${dias(p.days_max)} después de la fecha de
      desembolso.`,
    ],
  }
  return [
    {
      heading: 'La línea de crédito',
      paragraphs: [
        `La línea de crédito es el importe máximo de principal que el prestatario puede utilizar en
        cada momento. El prestamista la fija a partir de datos financieros y de operaciones:
        registros mercantiles, ingresos, historial de pagos, cuentas y datos de actividad que
        facilitan el prestatario o el socio. El prestatario puede pedir los motivos de su límite.`,
        `Se abre cuando el prestatario ha aceptado estas condiciones y tiene activada una forma de
        reembolso. El importe disponible es el límite menos los préstamos pendientes y los importes
        reservados para los solicitados. Es válida durante ${dias(p.line_days)} y se revisa con
        cada dato nuevo y tras cada reembolso. El prestamista puede reducirla o denegar un préstamo
        indicando el motivo; los préstamos ya desembolsados no se ven afectados.`,
      ],
    },
    p.product_type === 'WALLET_FINANCING' ? wallet : invoice,
    {
      heading: 'Solicitud, aprobación y desembolso',
      paragraphs: [
        `El préstamo se solicita por un importe comprendido en la línea disponible. Solo se aprueba
        una vez superadas las comprobaciones que exige la ley (identidad, titulares reales, origen
        de los fondos); hasta entonces la solicitud queda en espera.`,
        `El préstamo se abona en ${p.currency} en la fecha acordada. Lo aprobado después de las
        ${p.cut_off} (hora de París), o en un día que no sea hábil bancario, se abona el siguiente
        día hábil bancario.`,
      ],
    },
  ]
}

function price(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Intereses',
      paragraphs: [
        `Los intereses son del ${f.rate} diario del principal pendiente, sin capitalización; en un
        año de 365 días equivalen a un tipo nominal del ${f.annual_rate}. Se devengan desde la fecha
        valor del desembolso hasta el día anterior a la fecha valor del reembolso, cada día sobre lo
        pendiente al final del día.`,
        `Intereses = principal pendiente × ${f.rate} × días. Solo se redondea, una vez, el total de
        cada préstamo al céntimo más próximo (el medio céntimo, al céntimo par). Ejemplo:
        ${f.example.amount} durante ${dias(f.example.days)} cuestan ${f.example.interest}.`,
        `El prestamista no cobra comisión por abrir, mantener o no utilizar la línea de crédito, ni
        por los préstamos. La comisión que el prestatario haya pactado con el socio figura en una
        línea propia de la factura. Los intereses no llevan IVA (${f.vat_article}).`,
      ],
    },
    {
      heading: 'Factura mensual',
      paragraphs: [
        `Los intereses de un mes por todos los préstamos se facturan al comienzo del siguiente. La
        factura se genera el día 1, se valida y envía el primer día hábil bancario y vence el
        ${f.bill_due_day} día hábil bancario del mes. Detalla los días e importes de cada
        préstamo.`,
        `Si el socio ha aceptado asumir los intereses, la factura se le dirige a él y el prestatario
        solo debe el principal. Una factura errónea se sustituye o se corrige con una línea de la
        siguiente; el saldo a favor del pagador se compensa con sus facturas pendientes o se le
        devuelve.`,
      ],
    },
  ]
}

function money(f: TermsFacts): TermsSection[] {
  const p = f.product
  return [
    {
      heading: 'Reembolso',
      paragraphs: [
        `Cada préstamo se reembolsa en un solo pago en su vencimiento: por adeudo directo SEPA, por
        transferencia SEPA al IBAN y con la referencia que indica el contrato de préstamo, o con
        cargo a un monedero dedicado del prestatario. Si el vencimiento no es día hábil bancario,
        se traslada al siguiente.`,
        `El prestatario puede cambiar su forma de reembolso en cualquier momento. El cambio alcanza
        a todo adeudo previsto a más de ${diasHabiles(p.change_notice_days)}. Si una nueva orden de
        domiciliación no puede utilizarse, sigue en vigor la forma anterior.`,
      ],
    },
    {
      heading: 'Adeudo directo',
      paragraphs: [
        `Para los adeudos el prestatario firma una orden de domiciliación SEPA, básica o B2B, a
        favor del prestamista (identificador del acreedor ${f.creditor_identifier}). El contrato de
        préstamo anuncia el adeudo del principal; la factura, el de los intereses. Las partes
        reducen el plazo de esta notificación previa a ${dias(p.prenotification_days)} antes del
        adeudo.`,
        `Un adeudo devuelto o reembolsado se considera no recibido: el importe vuelve a deberse y
        los intereses siguen devengándose. El prestamista no lo presenta de nuevo por su cuenta. La
        orden de domiciliación caduca tras 36 meses sin adeudos.`,
      ],
    },
    {
      heading: 'Imputación de los pagos',
      paragraphs: [
        `El dinero que lleva la referencia de una factura, o que se adeuda por ella, paga esa
        factura. Todo otro dinero paga primero el principal pendiente, después los intereses
        facturados, empezando por los más antiguos, y después los intereses devengados aún no
        facturados; lo que sobra se devuelve a la cuenta de procedencia.`,
        `Una transferencia que nombra préstamos paga solo esos préstamos, primero el de vencimiento
        más antiguo. Una transferencia del prestatario que no nombra ninguno paga primero el
        préstamo con la fecha contractual de reembolso más temprana. Lo que no puede atribuirse con
        certeza queda en depósito y se devuelve a los ${dias(p.suspense_days)}.`,
      ],
    },
    {
      heading: 'Reembolso anticipado y cambio de fecha',
      paragraphs: [
        `Un préstamo puede reembolsarse anticipadamente en cualquier momento, en todo o en parte,
        sin comisión ni indemnización. Desde la fecha valor, lo reembolsado deja de devengar
        intereses.`,
        `La fecha de reembolso puede aplazarse una vez, dentro del plazo máximo indicado más arriba,
        y adelantarse cuantas veces se quiera. Con adeudo directo, un cambio requiere
        ${diasHabiles(p.change_notice_days)}.`,
      ],
    },
    {
      heading: 'Demora en el pago',
      paragraphs: [
        `Los intereses siguen al mismo tipo hasta el reembolso; no hay interés de penalización. Los
        primeros ${dias(p.grace_days)} de demora no tienen otro efecto. Desde el día
        ${f.suspension_day} no se concede ningún préstamo nuevo hasta que se pague todo lo vencido.
        Se envían recordatorios los días ${f.reminder_days}.`,
        `El día ${p.case_days} se abre un expediente de recobro. Las partes pueden acordar entonces
        un plan de pagos, con los gastos de recobro que en él consten. Si una cuota sigue impagada
        más de ${dias(p.grace_days)}, el plan termina y todo vence de inmediato.`,
        `Una factura impagada ${dias(p.bill_grace_days)} después de su vencimiento suspende la
        cuenta hasta su pago.`,
      ],
    },
  ]
}

function closing(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Obligaciones del prestatario',
      paragraphs: [
        `El prestatario facilita información veraz y completa, comunica sin demora todo cambio de
        forma jurídica, administradores, titulares reales o cuentas bancarias, y avisa al
        prestamista si no puede atender sus deudas a su vencimiento.`,
      ],
    },
    {
      heading: 'Duración y modificaciones',
      paragraphs: [
        `El contrato tiene duración indefinida. Cada parte puede ponerle fin por escrito con un
        preaviso de ${dias(f.product.notice_days)}; por causa grave, como la información falsa, el
        prestamista puede resolverlo de inmediato. Los préstamos ya desembolsados siguen debiéndose
        en sus fechas.`,
        `Las modificaciones de estas condiciones se anuncian ${dias(f.product.notice_days)} antes de
        surtir efecto y nunca afectan a préstamos ya desembolsados. El prestatario puede rechazarlas
        poniendo fin al contrato sin coste.`,
        `El prestamista puede ceder sus créditos, en particular para refinanciarse. Las condiciones
        pactadas con el prestatario no cambian.`,
      ],
    },
    {
      heading: 'Protección de datos y confidencialidad',
      paragraphs: [
        `El prestamista es responsable del tratamiento de los datos personales de representantes y
        titulares reales. Los trata para ejecutar el contrato, valorar el riesgo de crédito y
        cumplir sus obligaciones legales contra el blanqueo de capitales y la financiación del
        terrorismo (Reglamento (UE) 2016/679, art. 6.1, letras b, c y f). Se conservan mientras dure
        el contrato y después mientras lo exija la ley.`,
        `Los interesados pueden ejercer los derechos de acceso, rectificación, supresión, limitación
        y oposición, y pedir que una persona revise una decisión automatizada: ${f.lender.email}.
        Pueden reclamar ante la autoridad competente (${f.country}: ${f.law.authority}). El
        prestamista guarda secreto sobre los asuntos del prestatario, salvo, en lo necesario, ante
        el socio, sus proveedores y quienes lo refinancian.`,
      ],
    },
    {
      heading: 'Ley aplicable y tribunales',
      paragraphs: [
        `Estas condiciones y todos los préstamos que se rigen por ellas se someten al ${f.law.law}.
        Son competentes en exclusiva los tribunales de ${f.law.court_seat}, salvo norma imperativa
        en contrario. Las partes buscarán primero una solución amistosa; las reclamaciones se
        dirigen a ${f.lender.email}. La nulidad de una cláusula no afecta a las demás.`,
      ],
    },
  ]
}
