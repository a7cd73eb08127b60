import { normalizeName } from './normalize.ts'

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

const keysByCountry = new Map<string, Set<string>>()

/** All normalized names of a country: its code, its English name, its local one and aliases. */
export function countryKeys(code: string): Set<string> {
  let keys = keysByCountry.get(code)
  if (!keys) {
    const names = [
      code,
      countryName(code),
      /^[A-Z]{2}$/.test(code) ? localName(code) : undefined,
      ...(ALIASES[code] ?? []),
    ]
    keys = new Set(names.flatMap((name) => (name ? normalizeName(name) : [])))
    if (TERRITORIES.has(code)) for (const key of countryKeys('US')) keys.add(key)
    keysByCountry.set(code, keys)
  }
  return keys
}
