import { createTransport } from 'nodemailer'
import type { MailSettings } from './mail-settings.ts'
import type { RenderedMail } from './render-mail.ts'

/** For connection, greeting and encryption together. */
const CONNECT_MS = 10_000
/** Silence of the server within a mail. The time limit of the mail is the caller's signal. */
const SOCKET_MS = 180_000
/** The pool sends a mail again by itself only when the connection closed before any of it was sent. */
const REQUEUES = 1
const MAILS_PER_CONNECTION = 100
const IDLE_MS = 30_000

export interface MailToSend extends RenderedMail {
  to: string
  /** The same for each attempt, so that servers and mail programs can recognize a repetition. */
  id: string
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws when it has not, or the signal aborted */
  send(mail: MailToSend, signal: AbortSignal): Promise<void>
  /** Ends all connections, also those in use. */
  close(): void
}

/** Sends mails over a few connections. Without this being called nothing is connected. */
export function createMailer(settings: MailSettings, connections: number): Mailer {
  const { host, port, secure, requireTls, auth, from } = settings
  const transport = createTransport({
    pool: true,
    maxConnections: connections,
    maxMessages: MAILS_PER_CONNECTION,
    maxRequeues: REQUEUES,
    idleTimeout: IDLE_MS,
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(auth && { auth, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return {
    async send({ to, id, subject, text, html }, signal) {
      await transport.sendMail({
        // As objects, so that nothing in them is parsed as a list of addresses.
        from,
        to: { name: '', address: to },
        envelope: { from: from.address, to: [to] },
        messageId: `<${id}@${domain}>`,
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
      })
    },
    close: () => transport.close({ force: true }),
  }
}
