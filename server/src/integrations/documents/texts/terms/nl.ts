/** Algemene voorwaarden van de kredietlijn: general terms in Dutch. */
import { count } from '../../format.ts'
import type { TermsFacts, TermsSection, TermsText } from './facts.ts'

const dagen = (n: number) => count(n, 'dag', 'dagen')
const bankdagen = (n: number) => count(n, 'bankwerkdag', 'bankwerkdagen')

export const nl: TermsText = {
  title: 'Algemene voorwaarden van de zakelijke kredietlijn',
  sections: f => [...relation(f), ...credit(f), ...price(f), ...money(f), ...closing(f)],
}

function relation(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Partijen en voorwerp',
      paragraphs: [
        `Deze voorwaarden regelen de kredietlijn ‘${f.product.name}’ die ${f.lender.name},
        ${f.lender.registration}, ${f.lender.address} (de ‘kredietgever’), opent voor de onderneming
        die ze aanvaardt (de ‘kredietnemer’).`,
        `De kredietlijn dient uitsluitend zakelijke doeleinden. Zij staat niet open voor
        consumenten; de kredietnemer bevestigt dat hij handelt in de uitoefening van zijn bedrijf.`,
        `De kredietnemer gebruikt de dienst via een platform (de ‘partner’), dat zijn aanvragen
        doorgeeft en hem de stand ervan toont. De partner is geen partij bij de leningen.`,
      ],
    },
    {
      heading: 'Aanvaarding en documenten',
      paragraphs: [
        `Dit is versie ${f.version} van de voorwaarden. Zij kan vóór aanvaarding worden gelezen in
        deze talen: ${f.languages}. De versie in de taal die de kredietnemer heeft aanvaard, is
        bindend.`,
        `Wie aanvaardt, verklaart bevoegd te zijn de kredietnemer te binden. De aanvaarding wordt
        elektronisch vastgelegd met datum en tijd, en de aanvaarde tekst wordt bewaard.`,
        `Voor elke lening wordt bij goedkeuring een leningsovereenkomst opgemaakt, per e-mail
        toegezonden en te allen tijde opvraagbaar gehouden. Wijkt zij af van deze voorwaarden, dan
        gaat de leningsovereenkomst voor. Een bankwerkdag is een dag waarop het betalingssysteem
        TARGET open is; dagen beginnen en eindigen volgens de tijd in Parijs.`,
      ],
    },
  ]
}

function credit(f: TermsFacts): TermsSection[] {
  const p = f.product
  const invoice = {
    heading: 'Factuurfinanciering',
    paragraphs: [
      `Een lening wordt verstrekt op een factuur die de kredietnemer heeft uitgereikt voor geleverde
      goederen of verrichte diensten. Zij kan een deel van de factuur dekken, nooit meer dan de
      factuur; meerdere leningen op één factuur blijven samen binnen het bedrag ervan.`,
      `De terugbetaaldatum ligt tussen ${dagen(p.days_min)} en ${dagen(p.days_max)} na de
      uitbetaaldatum. De kredietnemer is terugbetaling verschuldigd, ook als zijn klant niet heeft
      betaald.`,
    ],
  }
  const wallet = {
    heading: 'Walletfinanciering',
    paragraphs: [
      `Een lening wordt uitbetaald op een rekening of wallet op naam van de kredietnemer zelf; een
      factuur is niet nodig. Uitbetaling aan derden is uitgesloten, en de kredietgever controleert
      wie de rekeninghouder is.`,
      `De terugbetaaldatum ligt ten hoogste ${dagen(p.days_max)} na de uitbetaaldatum.`,
    ],
  }
  return [
    {
      heading: 'De kredietlijn',
      paragraphs: [
        `De kredietlijn is het hoogste bedrag aan hoofdsom dat de kredietnemer op enig moment kan
        gebruiken. De kredietgever bepaalt haar op grond van financiële en transactiegegevens:
        handelsregisters, omzet, betaalgedrag, rekeningen en activiteitsgegevens die de kredietnemer
        of de partner deelt. De kredietnemer kan naar de redenen van zijn limiet vragen.`,
        `Zij gaat open zodra de kredietnemer deze voorwaarden heeft aanvaard en een betaalwijze is
        ingesteld. Beschikbaar is de limiet min de openstaande leningen en de bedragen die voor
        aangevraagde leningen zijn gereserveerd. Zij is ${dagen(p.line_days)} geldig en wordt bij
        nieuwe gegevens en na elke terugbetaling opnieuw beoordeeld. De kredietgever kan haar
        verlagen of een lening weigeren en geeft dan de reden; reeds uitbetaalde leningen blijven
        ongemoeid.`,
      ],
    },
    p.product_type === 'WALLET_FINANCING' ? wallet : invoice,
    {
      heading: 'Aanvraag, goedkeuring en uitbetaling',
      paragraphs: [
        `Een lening wordt aangevraagd binnen de beschikbare kredietlijn. Zij wordt pas goedgekeurd
        nadat de wettelijk vereiste controle (identiteit, uiteindelijk belanghebbenden, herkomst van
        middelen) is doorlopen; tot dan wacht de aanvraag.`,
        `De lening wordt in ${p.currency} uitbetaald op de afgesproken datum. Wat na ${p.cut_off}
        uur (tijd in Parijs) of op een dag die geen bankwerkdag is wordt goedgekeurd, wordt op de
        volgende bankwerkdag uitbetaald.`,
      ],
    },
  ]
}

function price(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Rente',
      paragraphs: [
        `De rente is ${f.rate} per dag over de openstaande hoofdsom, zonder rente op rente; over een
        jaar van 365 dagen is dat een nominale rente van ${f.annual_rate}. Zij loopt van de
        valutadatum van de uitbetaling tot en met de dag vóór de valutadatum van de terugbetaling,
        elke dag over wat aan het einde ervan openstaat.`,
        `Rente = openstaande hoofdsom × ${f.rate} × dagen. Alleen het totaal van een lening wordt
        afgerond, eenmaal, op de dichtstbijzijnde cent (een halve cent op de even cent). Voorbeeld:
        ${f.example.amount} gedurende ${dagen(f.example.days)} kost ${f.example.interest}.`,
        `De kredietgever rekent geen kosten voor het openen, aanhouden of niet gebruiken van de
        kredietlijn, en geen voor een lening. Een vergoeding die de kredietnemer met de partner is
        overeengekomen, staat als eigen regel op de nota. Over rente is geen btw verschuldigd
        (${f.vat_article}).`,
      ],
    },
    {
      heading: 'Maandnota',
      paragraphs: [
        `De rente van een maand over alle leningen wordt aan het begin van de volgende maand in
        rekening gebracht. De nota wordt op de 1e opgemaakt, op de eerste bankwerkdag gecontroleerd
        en verzonden, en vervalt op de ${f.bill_due_day} bankwerkdag van de maand. Zij noemt elke
        lening met dagen en bedragen.`,
        `Heeft de partner de rente op zich genomen, dan gaat de nota naar de partner en is de
        kredietnemer alleen de hoofdsom verschuldigd. Een onjuiste nota wordt vervangen, of hersteld
        met een regel op de volgende; een tegoed van de betaler wordt verrekend met openstaande
        nota’s of terugbetaald.`,
      ],
    },
  ]
}

function money(f: TermsFacts): TermsSection[] {
  const p = f.product
  return [
    {
      heading: 'Terugbetaling',
      paragraphs: [
        `Elke lening wordt op de terugbetaaldatum in één keer terugbetaald: door SEPA-incasso, door
        SEPA-overschrijving naar de IBAN en met het kenmerk uit de leningsovereenkomst, of door
        afschrijving van een eigen wallet van de kredietnemer. Is de datum geen bankwerkdag, dan
        geldt de volgende.`,
        `De kredietnemer kan zijn betaalwijze te allen tijde wijzigen. De wijziging geldt voor elke
        incasso die meer dan ${bankdagen(p.change_notice_days)} vooruit ligt. Kan een nieuwe
        machtiging niet worden gebruikt, dan blijft de vorige betaalwijze gelden.`,
      ],
    },
    {
      heading: 'Incasso',
      paragraphs: [
        `Voor incasso’s tekent de kredietnemer een SEPA-machtiging, algemeen of zakelijk, ten gunste
        van de kredietgever (incassant-ID ${f.creditor_identifier}). De leningsovereenkomst kondigt
        de incasso van de hoofdsom aan, de nota die van de rente. Partijen verkorten de termijn van
        deze vooraankondiging tot ${dagen(p.prenotification_days)} vóór de afschrijving.`,
        `Een gestorneerde of teruggeboekte incasso geldt als niet ontvangen: het bedrag is weer
        verschuldigd en de rente loopt door. De kredietgever biedt haar niet uit eigen beweging
        opnieuw aan. Een machtiging vervalt na 36 maanden zonder incasso.`,
      ],
    },
    {
      heading: 'Volgorde van toerekening',
      paragraphs: [
        `Geld dat het kenmerk van een nota draagt, of daarvoor wordt geïncasseerd, betaalt die nota.
        Al het andere geld betaalt eerst de openstaande hoofdsom, dan de in rekening gebrachte
        rente, de oudste eerst, dan de opgelopen, nog niet in rekening gebrachte rente; wat
        overblijft gaat terug naar de rekening waar het vandaan kwam.`,
        `Een overschrijving die leningen noemt, betaalt alleen die leningen, de eerst vervallende
        eerst. Een overschrijving van de kredietnemer die geen lening noemt, betaalt eerst de lening
        met de vroegste contractuele terugbetaaldatum. Geld dat niet met zekerheid kan worden
        toegerekend, wordt apart gehouden en gaat na ${dagen(p.suspense_days)} terug.`,
      ],
    },
    {
      heading: 'Vervroegde terugbetaling en wijziging van de datum',
      paragraphs: [
        `Een lening mag te allen tijde geheel of gedeeltelijk vervroegd worden terugbetaald, zonder
        kosten of vergoeding. Vanaf de valutadatum loopt over het terugbetaalde geen rente meer.`,
        `De terugbetaaldatum kan één keer worden uitgesteld, binnen de hierboven genoemde
        maximumduur, en zo vaak als gewenst worden vervroegd. Bij incasso vergt een wijziging
        ${bankdagen(p.change_notice_days)}.`,
      ],
    },
    {
      heading: 'Te late betaling',
      paragraphs: [
        `De rente loopt tegen hetzelfde tarief door tot de terugbetaling; er is geen boeterente. De
        eerste ${dagen(p.grace_days)} vertraging hebben geen ander gevolg. Vanaf dag
        ${f.suspension_day} wordt geen nieuwe lening verstrekt totdat al het opeisbare is betaald.
        Herinneringen volgen op dag ${f.reminder_days}.`,
        `Op dag ${p.case_days} wordt een incassodossier geopend. Partijen kunnen dan een
        betalingsregeling afspreken, met de daarin genoemde invorderingskosten. Blijft een termijn
        langer dan ${dagen(p.grace_days)} onbetaald, dan eindigt de regeling en is alles
        onmiddellijk opeisbaar.`,
        `Een nota die ${dagen(p.bill_grace_days)} na de vervaldatum onbetaald is, schort de rekening
        op totdat zij is betaald.`,
      ],
    },
  ]
}

function closing(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Plichten van de kredietnemer',
      paragraphs: [
        `De kredietnemer geeft juiste en volledige informatie, meldt onmiddellijk elke wijziging van
        rechtsvorm, bestuur, uiteindelijk belanghebbenden of bankrekeningen, en laat het de
        kredietgever weten wanneer hij opeisbare schulden niet meer kan betalen.`,
      ],
    },
    {
      heading: 'Duur en wijzigingen',
      paragraphs: [
        `De overeenkomst geldt voor onbepaalde tijd. Elke partij kan haar schriftelijk opzeggen met
        een termijn van ${dagen(f.product.notice_days)}; om dringende redenen, zoals onjuiste
        informatie, kan de kredietgever haar per direct beëindigen. Reeds uitbetaalde leningen
        blijven op hun datum verschuldigd.`,
        `Wijzigingen van deze voorwaarden worden ${dagen(f.product.notice_days)} vóór de ingang
        aangekondigd en betreffen nooit reeds uitbetaalde leningen. De kredietnemer kan ze weigeren
        door kosteloos op te zeggen.`,
        `De kredietgever mag zijn vorderingen overdragen, in het bijzonder om zich te
        herfinancieren. De met de kredietnemer afgesproken voorwaarden blijven gelijk.`,
      ],
    },
    {
      heading: 'Gegevensbescherming en vertrouwelijkheid',
      paragraphs: [
        `De kredietgever is verantwoordelijk voor de verwerking van persoonsgegevens van
        vertegenwoordigers en uiteindelijk belanghebbenden. Hij verwerkt ze om de overeenkomst uit
        te voeren, het kredietrisico te beoordelen en te voldoen aan zijn wettelijke plichten tegen
        witwassen en terrorismefinanciering (Verordening (EU) 2016/679, art. 6, lid 1, onder b, c en
        f). Ze worden bewaard zolang de overeenkomst loopt en daarna zolang de wet het eist.`,
        `Betrokkenen hebben recht op inzage, rectificatie, wissing, beperking en bezwaar, en kunnen
        een geautomatiseerd besluit door een mens laten beoordelen: ${f.lender.email}. Zij kunnen
        een klacht indienen bij de bevoegde autoriteit (${f.country}: ${f.law.authority}). De
        kredietgever houdt de zaken van de kredietnemer vertrouwelijk, behalve, voor zover nodig,
        tegenover de partner, dienstverleners en herfinanciers.`,
      ],
    },
    {
      heading: 'Recht en rechter',
      paragraphs: [
        `Op deze voorwaarden en alle leningen die eronder vallen is ${f.law.law} van toepassing. De
        rechter te ${f.law.court_seat} is bij uitsluiting bevoegd, tenzij de wet dwingend een andere
        aanwijst. Partijen zoeken eerst een minnelijke oplossing; klachten gaan naar
        ${f.lender.email}. Is een bepaling nietig, dan blijven de overige van kracht.`,
      ],
    },
  ]
}
