import { ConfigError } from '@skyfolio/kit'
import addressparser from 'nodemailer/lib/addressparser'

/** How mail is sent. */
export interface MailSettings {
  host: string
  port: number
  /** Encrypted from the start. */
  secure: boolean
  /** A connection that stays unencrypted is not used. */
  requireTls: boolean
  auth: { user: string; pass: string } | null
  from: { name: string; address: string }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/

/**
 * The settings of the mail server; null when none is configured, so that no mail is sent.
 * @throws ConfigError when only one of SMTP_URL and MAIL_FROM is set, or one of them is not usable
 */
export function readMailSettings(config: {
  smtpUrl?: string | undefined
  mailFrom?: string | undefined
}): MailSettings | null {
  const { smtpUrl, mailFrom } = config
  if (smtpUrl === undefined && mailFrom === undefined) return null
  if (smtpUrl === undefined) throw invalid('SMTP_URL is required with MAIL_FROM')
  if (mailFrom === undefined) throw invalid('MAIL_FROM is required with SMTP_URL')
  return { ...readServer(new URL(smtpUrl)), from: readSender(mailFrom) }
}

function readServer(url: URL): Omit<MailSettings, 'from'> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw invalid('SMTP_URL must name a host')
  // Other programs read options there; here they would be ignored without a word.
  if (url.search !== '' || url.pathname.length > 1) throw invalid('SMTP_URL must end after host and port')
  const secure = url.protocol === 'smtps:'
  const auth = readCredentials(url)
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A password must not be readable because somebody in between hides STARTTLS.
    requireTls: auth !== null && !LOOPBACK.test(host),
    auth,
  }
}

function readCredentials({ username, password }: URL): MailSettings['auth'] {
  if (username === '' && password === '') return null
  if (username === '' || password === '') throw invalid('SMTP_URL must contain both user and password, or none')
  return { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
}

function readSender(text: string): MailSettings['from'] {
  const [sender, ...others] = addressparser(text, { flatten: true })
  if (others.length > 0 || !/^[^@\s<>,]+@[^@\s<>,]+$/.test(sender?.address ?? '')) {
    throw invalid('MAIL_FROM must be one address, such as Skyfolio <no-reply@example.com>')
  }
  return { name: sender?.name ?? '', address: sender?.address ?? '' }
}

function invalid(problem: string): ConfigError {
  return new ConfigError(`The configuration is not valid:\n  ${problem}`)
}
