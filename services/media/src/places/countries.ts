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

/** All that people write for a country, its code too. */
export function countryNames(code: string): string[] {
  return [code, countryName(code), ...(ALSO[code] ?? [])]
}
