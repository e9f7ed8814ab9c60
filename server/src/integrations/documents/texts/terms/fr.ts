/** Conditions générales de la ligne de crédit : general terms in French. */
import { count } from '../../format.ts'
import type { TermsFacts, TermsSection, TermsText } from './facts.ts'

const jours = (n: number) => count(n, 'jour', 'jours')
const joursOuvres = (n: number) => count(n, 'jour bancaire', 'jours bancaires')

export const fr: TermsText = {
  title: 'Conditions générales de la ligne de crédit professionnelle',
  sections: f => [...relation(f), ...credit(f), ...price(f), ...money(f), ...closing(f)],
}

function relation(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Parties et objet',
      paragraphs: [
        `Les présentes conditions régissent la ligne de crédit « ${f.product.name} » que
        ${f.lender.name}, ${f.lender.registration}, ${f.lender.address} (le « prêteur »), ouvre à
        la société qui les accepte (l’« emprunteur »).`,
        `La ligne de crédit répond exclusivement à des besoins professionnels. Elle n’est pas
        ouverte aux consommateurs ; l’emprunteur confirme agir dans le cadre de son activité.`,
        `L’emprunteur utilise le service par l’intermédiaire d’une plateforme (le « partenaire »),
        qui transmet ses demandes et lui en présente l’état. Le partenaire n’est pas partie aux
        prêts.`,
      ],
    },
    {
      heading: 'Acceptation et documents',
      paragraphs: [
        `La présente version est la version ${f.version}. Elle peut être lue avant son acceptation
        dans les langues suivantes : ${f.languages}. La version dans la langue acceptée par
        l’emprunteur fait foi.`,
        `La personne qui accepte déclare avoir le pouvoir d’engager l’emprunteur. L’acceptation
        est enregistrée par voie électronique avec sa date et son heure, et le texte accepté est
        conservé.`,
        `Un contrat de prêt est établi pour chaque prêt lors de son approbation. Il est envoyé par
        courrier électronique et reste consultable à tout moment. En cas de divergence, le contrat
        de prêt prévaut sur les présentes conditions. Un jour bancaire est un jour d’ouverture du
        système de paiement TARGET ; les jours commencent et finissent à l’heure de Paris.`,
      ],
    },
  ]
}

function credit(f: TermsFacts): TermsSection[] {
  const p = f.product
  const invoice = {
    heading: 'Financement de factures',
    paragraphs: [
      `Un prêt est consenti sur présentation d’une facture que l’emprunteur a émise pour des biens
      livrés ou des services rendus. Il peut n’en couvrir qu’une partie et ne la dépasse jamais ;
      plusieurs prêts sur une même facture restent ensemble dans la limite de son montant.`,
      `La date de remboursement se situe entre ${jours(p.days_min)} et ${jours(p.days_max)} après
      la date de versement. L’emprunteur doit le remboursement, que son client ait payé ou non.`,
    ],
  }
  const wallet = {
    heading: 'Financement de portefeuille',
    paragraphs: [
      `Le prêt est versé sur un compte ou un portefeuille ouvert au nom de l’emprunteur lui-même ;
      aucune facture n’est requise. Tout versement à un tiers est exclu et le prêteur vérifie le
      titulaire du compte.`,
      `La date de remboursement se situe au plus tard ${jours(p.days_max)} après la date de
      versement.`,
    ],
  }
  return [
    {
      heading: 'La ligne de crédit',
      paragraphs: [
        `La ligne de crédit est le montant maximal de capital que l’emprunteur peut utiliser à
        tout moment. Le prêteur la fixe à partir de données financières et transactionnelles :
        registres des sociétés, chiffre d’affaires, historique de paiement, comptes et données
        d’activité que l’emprunteur ou le partenaire lui communique. L’emprunteur peut demander
        les raisons de son plafond.`,
        `Elle s’ouvre dès que l’emprunteur a accepté les présentes conditions et qu’un mode de
        remboursement est activé. Le montant disponible est le plafond diminué des prêts en cours
        et des montants réservés pour les prêts demandés. Elle est valable
        ${jours(p.line_days)} et réévaluée à chaque nouvelle donnée et après chaque remboursement.
        Le prêteur peut la réduire ou refuser un prêt ; il en donne alors le motif. Les prêts déjà
        versés n’en sont pas affectés.`,
      ],
    },
    p.product_type === 'WALLET_FINANCING' ? wallet : invoice,
    {
      heading: 'Demande, approbation et versement',
      paragraphs: [
        `Le prêt est demandé pour un montant compris dans la ligne de crédit disponible. Il n’est
        approuvé qu’une fois menées à bien les vérifications imposées par la loi (identité,
        bénéficiaires effectifs, origine des fonds) ; jusque-là, la demande reste en attente.`,
        `Le prêt est versé en ${p.currency} à la date convenue. Ce qui est approuvé après
        ${p.cut_off} (heure de Paris), ou un jour qui n’est pas un jour bancaire, est versé le
        jour bancaire suivant.`,
      ],
    },
  ]
}

function price(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Intérêts',
      paragraphs: [
        `Les intérêts s’élèvent à ${f.rate} par jour du capital restant dû, sans capitalisation,
        soit un taux nominal de ${f.annual_rate} pour une année de 365 jours. Ils courent de la
        date de valeur du versement à la veille de la date de valeur du remboursement, chaque jour
        sur le capital restant dû en fin de journée.`,
        `Intérêts = capital restant dû × ${f.rate} × nombre de jours. Seul le total d’un prêt est
        arrondi, une seule fois, au centime le plus proche (le demi-centime au centime pair).
        Exemple : ${f.example.amount} pendant ${jours(f.example.days)} coûtent
        ${f.example.interest}.`,
        `Le prêteur ne prélève aucuns frais pour l’ouverture, la tenue ou la non-utilisation de la
        ligne de crédit, ni pour un prêt. Des frais convenus entre l’emprunteur et le partenaire
        forment une ligne distincte de la facture. Les intérêts ne sont pas soumis à la TVA
        (${f.vat_article}).`,
      ],
    },
    {
      heading: 'Facture mensuelle',
      paragraphs: [
        `Les intérêts d’un mois sur l’ensemble des prêts sont facturés au début du mois suivant.
        La facture est établie le 1er du mois, validée et envoyée le premier jour bancaire, et
        exigible le ${f.bill_due_day} jour bancaire du mois. Elle détaille les jours et les montants
        de chaque prêt.`,
        `Lorsque le partenaire a accepté de supporter les intérêts, la facture lui est adressée et
        l’emprunteur ne doit que le capital. Une facture erronée est remplacée, ou corrigée par
        une ligne de la facture suivante ; un solde en faveur du payeur est imputé sur ses
        factures ouvertes ou lui est restitué.`,
      ],
    },
  ]
}

function money(f: TermsFacts): TermsSection[] {
  const p = f.product
  return [
    {
      heading: 'Remboursement',
      paragraphs: [
        `Chaque prêt est remboursé en une fois à son échéance, par prélèvement SEPA, par virement
        SEPA vers l’IBAN et avec la référence indiqués au contrat de prêt, ou par débit d’un
        portefeuille dédié de l’emprunteur. Une échéance qui n’est pas un jour bancaire est
        reportée au suivant.`,
        `L’emprunteur peut changer de mode de remboursement à tout moment. Le changement vaut pour
        tout prélèvement prévu à plus de ${joursOuvres(p.change_notice_days)}. Si un nouveau mandat
        ne peut être utilisé, l’ancien mode reste en vigueur.`,
      ],
    },
    {
      heading: 'Prélèvement SEPA',
      paragraphs: [
        `Pour les prélèvements, l’emprunteur signe un mandat SEPA, ordinaire ou interentreprises,
        en faveur du prêteur (identifiant créancier ${f.creditor_identifier}). Le contrat de prêt
        annonce le prélèvement du capital, la facture celui des intérêts. Les parties réduisent le
        délai de cette notification préalable à ${jours(p.prenotification_days)} avant le débit.`,
        `Un prélèvement rejeté, retourné ou remboursé est traité comme s’il n’avait pas été reçu :
        le montant est de nouveau dû et les intérêts continuent de courir. Le prêteur ne le
        représente pas de lui-même. Un mandat devient caduc après 36 mois sans prélèvement.`,
      ],
    },
    {
      heading: 'Imputation des paiements',
      paragraphs: [
        `Un paiement qui porte la référence d’une facture, ou qui est prélevé pour elle, règle
        cette facture. Tout autre paiement s’impute d’abord sur le capital restant dû, puis sur
        les intérêts déjà facturés, les plus anciens d’abord, puis sur les intérêts courus non
        encore facturés ; l’excédent est restitué au compte d’où il provient.`,
        `Un virement qui désigne des prêts ne règle que ces prêts, l’échéance la plus ancienne
        d’abord. Un virement de l’emprunteur qui ne désigne aucun prêt règle d’abord le prêt dont
        la date contractuelle de remboursement est la plus proche. Un paiement qui ne peut être
        attribué avec certitude est mis en attente et renvoyé après ${jours(p.suspense_days)}.`,
      ],
    },
    {
      heading: 'Remboursement anticipé et changement de date',
      paragraphs: [
        `Un prêt peut être remboursé par anticipation à tout moment, en tout ou en partie, sans
        frais ni indemnité. À compter de la date de valeur, la somme remboursée ne porte plus
        intérêt.`,
        `La date de remboursement peut être reportée une fois, dans la limite de la durée maximale
        indiquée plus haut, et avancée aussi souvent que souhaité. En cas de prélèvement, un
        changement demande ${joursOuvres(p.change_notice_days)}.`,
      ],
    },
    {
      heading: 'Retard de paiement',
      paragraphs: [
        `Les intérêts courent au même taux jusqu’au remboursement, sans majoration. Les
        ${p.grace_days} premiers jours de retard n’ont pas d’autre effet. À partir du jour
        ${f.suspension_day}, aucun nouveau prêt n’est accordé tant que les sommes exigibles ne
        sont pas réglées. Des rappels sont envoyés aux jours ${f.reminder_days}.`,
        `Au jour ${p.case_days}, un dossier de recouvrement est ouvert. Les parties peuvent alors
        convenir d’un échéancier, avec les frais de recouvrement qu’il mentionne. Si une échéance
        reste impayée plus de ${jours(p.grace_days)}, l’échéancier prend fin et tout devient
        exigible.`,
        `Une facture impayée ${jours(p.bill_grace_days)} après son échéance suspend le compte
        jusqu’à son paiement.`,
      ],
    },
  ]
}

function closing(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Obligations de l’emprunteur',
      paragraphs: [
        `L’emprunteur fournit des informations exactes et complètes, signale sans délai tout
        changement de forme juridique, de dirigeants, de bénéficiaires effectifs ou de comptes
        bancaires, et avertit le prêteur s’il ne peut plus faire face à ses dettes exigibles.`,
      ],
    },
    {
      heading: 'Durée et modifications',
      paragraphs: [
        `La convention est conclue pour une durée indéterminée. Chaque partie peut y mettre fin
        par écrit moyennant un préavis de ${jours(f.product.notice_days)} ; en cas de comportement
        gravement répréhensible, notamment de fausses informations, le prêteur peut y mettre fin
        sans préavis. Les prêts déjà versés restent dus à leurs échéances.`,
        `Toute modification des présentes conditions est annoncée
        ${jours(f.product.notice_days)} avant son entrée en vigueur et ne concerne jamais les
        prêts déjà versés. L’emprunteur peut la refuser en résiliant sans frais.`,
        `Le prêteur peut céder ses créances, notamment pour se refinancer. Les conditions convenues
        avec l’emprunteur restent les mêmes.`,
      ],
    },
    {
      heading: 'Protection des données et confidentialité',
      paragraphs: [
        `Le prêteur est responsable du traitement des données personnelles des représentants et
        des bénéficiaires effectifs. Il les traite pour exécuter la convention, apprécier le
        risque de crédit et remplir ses obligations légales en matière de lutte contre le
        blanchiment et le financement du terrorisme (règlement (UE) 2016/679, art. 6, § 1, b, c
        et f). Elles sont conservées pendant la durée de la convention, puis aussi longtemps que
        la loi l’exige.`,
        `Les personnes concernées disposent de droits d’accès, de rectification, d’effacement, de
        limitation et d’opposition, et peuvent demander qu’une personne réexamine une décision
        automatisée : ${f.lender.email}. Elles peuvent saisir l’autorité compétente
        (${f.country} : ${f.law.authority}). Le prêteur garde le secret sur les affaires de
        l’emprunteur, sauf envers le partenaire, ses prestataires et ceux qui le refinancent, dans
        la mesure nécessaire.`,
      ],
    },
    {
      heading: 'Droit applicable et tribunaux',
      paragraphs: [
        `Les présentes conditions et tous les prêts qui en relèvent sont soumis au ${f.law.law}.
        Les tribunaux siégeant à ${f.law.court_seat} sont seuls compétents, sauf règle impérative
        contraire. Les parties recherchent d’abord une solution amiable ; les réclamations sont
        adressées à ${f.lender.email}. La nullité d’une clause n’affecte pas les autres.`,
      ],
    },
  ]
}
