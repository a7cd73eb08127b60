export interface SandboxSettings {
  host: string
  /** Of the partner API; 0 takes a free one. */
  port: number
  /** Of control API and page; 0 takes a free one. */
  controlPort: number
  /** The only origin that images are fetched from. */
  imageOrigin: string | undefined
  apiKey: string
  affiliateId: string
  latency: 'off' | 'realistic'
  dataFile: string | undefined
  seed: number
  maxOrders: number
  /** Names, beside addresses and localhost, under which the control port may be opened. */
  controlHosts: string[]
  /** What page and control API require; undefined: nothing. */
  controlKey: string | undefined
}

export const DEFAULTS: SandboxSettings = {
  host: '127.0.0.1',
  port: 0,
  controlPort: 0,
  imageOrigin: undefined,
  apiKey: 'sandbox-key',
  affiliateId: 'sandbox-affiliate',
  latency: 'off',
  dataFile: undefined,
  seed: 1,
  maxOrders: 20_000,
  controlHosts: [],
  controlKey: undefined,
}

/** The settings of a process. @throws Error with a sentence about the first one that is missing or wrong */
export function readSettings(env: Record<string, string | undefined>): SandboxSettings {
  const { IMAGE_ORIGIN, CONTROL_HOSTS } = env
  return {
    host: env.HOST || DEFAULTS.host,
    port: wholeNumber(env, 'PORT', 8095),
    controlPort: wholeNumber(env, 'CONTROL_PORT', 8096),
    imageOrigin: checkOrigin(IMAGE_ORIGIN),
    apiKey: env.SANDBOX_API_KEY || DEFAULTS.apiKey,
    affiliateId: env.SANDBOX_AFFILIATE_ID || DEFAULTS.affiliateId,
    latency: readLatency(env.LATENCY || 'realistic'),
    dataFile: env.DATA_FILE || undefined,
    seed: wholeNumber(env, 'SEED', DEFAULTS.seed),
    maxOrders: wholeNumber(env, 'MAX_ORDERS', DEFAULTS.maxOrders),
    controlHosts: (CONTROL_HOSTS ?? '').split(',').flatMap((name) => name.trim().toLowerCase() || []),
    controlKey: env.CONTROL_KEY || undefined,
  }
}

/** @throws Error unless this is an origin like `https://example.com` */
export function checkOrigin(text: string | undefined): string {
  if (!text) throw new Error('IMAGE_ORIGIN is required: the only origin that images are fetched from.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin) return url.origin
  throw new Error(`IMAGE_ORIGIN is "${text}"; it must be an origin like http://127.0.0.1:8080.`)
}

function readLatency(text: string): 'off' | 'realistic' {
  if (text === 'off' || text === 'realistic') return text
  throw new Error(`LATENCY is "${text}"; it must be off or realistic.`)
}

function wholeNumber(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const text = env[name]
  if (!text) return otherwise
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`${name} is "${text}"; it must be a whole number.`)
}
