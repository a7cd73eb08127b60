/** What is to go wrong, for tests. */
export interface FaultRequest {
  /** After `drop-after-data` the message is kept, and its sender does not learn it. */
  reply: 'busy' | 'reject' | 'drop-after-data' | 'hang' | 'connection-refused'
  /** How many messages it hits; absent: until it is removed. A message that is sent again counts again. */
  times?: number
  /** It hits messages to this address alone. */
  to?: string
  /** What `busy` (451) and `reject` (550) answer; 421 closes the connection. */
  code?: number
  /** When `busy` and `reject` answer: after the recipient, or after the content. */
  at?: 'recipient' | 'content'
}

export interface Fault extends FaultRequest {
  /** How many messages it has hit. */
  hits: number
}

/** The error that `busy` and `reject` answer; null for other faults. */
export function refusalOf({ reply, code }: Fault): Error | null {
  if (reply !== 'busy' && reply !== 'reject') return null
  const responseCode = code ?? (reply === 'busy' ? 451 : 550)
  return Object.assign(new Error('The mailbox is told to refuse this'), { responseCode })
}
