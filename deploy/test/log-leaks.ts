/** Patterns that must never appear in a log. */
const FORBIDDEN: Record<string, RegExp> = {
  'an email address': /[\w.+-]+@[\w-]+(\.[\w-]+)+/g,
  'a voter token': /(?<![\w-])[\w-]{22}\.[\w-]{22}(?![\w-])/g,
  'a session token, its hash or a signature': /(?<![\w-])[\w-]{43}(?![\w-])/g,
  'a signed identity': /(?<![\w-])[\w-]{40,}\.[\w-]{43}(?![\w-])/g,
  'a cookie': /\b(sid|voter|device)=(?!\[hidden\])[^\s;"]/gi,
  'a password': /\b(confirm)?password"?\s*[:=]\s*"?(?!"?\[hidden\])[^\s",}]/gi,
  'the signed name of a print image': /(?<![\w-])p-[0-9a-f]{32}-[0-9a-z]+-[0-9a-f]{32}(?![\w-])/g,
  'a coordinate': /\b(lat|lon|lng|latitude|longitude)"?\s*[:=]\s*"?-?\d/gi,
  'decimal degrees': /(?<![\w.:])-?\d{1,3}\.\d{5,}(?![\w.])/g,
}

/** 256 random bits in base64url almost always have a digit, a capital and a small letter; names in stacks do not. */
function isRandom(text: string): boolean {
  return /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text)
}

const MUST_BE_RANDOM = /token|signed identity/

/** Returns one sentence per line that leaks: by its form, or because it contains one of these secrets. */
export function leaksIn(text: string, secrets: string[]): string[] {
  const leaked = secrets.filter((secret) => text.includes(secret))
  return text.split('\n').flatMap((line) => {
    const byForm = Object.entries(FORBIDDEN).filter(([what, pattern]) =>
      [...line.matchAll(pattern)].some(([match]) => !MUST_BE_RANDOM.test(what) || isRandom(match)),
    )
    const known = leaked.filter((secret) => line.includes(secret)).map(() => 'a secret of the test')
    return [...byForm.map(([what]) => what), ...known].map((what) => `${what}: ${line.slice(0, 500)}`)
  })
}
