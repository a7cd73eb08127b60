import type { Logger } from '@skyfolio/kit'
import type { NodemailerError } from 'nodemailer'

/**
 * - unavailable: the server, or this installation's account there; says nothing about the mail.
 * - temporary: this mail now.
 * - rejected: this mail for good.
 */
export type FailureKind = 'unavailable' | 'temporary' | 'rejected'

/** What may be logged of a failure: replies of servers repeat addresses, so of them only the codes. */
export interface SmtpFailure {
  kind: FailureKind
  code: string | undefined
  /** What was sent last. */
  command: string | undefined
  reply: number | undefined
  /** The reply's enhanced status, such as 5.1.1. */
  status: string | undefined
}

const SETUP_CODES = new Set(['EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'ECONFIG'])
const SETUP_TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'])
/** Errors of sockets that were connected; all others, certificates included, are about the connection. */
const DROPPED = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])
/** Commands before a mail is named. */
const SETUP_COMMAND = /^(?:CONN|EHLO|HELO|STARTTLS|AUTH)\b/
/** Commands about the recipient or the content. */
const RECIPIENT_COMMAND = /^(?:RCPT|DATA)\b/
const SERVICE_CLOSING = 421
const BAD_SEQUENCE = 503

/** What a failed attempt to send says about server and mail. */
export function readFailure(error: unknown): SmtpFailure {
  const failure = (error instanceof Error ? error : new Error(String(error))) as NodemailerError
  const { code, command, response, responseCode } = failure
  return {
    kind: kindOf(failure),
    code,
    command: command?.split(' ').slice(0, 2).join(' '),
    reply: responseCode || undefined,
    status: /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1],
  }
}

function kindOf(error: NodemailerError): FailureKind {
  const { code = '', command = '', responseCode: reply = 0 } = error
  if (SETUP_CODES.has(code) || SETUP_TIMEOUTS.has(timeoutTypeOf(error)) || !isConnected(error)) return 'unavailable'
  if (reply > 0 && SETUP_COMMAND.test(command)) return 'unavailable'
  // Later, 421 may be about this mail: others do not wait for it. (After RCPT the pool reports no command.)
  if (reply === SERVICE_CLOSING && !RECIPIENT_COMMAND.test(command)) return 'unavailable'
  if (isPermanent(reply) && command === 'MAIL FROM') return 'unavailable'
  // An address that nodemailer does not send to.
  if (code === 'EENVELOPE' && command === 'API') return 'rejected'
  return isPermanent(reply) ? 'rejected' : 'temporary'
}

function isConnected(error: NodemailerError): boolean {
  const { code, command, originalCode } = error as { code?: string; command?: string; originalCode?: string }
  if (code === 'ESOCKET') return originalCode === undefined || DROPPED.has(originalCode)
  // Connections that closed so early that the pool gave up on them have no command.
  return !(code === 'ECONNECTION' && command === undefined)
}

function timeoutTypeOf(error: NodemailerError): string {
  return (error as { timeoutType?: string }).timeoutType ?? ''
}

function isPermanent(reply: number): boolean {
  return reply >= 500 && reply < 600 && reply !== BAD_SEQUENCE
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Keeps mails waiting while the mail server is unavailable, instead of trying it with each of them. */
export interface ServerPause {
  isPaused(): boolean
  /** The server did not serve. Returns in how many seconds it is tried again. */
  begin(failure: SmtpFailure): number
  /** The server served. */
  end(): void
}

export function createServerPause(logger: Logger, longestMs = LONGEST_PAUSE_MS): ServerPause {
  let pauses = 0
  let until = 0
  return {
    isPaused: () => performance.now() < until,
    begin(failure) {
      // Several attempts fail together; they are one failure.
      if (performance.now() >= until) {
        if (pauses === 0) logger.warn({ failure }, 'mail server unavailable, will retry')
        until = performance.now() + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(pauses, 20), longestMs)
        pauses += 1
      }
      return (until - performance.now()) / 1000
    },
    end() {
      if (pauses > 0) logger.info('mail server available again')
      pauses = 0
      until = 0
    },
  }
}
