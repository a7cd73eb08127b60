export const DEFAULTS = {
  host: '127.0.0.1',
  /** Of the partner API; 0 takes a free one. */
  port: 0,
  /** Of control API and page; 0 takes a free one. */
  controlPort: 0,
  /** The only origin that images are fetched from. */
  imageOrigin: undefined as string | undefined,
  apiKey: 'sandbox-key',
  affiliateId: 'sandbox-affiliate',
  latency: 'off' as 'off' | 'realistic',
  dataFile: undefined as string | undefined,
  /** What page and control API require; undefined: nothing. */
  controlKey: undefined as string | undefined,
}
export type SandboxSettings = typeof DEFAULTS

/** The settings of a process. @throws Error with a sentence about the first one that is missing or wrong */
export function readSettings(env: Record<string, string | undefined>): SandboxSettings {
  return {
    host: env.HOST || DEFAULTS.host,
    port: readPort(env, 'PORT', 8095),
    controlPort: readPort(env, 'CONTROL_PORT', 8096),
    imageOrigin: checkOrigin(env.IMAGE_ORIGIN),
    apiKey: env.SANDBOX_API_KEY || DEFAULTS.apiKey,
    affiliateId: env.SANDBOX_AFFILIATE_ID || DEFAULTS.affiliateId,
    latency: readLatency(env.LATENCY || 'realistic'),
    dataFile: env.DATA_FILE || undefined,
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

function readPort(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const text = env[name]
  if (!text) return otherwise
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new Error(`${name} is "${text}"; it must be a whole number.`)
}
