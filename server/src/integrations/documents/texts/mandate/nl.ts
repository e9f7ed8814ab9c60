/** The SEPA mandate's texts in Dutch (EPC130-08 and EPC131-08). */
import type { MandateTexts } from './keys.ts'

export const nl: MandateTexts = {
  title: { CORE: 'Doorlopende SEPA-machtiging', B2B: 'Doorlopende SEPA-machtiging bedrijven' },
  authorisation: {
    CORE: creditor => `Door ondertekening van dit formulier geeft u toestemming aan (A) ${creditor}
      om doorlopende incasso-opdrachten te sturen naar uw bank om een bedrag van uw rekening af te
      schrijven en (B) aan uw bank om doorlopend een bedrag van uw rekening af te schrijven
      overeenkomstig de opdracht van ${creditor}. Als u het niet eens bent met deze afschrijving
      kunt u deze laten terugboeken. Neem hiervoor binnen 8 weken na afschrijving contact op met uw
      bank. Vraag uw bank naar de voorwaarden.`,
    B2B: creditor => `Door ondertekening van dit formulier geeft u toestemming aan (A) ${creditor}
      om zakelijke doorlopende incasso-opdrachten te sturen naar uw bank om een bedrag van uw
      rekening af te schrijven en (B) aan uw bank om doorlopend een bedrag van uw rekening af te
      schrijven overeenkomstig de opdracht van ${creditor}. Deze machtiging is uitsluitend bedoeld
      voor incassotransacties tussen bedrijven. Na afschrijving heeft u geen recht om het bedrag
      terug te laten boeken. U heeft wel het recht om uw bank te vragen het bedrag niet af te
      schrijven. U kunt dit doen tot en met de dag waarop de afschrijving zou plaatsvinden.`,
  },
  note: {
    CORE: 'Uw rechten staan omschreven in een verklaring die u bij uw bank kunt opvragen.',
    B2B: `Laat deze machtiging vóór de eerste afschrijving bij uw bank registreren: zonder
      registratie voert de bank de incasso niet uit.`,
  },
  creditor: 'Incassant (schuldeiser)',
  debtor: 'Betaler (schuldenaar)',
  account: 'Te belasten rekening',
  payment_type: 'Soort betaling',
  recurrent: 'Terugkerend',
  signed_on: 'Datum van ondertekening',
  signatory: 'Ondertekend door',
  signature: 'Handtekening van de betaler',
  electronic: 'Elektronisch ondertekend',
}
