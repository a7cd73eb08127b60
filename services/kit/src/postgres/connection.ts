import pg from 'pg'
import { addressOf, hostUrls } from '../process/config.ts'

const PROBE_MS = 2_000
const NO_PRIMARY = 'None of the database hosts accepts writes'

/**
 * A connection to PostgreSQL by a URL that may name several hosts: to the one that accepts writes at that moment. With
 * `?pgbouncer=true` it names no statements, which PgBouncer in transaction mode would give to sessions that lack them.
 */
export class Connection extends pg.Client {
  readonly #hosts: URL[]

  constructor(config: pg.ClientConfig & { connectionString: string }) {
    const hosts = hostUrls(config.connectionString)
    super({ ...config, connectionString: hosts[0].href })
    this.#hosts = hosts
    if (hosts[0].searchParams.get('pgbouncer') === 'true') this.query = unnamed(this.query.bind(this))
  }

  override connect(): Promise<pg.Client>
  override connect(done: Done): void
  override connect(done?: Done): Promise<pg.Client> | undefined {
    if (!done) return this.#connect()
    this.#connect().then(
      (client) => (done as (error: null, client: pg.Client) => void)(null, client),
      (error) => (done as (error: Error) => void)(error),
    )
  }

  async #connect(): Promise<pg.Client> {
    if (this.#hosts.length > 1) {
      const { host, port } = addressOf(await writableHost(this.#hosts), 5432)
      this.host = host
      this.port = port
    }
    return super.connect()
  }
}

type Done = ((error: Error) => void) | ((error: null, client: pg.Client) => void)
type Query = pg.Client['query']

function unnamed(query: Query): Query {
  return ((config: unknown, ...rest: never[]) => {
    const isNamed = typeof config === 'object' && config !== null && 'name' in config
    return query((isNamed ? { ...config, name: undefined } : config) as never, ...rest)
  }) as Query
}

/** The first of the hosts to say that it accepts writes; all are queried at once. @throws Error when none does in some seconds */
export async function writableHost(hosts: URL[]): Promise<URL> {
  const [only] = hosts
  if (only && hosts.length === 1) return only
  try {
    return await Promise.any(hosts.map(requireWritable))
  } catch (error) {
    const { errors } = error as AggregateError
    const reasons = hosts.map(({ host }, index) => `${host}: ${(errors[index] as Error).message}`)
    throw new Error(`${NO_PRIMARY} (${reasons.join('; ')})`, { cause: errors[0] })
  }
}

async function requireWritable(url: URL): Promise<URL> {
  const limits = { connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS }
  const client = new pg.Client({ connectionString: url.href, ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
    if (rows[0]?.transaction_read_only !== 'off') throw new Error('read-only')
    return url
  } finally {
    // Not awaited: a host that has stopped never answers.
    void client.end().catch(() => {})
  }
}
