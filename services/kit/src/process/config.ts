/** Options of every kind of setting: `default` makes it optional with a value, `optional` without one. */
interface Options<T> {
  default?: T
  optional?: boolean
  /** Smallest number, shortest text, fewest entries. */
  min?: number
  /** Largest number, longest text, most entries. */
  max?: number
  describe: string
}

interface UrlOptions extends Options<string> {
  /** Accepted protocols with their colon, for example `nats:`; any when absent. */
  protocols?: string[]
  /** Variable with the password of the URL: any text, as it is. It takes precedence over a password in the URL. */
  passwordFrom?: string
  /** It may name several hosts of one service, `host:port,host:port`. See `hostUrls`. */
  severalHosts?: boolean
}

interface ListOptions extends Options<string[]> {
  /** Shortest entry. */
  entryMin?: number
  /** What an entry must be, and the words for it. */
  entries?: { accept(entry: string): boolean; words: string }
}

export interface Field<T> {
  name: string
  describe: string
  required: boolean
  default: string | undefined
  /** A further variable, which `read` gets as `password`. */
  passwordFrom?: string | undefined
  /** The value of a raw text, or of an absent setting. @throws Error whose message continues "<NAME> " */
  read(raw: string | undefined, password?: string): T
}

type Value<T, O> = O extends { optional: true } ? T | undefined : T
type Spec = Record<string, Field<unknown>>
export type Config<S> = { [K in keyof S]: S[K] extends Field<infer T> ? T : never }

/** The settings are not valid; the message lists every problem. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

function field<T, O extends Options<T>>(
  name: string,
  options: O,
  parse: (raw: string, password?: string) => T,
): Field<Value<T, O>> {
  return {
    name,
    describe: options.describe,
    required: options.default === undefined && !options.optional,
    default: options.default === undefined ? undefined : String(options.default),
    read(raw, password) {
      if (raw !== undefined) return parse(raw, password) as Value<T, O>
      if (options.default === undefined && !options.optional) throw new Error(`is required: ${options.describe}`)
      return options.default as Value<T, O>
    },
  }
}

function within(size: number, options: { min?: number; max?: number }, unit: string): void {
  if (options.min !== undefined && size < options.min) throw new Error(`must be at least ${options.min}${unit}`)
  if (options.max !== undefined && size > options.max) throw new Error(`must be at most ${options.max}${unit}`)
}

function parseInteger(raw: string, options: Options<number>): number {
  if (!/^-?\d+$/.test(raw) || !Number.isSafeInteger(Number(raw))) throw new Error('must be a whole number')
  within(Number(raw), options, '')
  return Number(raw)
}

const NOT_ENCODED = 'must be a URL whose user and password are percent-encoded, such as %2F for / and %25 for %'

/** Protocol, user with password, hosts, and the rest of a URL. */
const URL_PARTS = /^([a-z][a-z+]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)(.*)$/is

/** The URLs of the single hosts of a URL that names several, which `URL` cannot parse. @throws TypeError */
export function hostUrls(url: string): [URL, ...URL[]] {
  const [, protocol = '', login, hosts = '', rest = ''] = URL_PARTS.exec(url) ?? []
  const [first = '', ...others] = hosts.split(',')
  const ofHost = (host: string) => new URL(`${protocol}${login === undefined ? '' : `${login}@`}${host}${rest}`)
  return [ofHost(first), ...others.map(ofHost)]
}

/** Host and port as clients take them: an IPv6 address without its brackets. */
export function addressOf({ hostname, port }: URL, defaultPort: number): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
}

function withPassword(url: string, password: string): string {
  const [, protocol, login = '', hosts, rest] = URL_PARTS.exec(url) ?? []
  return `${protocol}${login.replace(/:.*/s, '')}:${encodeURIComponent(password)}@${hosts}${rest}`
}

function parseUrl(raw: string, options: UrlOptions, password?: string): string {
  const { protocols, passwordFrom, severalHosts } = options
  const notEncoded = passwordFrom ? `${NOT_ENCODED}, or that has no password beside ${passwordFrom}` : NOT_ENCODED
  if (severalHosts && /,[a-z][a-z+]*:\/\//i.test(raw))
    throw new Error('must name its protocol once, before the first host')
  let urls: URL[]
  try {
    urls = severalHosts ? hostUrls(raw) : [new URL(raw)]
  } catch {
    throw new Error(raw.includes('@') ? notEncoded : 'must be a URL')
  }
  if (protocols && !urls.every(({ protocol }) => protocols.includes(protocol))) {
    throw new Error(`must be a URL that starts with ${protocols.join(' or ')}`)
  }
  if (!urls.every(isEncoded)) throw new Error(notEncoded)
  if (urls.length > 1 && urls.some(({ hostname }) => hostname === '')) throw new Error('must not name an empty host')
  if (!password) return raw
  if (urls[0]?.hostname === '') throw new Error(`must name a host beside ${passwordFrom}`)
  return withPassword(raw, password)
}

/** After / ? or # in a password the rest of it, up to the @, is no part of it: what is before would be a host, which logs may show. */
function isEncoded({ username, password, pathname, search, hash }: URL): boolean {
  if (`${pathname}${search}${hash}`.includes('@')) return false
  try {
    return decodeURIComponent(`${username} ${password} ${pathname}`) !== ''
  } catch {
    return false
  }
}

function parseList(raw: string, options: ListOptions): string[] {
  const entries = raw
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  within(entries.length, options, ' entries')
  for (const entry of entries) within(entry.length, { min: options.entryMin }, ' characters in each entry')
  const { accept, words } = options.entries ?? {}
  if (accept && !entries.every(accept)) throw new Error(`must have only ${words}`)
  return entries
}

function parseText(raw: string, options: Options<string>): string {
  within(raw.length, options, ' characters')
  return raw
}

function parseChoice<V extends string>(raw: string, values: readonly V[]): V {
  const value = values.find((candidate) => candidate === raw)
  if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
  return value
}

/** The kinds of settings. Each takes the variable's name and options with at least `describe`. */
export const setting = {
  string: <const O extends Options<string>>(name: string, options: O) =>
    field<string, O>(name, options, (raw) => parseText(raw, options)),
  /** A text of at least 32 characters that never has a default. */
  secret: <const O extends Omit<Options<string>, 'default' | 'min'>>(name: string, options: O) =>
    field<string, O>(name, options, (raw) => parseText(raw, { ...options, min: 32 })),
  integer: <const O extends Options<number>>(name: string, options: O) =>
    field<number, O>(name, options, (raw) => parseInteger(raw, options)),
  url: <const O extends UrlOptions>(name: string, options: O) => ({
    ...field<string, O>(name, options, (raw, password) => parseUrl(raw, options, password)),
    passwordFrom: options.passwordFrom,
  }),
  /** Entries between commas; empty ones are dropped. */
  list: <O extends ListOptions>(name: string, options: O) =>
    field<string[], O>(name, options, (raw) => parseList(raw, options)),
  choice: <const V extends string, const O extends Options<NoInfer<V>>>(
    name: string,
    values: readonly V[],
    options: O,
  ) => field<V, O>(name, options, (raw) => parseChoice(raw, values)),
}

/**
 * Reads a flat object of settings from an environment. An empty variable counts as absent.
 * @throws ConfigError that lists every problem at once
 */
export function loadConfig<S extends Spec>(spec: S, environment: NodeJS.ProcessEnv): Config<S> {
  const problems: string[] = []
  const entries = Object.entries(spec).map(([key, one]) => {
    try {
      // A file with the password may end with a line break.
      const password = one.passwordFrom && environment[one.passwordFrom]?.replace(/\r?\n$/, '')
      return [key, one.read(environment[one.name]?.trim() || undefined, password)]
    } catch (error) {
      problems.push(`${one.name} ${(error as Error).message}`)
      return [key, undefined]
    }
  })
  if (problems.length > 0) throw new ConfigError(`The configuration is not valid:\n  ${problems.join('\n  ')}`)
  return Object.fromEntries(entries)
}

export interface SettingDescription {
  name: string
  required: boolean
  default: string | undefined
  describe: string
}

/** The settings as rows of the documented table. */
export function describeSettings(spec: Spec): SettingDescription[] {
  return Object.values(spec).flatMap(({ name, required, default: fallback, describe, passwordFrom }) => [
    { name, required, default: fallback, describe },
    ...(passwordFrom ? [{ name: passwordFrom, required: false, default: undefined, describe: passwordOf(name) }] : []),
  ])
}

function passwordOf(name: string): string {
  return `Password of ${name} as it is, not percent-encoded; takes precedence over one in the URL`
}
