import { COMPONENTS, type Use } from '../../components.ts'

/** Objects of the chart by what components use, as in an evaluation; secrets are no servers. */
const SERVERS: Partial<Record<Use, string>> = {
  redis: 'redis',
  nats: 'nats',
  objectStore: 'minio',
  partner: 'partner-sandbox',
  mail: 'mailbox',
}

/** The components and servers that each component may connect to. */
export function allowedConnections(): Record<string, string[]> {
  return Object.fromEntries(
    COMPONENTS.map(({ name, calls = [], database, uses }) => [
      name,
      [...calls, ...(database ? ['postgresql'] : []), ...uses.flatMap((use) => SERVERS[use] ?? [])],
    ]),
  )
}
