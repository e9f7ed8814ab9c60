/** Activities of sandbox companies: NACE code (rev. 2), trade name and description. */
import type { SandboxLanguage } from '../../../countries/index.ts'

export type Activity = {
  nace_code: string
  trade: Record<SandboxLanguage, string>
  description: Record<SandboxLanguage, string>
}

function activity(nace_code: string, trades: string[], descriptions: string[]): Activity {
  const byLanguage = (texts: string[]): Record<SandboxLanguage, string> => {
    const [fr = '', de = '', es = '', nl = '', is = ''] = texts
    return { fr, de, es, nl, is }
  }
  return { nace_code, trade: byLanguage(trades), description: byLanguage(descriptions) }
}

export const ACTIVITIES: Activity[] = [
  activity(
    '10.71',
    ['Boulangerie', 'Bäckerei', 'Panadería', 'Bakkerij', 'Bakarí'],
    [
      'Fabrication de pain et de pâtisserie fraîche',
      'Herstellung von Backwaren',
      'Fabricación de pan y de productos frescos de panadería',
      'Vervaardiging van brood en vers banketbakkerswerk',
      'Framleiðsla á brauði og ferskum kökum',
    ],
  ),
  activity(
    '25.62',
    ['Mécanique', 'Metallbau', 'Mecanizados', 'Metaalbewerking', 'Vélsmiðja'],
    [
      'Mécanique industrielle',
      'Mechanische Bearbeitung von Metallen',
      'Ingeniería mecánica por cuenta de terceros',
      'Algemene metaalbewerking',
      'Vélvinnsla málma',
    ],
  ),
  activity(
    '43.21',
    ['Électricité', 'Elektrotechnik', 'Instalaciones Eléctricas', 'Elektrotechniek', 'Raflagnir'],
    [
      "Travaux d'installation électrique",
      'Elektroinstallation',
      'Instalaciones eléctricas',
      'Elektrotechnische bouwinstallatie',
      'Raflagnir',
    ],
  ),
  activity(
    '43.32',
    ['Menuiserie', 'Schreinerei', 'Carpintería', 'Timmerwerken', 'Trésmíði'],
    [
      'Travaux de menuiserie',
      'Bautischlerei und -schlosserei',
      'Instalación de carpintería',
      'Schrijnwerk',
      'Uppsetning innréttinga',
    ],
  ),
  activity(
    '46.31',
    ['Primeurs', 'Fruchthandel', 'Frutas', 'Groente en Fruit', 'Ávextir'],
    [
      'Commerce de gros de fruits et légumes',
      'Großhandel mit Obst, Gemüse und Kartoffeln',
      'Comercio al por mayor de frutas y hortalizas',
      'Groothandel in groenten en fruit',
      'Heildverslun með ávexti og grænmeti',
    ],
  ),
  activity(
    '47.71',
    ['Vêtements', 'Modehaus', 'Moda', 'Kleding', 'Fatnaður'],
    [
      "Commerce de détail d'habillement",
      'Einzelhandel mit Bekleidung',
      'Comercio al por menor de prendas de vestir',
      'Detailhandel in kleding',
      'Smásala á fatnaði',
    ],
  ),
  activity(
    '49.41',
    ['Transports', 'Spedition', 'Transportes', 'Transport', 'Flutningar'],
    [
      'Transports routiers de fret',
      'Güterbeförderung im Straßenverkehr',
      'Transporte de mercancías por carretera',
      'Goederenvervoer over de weg',
      'Vöruflutningar á vegum',
    ],
  ),
  activity(
    '56.10',
    ['Restauration', 'Gastronomie', 'Restauración', 'Horeca', 'Veitingar'],
    [
      'Restauration traditionnelle',
      'Restaurants und Gaststätten',
      'Restaurantes y puestos de comidas',
      'Restaurants',
      'Veitingastaðir',
    ],
  ),
  activity(
    '62.01',
    ['Logiciels', 'Software', 'Software', 'Software', 'Hugbúnaður'],
    [
      'Programmation informatique',
      'Programmierungstätigkeiten',
      'Actividades de programación informática',
      'Ontwikkelen en produceren van software',
      'Hugbúnaðargerð',
    ],
  ),
  activity(
    '71.12',
    ['Ingénierie', 'Ingenieure', 'Ingeniería', 'Ingenieurs', 'Verkfræðistofa'],
    [
      'Ingénierie, études techniques',
      'Ingenieurbüros',
      'Servicios técnicos de ingeniería',
      'Ingenieurs en technisch ontwerp',
      'Verkfræðiþjónusta',
    ],
  ),
  activity(
    '73.11',
    ['Communication', 'Werbung', 'Publicidad', 'Reclame', 'Auglýsingastofa'],
    [
      'Activités des agences de publicité',
      'Werbeagenturen',
      'Agencias de publicidad',
      'Reclamebureaus',
      'Auglýsingastofur',
    ],
  ),
  activity(
    '81.22',
    ['Propreté', 'Gebäudereinigung', 'Limpiezas', 'Schoonmaak', 'Ræsting'],
    [
      'Nettoyage industriel et de bâtiments',
      'Spezielle Reinigung von Gebäuden',
      'Otras actividades de limpieza industrial y de edificios',
      'Gespecialiseerde reiniging van gebouwen',
      'Sérhæfð hreingerning bygginga',
    ],
  ),
]
