import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { createTransport } from 'nodemailer'

/** A mail client with a pool of connections. */
export function sender(smtpUrl: string, socketTimeout = 60_000) {
  return createTransport({ url: smtpUrl, pool: true, socketTimeout })
}

export function mail(to: string, subject = 'Hello') {
  const html = '<p>Hello, <b>Grüße</b></p>'
  return { from: 'Skyfolio <no-reply@skyfolio.test>', to, subject, text: 'Hello, Grüße', html }
}

/** A connection on which a test says every line itself; `say` returns the last line of the answer. */
export async function openDialog(smtpUrl: string) {
  const { hostname, port } = new URL(smtpUrl)
  const socket = createConnection(Number(port), hostname).on('error', () => {})
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const answer = async (): Promise<string> => {
    for (;;) {
      const { value = '', done } = await lines.next()
      if (done || !/^\d{3}-/.test(value)) return value
    }
  }
  const say = (text: string) => {
    socket.write(`${text}\r\n`)
    return answer()
  }
  /** Says what comes before the content of a message. */
  const begin = async () => {
    for (const line of ['EHLO test', 'MAIL FROM:<a@example.test>', 'RCPT TO:<b@example.test>']) await say(line)
    return say('DATA')
  }
  return { socket, greeting: await answer(), say, begin }
}
