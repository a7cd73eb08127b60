import { normalizeName } from './normalize.ts'

const english = new Intl.DisplayNames(['en'], { type: 'region' })

/** What else people call these countries. */
const ALSO: Record<string, string[]> = {
  US: ['USA', 'United States of America', 'America'],
  GB: ['UK', 'Great Britain', 'Britain'],
  AE: ['UAE'],
}

/** The English name of a country by its ISO 3166-1 alpha-2 code; the code itself where there is none. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (english.of(code) ?? code) : code
}

/** Their ZIP codes and addresses are those of the United States. */
const TERRITORIES = new Set(['AS', 'GU', 'MP', 'PR', 'VI'])

/** The name of a country in the language that most of its people speak. */
function ownName(code: string): string | undefined {
  const { language } = new Intl.Locale(`und-${code}`).maximize()
  return new Intl.DisplayNames([language], { type: 'region' }).of(code)
}

const known = new Map<string, Set<string>>()

/** All that people write for a country, folded: its code, its English name, its own one. */
export function countryKeys(code: string): Set<string> {
  let keys = known.get(code)
  if (!keys) {
    const names = [code, countryName(code), /^[A-Z]{2}$/.test(code) ? ownName(code) : undefined, ...(ALSO[code] ?? [])]
    keys = new Set(names.flatMap((name) => (name ? normalizeName(name) : [])))
    if (TERRITORIES.has(code)) for (const key of countryKeys('US')) keys.add(key)
    known.set(code, keys)
  }
  return keys
}
