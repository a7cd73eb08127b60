import { remember, remembered } from './remember.ts'

const SEED_KEY = 'skyfolio.voter'
const PRIME = (1n << 168n) + (1n << 8n) + 0x63n
const OFFSET = 0xdd268dbcaac550362d98c384c4e576ccc8b1536847b6bbb31023b4c8caee0535n

/** FNV-1a with 256 bits, in base 36: keeps all randomness of a seed, and works without a secure context. */
export function hashToBase36(text: string): string {
  let hash = OFFSET
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(256, (hash ^ BigInt(byte)) * PRIME)
  return hash.toString(36)
}

function browserTraits(): string {
  const { userAgent, language, hardwareConcurrency } = navigator
  return [userAgent, language, hardwareConcurrency, screen.width, screen.height, screen.colorDepth].join('|')
}

/**
 * A new seed: 160 random bits, the time and the browser's traits. The traits are stored with it, so that a browser
 * update does not create a new voter.
 */
function newSeed(): string {
  const random = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => byte.toString(16).padStart(2, '0'))
  return `${random.join('')}.${Date.now().toString(36)}.${hashToBase36(browserTraits()).slice(0, 12)}`
}

let memory: string | null = null

/**
 * This browser's voter fingerprint. The seed is stored in session storage and in local storage, which all tabs share:
 * they are one voter. Empty when no random numbers are available.
 */
export function voterFingerprint(): string {
  try {
    const seed = remembered(SEED_KEY) ?? remembered(SEED_KEY, 'sessionStorage') ?? memory ?? newSeed()
    memory = seed
    remember(SEED_KEY, seed)
    remember(SEED_KEY, seed, 'sessionStorage')
    return hashToBase36(seed)
  } catch {
    return ''
  }
}
