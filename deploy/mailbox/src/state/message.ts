import { randomUUID } from 'node:crypto'
import PostalMime, { type Address, type Email } from 'postal-mime'

export const MAX_MESSAGE_BYTES = 1024 * 1024

/** A message as it is kept. */
export interface StoredMessage {
  id: string
  /** ISO 8601. */
  receivedAt: string
  /** Of the SMTP envelope; empty for bounces. */
  sender: string
  /** Of the SMTP envelope. */
  recipients: string[]
  /** Header From as text. */
  from: string
  subject: string
  /** Header Message-ID. */
  messageId: string
  raw: Buffer
}

/** What lists show. */
export interface MessageSummary {
  id: string
  /** Header From: `Skyfolio <no-reply@skyfolio.test>`. */
  from: string
  /** The recipients of the SMTP envelope. */
  to: string[]
  subject: string
  /** When it was received, ISO 8601. */
  date: string
  messageId: string
  bytes: number
}

/** A message with its content. */
export interface Message extends MessageSummary {
  /** Of the SMTP envelope. */
  sender: string
  /** Empty when the message has no such part. */
  text: string
  html: string
  /** By name in lower case; values of a repeated one are separated by line breaks. */
  headers: Record<string, string>
  attachments: { name: string; type: string; bytes: number }[]
  /** As it was sent, when the request asked for it. */
  raw?: string
}

export async function toStored(raw: Buffer, sender: string, recipients: string[]): Promise<StoredMessage> {
  const { from, subject = '', messageId = '' } = await parse(headerSection(raw))
  const receivedAt = new Date().toISOString()
  return { id: randomUUID(), receivedAt, sender, recipients, from: addressText(from), subject, messageId, raw }
}

export function summaryOf(message: StoredMessage): MessageSummary {
  const { id, from, recipients, subject, receivedAt, messageId, raw } = message
  return { id, from, to: recipients, subject, date: receivedAt, messageId, bytes: raw.length }
}

export async function contentOf(message: StoredMessage): Promise<Message> {
  const { text = '', html = '', headers, attachments } = await parse(message.raw)
  return {
    ...summaryOf(message),
    sender: message.sender,
    text,
    html,
    headers: Object.fromEntries(
      [...Map.groupBy(headers, ({ key }) => key)].map(([key, all]) => [key, all.map(({ value }) => value).join('\n')]),
    ),
    attachments: attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? '',
      type: mimeType,
      bytes: typeof content === 'string' ? content.length : content.byteLength,
    })),
  }
}

/** The headers as they were sent, up to the empty line. */
export function headerSection(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n')
  return end < 0 ? raw : raw.subarray(0, end)
}

/** A message that breaks the rules of MIME is shown as text. */
async function parse(raw: Buffer): Promise<Email> {
  return PostalMime.parse(raw).catch(() => ({
    headers: [],
    headerLines: [],
    attachments: [],
    text: raw.toString('utf8'),
  }))
}

function addressText(address: Address | undefined): string {
  if (!address) return ''
  if (!address.address) return address.name
  return address.name ? `${address.name} <${address.address}>` : address.address
}
