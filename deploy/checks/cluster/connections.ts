import { COMPONENTS, type ComponentList, type Use } from '../../components.ts'

/** Objects of the chart by what components use; secrets are no servers. */
const STORES: Partial<Record<Use, string>> = { redis: 'redis', nats: 'nats', objectStore: 'minio' }

/** The components and stores that each component may connect to. */
export function allowedConnections(list: ComponentList = COMPONENTS): Record<string, string[]> {
  return Object.fromEntries(
    list.map(({ name, calls = [], database, uses }) => [
      name,
      [...calls, ...(database ? ['postgresql'] : []), ...uses.flatMap((use) => STORES[use] ?? [])],
    ]),
  )
}
