export interface MailboxSettings {
  host: string
  /** Of the SMTP server; 0 takes a free one. */
  smtpPort: number
  /** Of page and API; 0 takes a free one. */
  port: number
  dataFile: string | undefined
  /** So many messages are kept; then the oldest is forgotten. */
  maxMessages: number
  /** Names, beside addresses and localhost, under which the page may be opened. */
  pageHosts: string[]
  /** What page and API require; undefined: nothing. */
  pageKey: string | undefined
}

export const DEFAULTS: MailboxSettings = {
  host: '127.0.0.1',
  smtpPort: 0,
  port: 0,
  dataFile: undefined,
  maxMessages: 2000,
  pageHosts: [],
  pageKey: undefined,
}

/** The settings of a process. @throws Error with a sentence about the first one that is missing or wrong */
export function readSettings(env: Record<string, string | undefined>): MailboxSettings {
  if (!env.SMTP_PORT) throw new Error('SMTP_PORT is required: the port of the SMTP server.')
  return {
    host: env.HOST || DEFAULTS.host,
    smtpPort: wholeNumber(env, 'SMTP_PORT', DEFAULTS.smtpPort),
    port: wholeNumber(env, 'PORT', 8025),
    dataFile: env.DATA_FILE || undefined,
    maxMessages: Math.max(1, wholeNumber(env, 'MAX_MESSAGES', DEFAULTS.maxMessages)),
    pageHosts: (env.PAGE_HOSTS ?? '').split(',').flatMap((name) => name.trim().toLowerCase() || []),
    pageKey: env.PAGE_KEY || undefined,
  }
}

function wholeNumber(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const text = env[name]
  if (!text) return otherwise
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`${name} is "${text}"; it must be a whole number.`)
}
