import { randomUUID } from 'node:crypto'
import PostalMime, { type Address, type Email } from 'postal-mime'

export const MAX_MESSAGE_BYTES = 1024 * 1024

/** So many headers of a message are kept: a megabyte could have hundreds of thousands. */
const MAX_HEADERS = 200

export interface Message {
  id: string
  /** Header From: `Skyfolio <no-reply@skyfolio.test>`. */
  from: string
  /** Sender and recipients of the SMTP envelope. */
  sender: string
  to: string[]
  subject: string
  /** When it was received, ISO 8601. */
  date: string
  messageId: string
  /** Empty when the message has no such part. */
  text: string
  html: string
  /** By name in lower case; of repeated ones the last. */
  headers: Record<string, string>
  /** As it was sent. */
  source: string
}

/** What is kept of a message. One that breaks the rules of MIME is kept as text. */
export async function readMessage(raw: Buffer, sender: string, to: string[]): Promise<Message> {
  const source = raw.toString('utf8')
  const broken = { headers: [], headerLines: [], attachments: [], text: source }
  const email: Email = await PostalMime.parse(raw).catch(() => broken)
  return {
    id: randomUUID(),
    from: addressText(email.from),
    sender,
    to,
    subject: email.subject ?? '',
    date: new Date().toISOString(),
    messageId: email.messageId ?? '',
    text: email.text ?? '',
    html: email.html ?? '',
    headers: Object.fromEntries(email.headers.slice(0, MAX_HEADERS).map(({ key, value }) => [key, value])),
    source,
  }
}

function addressText(address: Address | undefined): string {
  const { name = '', address: bare } = address ?? {}
  return bare && name ? `${name} <${bare}>` : bare || name
}
