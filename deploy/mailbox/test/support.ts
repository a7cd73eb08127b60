import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { createTransport } from 'nodemailer'

/** A mail client with a pool of connections. */
export function sender(smtpUrl: string, options: object = {}) {
  const { hostname, port } = new URL(smtpUrl)
  return createTransport({ host: hostname, port: Number(port), pool: true, maxConnections: 5, ...options })
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

/** A connection on which a test says every line itself. */
export async function openDialog(smtpUrl: string) {
  const { hostname, port } = new URL(smtpUrl)
  const socket = createConnection(Number(port), hostname)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  /** The last line of the next answer; empty when the connection was closed. */
  const answer = async (): Promise<string> => {
    for (;;) {
      const { value = '', done } = await lines.next()
      if (done || !/^\d{3}-/.test(value)) return value
    }
  }
  const greeting = await answer()
  return {
    socket,
    closed,
    greeting,
    answer,
    say: (text: string) => {
      socket.write(`${text}\r\n`)
      return answer()
    },
  }
}

/** Says what comes before the content of a message. Returns the last answer. */
export async function beginMessage({ say }: Awaited<ReturnType<typeof openDialog>>): Promise<string> {
  for (const line of ['EHLO test', 'MAIL FROM:<a@example.test>', 'RCPT TO:<b@example.test>']) await say(line)
  return say('DATA')
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
