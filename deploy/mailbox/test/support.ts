import { createTransport } from 'nodemailer'

/** A mail client with a pool of connections. */
export function sender(smtpUrl: string, options: object = {}) {
  const { hostname, port } = new URL(smtpUrl)
  return createTransport({
    host: hostname,
    port: Number(port),
    pool: true,
    maxConnections: 5,
    maxMessages: Number.POSITIVE_INFINITY,
    ...options,
  })
}

export function mail(to: string, subject = 'Hello') {
  return {
    from: 'Skyfolio <no-reply@skyfolio.test>',
    to,
    subject,
    text: 'Hello, Grüße',
    html: '<p>Hello, <b>Grüße</b></p>',
  }
}
