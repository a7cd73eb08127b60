/** Plain spellings of letters that Unicode does not decompose. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
/** Abbreviations in names. */
const ABBREVIATIONS: Record<string, string> = { st: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' }

/** A name in the form that a search compares: without case, accents, spaces and punctuation, abbreviations spelled out. */
export function normalizeName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßøæœłđðþı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replaceAll(/['’ʻ`]/g, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u)
  return words.map((word) => (Object.hasOwn(ABBREVIATIONS, word) ? ABBREVIATIONS[word] : word)).join('')
}

/** Made at the first use: names and their data take 7 MB, which a process needs only when it searches places. */
let englishNames: Intl.DisplayNames | undefined

/** Further common names of countries. */
const ALIASES: Record<string, string[]> = {
  US: ['USA', 'United States of America', 'America'],
  GB: ['UK', 'Great Britain', 'Britain'],
  AE: ['UAE'],
}

/** The English name of a country by its ISO 3166-1 alpha-2 code; the code itself where there is none. */
export function countryName(code: string): string {
  englishNames ??= new Intl.DisplayNames(['en'], { type: 'region' })
  return /^[A-Z]{2}$/.test(code) ? (englishNames.of(code) ?? code) : code
}

/** Territories with ZIP codes and addresses of the United States. */
const TERRITORIES = new Set(['AS', 'GU', 'MP', 'PR', 'VI'])

/** The name of a country in its most common language. */
function localName(code: string): string | undefined {
  const { language } = new Intl.Locale(`und-${code}`).maximize()
  return new Intl.DisplayNames([language], { type: 'region' }).of(code)
}

function namesOfCountry(code: string): string[] {
  const local = /^[A-Z]{2}$/.test(code) ? localName(code) : undefined
  return [countryName(code), ...(local ? [local] : []), ...(ALIASES[code] ?? [])]
}

const textByCountry = new Map<string, string>()

/** The names of a country as one text for searches, without those that others contain: 'USA United States of America'. */
export function countryText(code: string): string {
  let text = textByCountry.get(code)
  if (text === undefined) {
    const names = [...new Set(namesOfCountry(code))]
    text = names.filter((name) => !names.some((other) => other !== name && other.includes(name))).join(' ')
    textByCountry.set(code, text)
  }
  return text
}

const keysByCountry = new Map<string, Set<string>>()

/** All normalized names of a country: its code, its English name, its local one and aliases. */
export function countryKeys(code: string): Set<string> {
  let keys = keysByCountry.get(code)
  if (!keys) {
    keys = new Set([code, ...namesOfCountry(code)].map(normalizeName))
    if (TERRITORIES.has(code)) for (const key of countryKeys('US')) keys.add(key)
    keysByCountry.set(code, keys)
  }
  return keys
}
