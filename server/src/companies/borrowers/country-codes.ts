/** Country codes: ISO 3166-1, alpha-2 and alpha-3. Plain data and two ways to read them. */
import type { CountryCode } from '../../platform/kit/identifiers/index.ts'

/** Each word is an alpha-2 code followed by its alpha-3. */
const PAIRS = `
  AFAFG AXALA ALALB DZDZA ASASM ADAND AOAGO AIAIA AQATA AGATG ARARG AMARM AWABW AUAUS ATAUT AZAZE
  BSBHS BHBHR BDBGD BBBRB BYBLR BEBEL BZBLZ BJBEN BMBMU BTBTN BOBOL BQBES BABIH BWBWA BVBVT BRBRA
  IOIOT BNBRN BGBGR BFBFA BIBDI CVCPV KHKHM CMCMR CACAN KYCYM CFCAF TDTCD CLCHL CNCHN CXCXR CCCCK
  COCOL KMCOM CGCOG CDCOD CKCOK CRCRI CICIV HRHRV CUCUB CWCUW CYCYP CZCZE DKDNK DJDJI DMDMA DODOM
  ECECU EGEGY SVSLV GQGNQ ERERI EEEST SZSWZ ETETH FKFLK FOFRO FJFJI FIFIN FRFRA GFGUF PFPYF TFATF
  GAGAB GMGMB GEGEO DEDEU GHGHA GIGIB GRGRC GLGRL GDGRD GPGLP GUGUM GTGTM GGGGY GNGIN GWGNB GYGUY
  HTHTI HMHMD VAVAT HNHND HKHKG HUHUN ISISL ININD IDIDN IRIRN IQIRQ IEIRL IMIMN ILISR ITITA JMJAM
  JPJPN JEJEY JOJOR KZKAZ KEKEN KIKIR KPPRK KRKOR KWKWT KGKGZ LALAO LVLVA LBLBN LSLSO LRLBR LYLBY
  LILIE LTLTU LULUX MOMAC MGMDG MWMWI MYMYS MVMDV MLMLI MTMLT MHMHL MQMTQ MRMRT MUMUS YTMYT MXMEX
  FMFSM MDMDA MCMCO MNMNG MEMNE MSMSR MAMAR MZMOZ MMMMR NANAM NRNRU NPNPL NLNLD NCNCL NZNZL NINIC
  NENER NGNGA NUNIU NFNFK MKMKD MPMNP NONOR OMOMN PKPAK PWPLW PSPSE PAPAN PGPNG PYPRY PEPER PHPHL
  PNPCN PLPOL PTPRT PRPRI QAQAT REREU ROROU RURUS RWRWA BLBLM SHSHN KNKNA LCLCA MFMAF PMSPM VCVCT
  WSWSM SMSMR STSTP SASAU SNSEN RSSRB SCSYC SLSLE SGSGP SXSXM SKSVK SISVN SBSLB SOSOM ZAZAF GSSGS
  SSSSD ESESP LKLKA SDSDN SRSUR SJSJM SESWE CHCHE SYSYR TWTWN TJTJK TZTZA THTHA TLTLS TGTGO TKTKL
  TOTON TTTTO TNTUN TRTUR TMTKM TCTCA TVTUV UGUGA UAUKR AEARE GBGBR USUSA UMUMI UYURY UZUZB VUVUT
  VEVEN VNVNM VGVGB VIVIR WFWLF EHESH YEYEM ZMZMB ZWZWE`

const ALPHA_2 = new Map<string, string>()
const ALPHA_3 = new Map<string, string>()
for (const pair of PAIRS.trim().split(/\s+/)) {
  ALPHA_2.set(pair.slice(2), pair.slice(0, 2))
  ALPHA_3.set(pair.slice(0, 2), pair.slice(2))
}

/** French departments overseas, where French companies and law are at home. */
const FRENCH_OVERSEAS = ['GP', 'GF', 'MQ', 'RE', 'YT', 'MF', 'BL', 'PM']

/** The alpha-2 code of a country given by either code, in any case; null when it is none. */
export function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase()
  return ALPHA_3.has(code) ? code : (ALPHA_2.get(code) ?? null)
}

/** The alpha-3 codes of the countries that we serve. */
export const ALPHA_3_SERVED = { FR: 'FRA', DE: 'DEU', ES: 'ESP', NL: 'NLD', BE: 'BEL' } as const

/** The country in whose registers companies at such an address stand; null when we serve none. */
export function registerCountry(text: string): CountryCode | null {
  const code = countryCode(text)
  if (code === null) return null
  if (FRENCH_OVERSEAS.includes(code)) return 'FR'
  return Object.hasOwn(ALPHA_3_SERVED, code) ? (code as CountryCode) : null
}
