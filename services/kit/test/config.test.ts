import { expect, test } from 'vitest'
import {
  commonSettings,
  databaseSettings,
  describeSettings,
  identitySettings,
  loadConfig,
  natsSettings,
  redisSettings,
  setting,
} from '../src/index.ts'
import { hostUrls } from '../src/process/config.ts'

const key = 'a-key-that-is-long-enough-to-be-one'

test('settings become one typed object, with defaults where the environment has nothing', () => {
  const config = loadConfig(
    {
      ...commonSettings,
      ...identitySettings,
      limit: setting.integer('LIMIT', { optional: true, describe: 'A limit' }),
    },
    { PORT: '3000', OPS_PORT: '3001', LOG_LEVEL: '', IDENTITY_KEYS: `${key}1, ${key}2,` },
  )
  const port: number = config.port
  const limit: number | undefined = config.limit
  expect({ ...config, port, limit }).toEqual({
    host: '127.0.0.1',
    port: 3000,
    opsPort: 3001,
    logLevel: 'info',
    lameDuckSeconds: 0,
    drainSeconds: 10,
    identityKeys: [`${key}1`, `${key}2`],
    limit: undefined,
  })
})

test('every problem is listed in one message, and no value is repeated in it', () => {
  const spec = {
    ...commonSettings,
    ...identitySettings,
    voterKey: setting.secret('VOTER_KEY', { describe: 'Signs voters' }),
    origin: setting.url('PUBLIC_ORIGIN', { protocols: ['https:'], describe: 'Origin' }),
  }
  const environment = {
    OPS_PORT: '70000',
    LOG_LEVEL: 'loud',
    IDENTITY_KEYS: `${key},tiny`,
    VOTER_KEY: 'hunter2',
    PUBLIC_ORIGIN: 'http://example.org',
  }
  const load = () => loadConfig(spec, environment)
  expect(load).toThrow(
    [
      'The configuration is not valid:',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'OPS_PORT must be at most 65535',
      'PORT is required: Port to listen on',
      'IDENTITY_KEYS must be at least 32 characters in each entry',
      'VOTER_KEY must be at least 32 characters',
      'PUBLIC_ORIGIN must be a URL that starts with https:',
    ].join('\n  '),
  )
  expect(load).not.toThrow('hunter2')
})

test.each(['', '1.5', '0x10', '9999999999999999999', 'NaN'])('%j is no whole number', (raw) => {
  const load = () => loadConfig({ n: setting.integer('N', { describe: 'A number' }) }, { N: raw })
  expect(load).toThrow(/N (is required|must be a whole number)/)
})

const SERVERS = {
  databaseUrl: databaseSettings.databaseUrl,
  redisUrl: redisSettings.redisUrl,
  natsUrl: natsSettings.natsUrl,
}

test.each(['hunter%zz', 'hunter/2', '12/hunter', '1#hunter', '1?hunter', 'x@hunter/2', '%'])(
  'a URL with the password %s is rejected by the name of its setting, without any part of it',
  (password) => {
    const at = (protocol: string) => `${protocol}://skyfolio:${password}@server.example:1/x`
    const load = () =>
      loadConfig(SERVERS, { DATABASE_URL: at('postgres'), REDIS_URL: at('redis'), NATS_URL: at('nats') })
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'NATS_URL'])
      expect(load).toThrow(`${name} must be a URL whose user and password are percent-encoded`)
    expect(load).not.toThrow(/hunter|12|zz|server/)
  },
)

test.each(['p%2Fw%40%25', 'p@w', 'p:w', ''])('a URL may have the password %j', (password) => {
  const url = `redis://:${password}@server.example:6379/0`
  expect(loadConfig(redisSettings, { REDIS_URL: url })).toEqual({ redisUrl: url })
})

test('a password apart from the URL may have any character, and takes precedence over one in the URL', () => {
  const password = ` p@ss/w#r?d%41 "'\\:ü `
  const load = (urls: string[]) => {
    const [DATABASE_URL, REDIS_URL, NATS_URL] = urls
    const passwords = { DATABASE_PASSWORD: password, REDIS_PASSWORD: password, NATS_PASSWORD: password }
    return Object.values(loadConfig(SERVERS, { DATABASE_URL, REDIS_URL, NATS_URL, ...passwords })).map(
      (url) => new URL(url),
    )
  }
  const plain = load([
    'postgres://skyfolio@server.example:1/x?ssl=true',
    'redis://server.example',
    'nats://s@n.example',
  ])
  for (const url of plain) expect(decodeURIComponent(url.password)).toBe(password)
  expect(plain.map(({ username, host, pathname, search }) => username + host + pathname + search)).toEqual([
    'skyfolioserver.example:1/x?ssl=true',
    'server.example',
    'sn.example',
  ])
  const both = load(['postgres://a:former@db.example/x', 'redis://:former@server.example', 'nats://s:former@n.example'])
  for (const url of both) expect(decodeURIComponent(url.password)).toBe(password)
})

test('a URL that cannot be read or names no host is rejected by its name, without any part of the passwords', () => {
  const environment = { REDIS_PASSWORD: 'hunter2', DATABASE_PASSWORD: 'hunter3' }
  const load = () =>
    loadConfig(SERVERS, {
      ...environment,
      ...{ REDIS_URL: 'redis://:p/hunter@x', DATABASE_URL: 'postgres:///x', NATS_URL: 'nats://n' },
    })
  expect(load).toThrow(
    [
      'DATABASE_URL must name a host beside DATABASE_PASSWORD',
      'REDIS_URL must be a URL whose user and password are percent-encoded, such as %2F for / and %25 for %, or that has no password beside REDIS_PASSWORD',
    ].join('\n  '),
  )
  expect(load).not.toThrow('hunter')
})

test('a URL may name several hosts, with one user and password', () => {
  const environment = {
    DATABASE_URL: 'postgres://app@a.example:1,b.example,[::1]:2/x?target_session_attrs=read-write',
    DATABASE_PASSWORD: 'p,w@',
    REDIS_URL: 'redis+sentinel://:p,w@a.example,b.example:3/main/1',
    NATS_URL: 'nats://a.example:4,b.example',
  }
  const { databaseUrl, redisUrl, natsUrl } = loadConfig(SERVERS, environment)
  expect(databaseUrl).toBe('postgres://app:p%2Cw%40@a.example:1,b.example,[::1]:2/x?target_session_attrs=read-write')
  expect(hostUrls(databaseUrl).map(({ host, password, pathname }) => [host, password, pathname])).toEqual(
    ['a.example:1', 'b.example', '[::1]:2'].map((host) => [host, 'p%2Cw%40', '/x']),
  )
  expect(hostUrls(redisUrl).map(({ host }) => host)).toEqual(['a.example', 'b.example:3'])
  expect(hostUrls(natsUrl).map(({ host }) => host)).toEqual(['a.example:4', 'b.example'])
})

test.each(['nats://a,', 'nats://,b', 'nats://a:1:2,b', 'nats://a b,c', 'nats://u:p@a:1,nats://u:p@b:1'])(
  '%s does not name several hosts',
  (NATS_URL) => {
    expect(() => loadConfig(natsSettings, { NATS_URL })).toThrow(/NATS_URL must/)
  },
)

test('one host alone may be named where a service has one', () => {
  const load = () => loadConfig({ url: setting.url('SITE', { describe: 'A site' }) }, { SITE: 'http://a:1,b:2/' })
  expect(load).toThrow('SITE must be a URL')
})

test('a password from a file may end with a line break', () => {
  const load = (REDIS_PASSWORD: string) =>
    loadConfig(redisSettings, { REDIS_URL: 'redis://x', REDIS_PASSWORD }).redisUrl
  expect([load('pw\n'), load('pw\r\n'), load('pw\n\n')].map((url) => new URL(url).password)).toEqual([
    'pw',
    'pw',
    'pw%0A',
  ])
})

test('settings describe themselves for the documentation', () => {
  const spec = {
    limit: setting.integer('LIMIT', { default: 3, describe: 'A limit' }),
    secret: setting.secret('SECRET', { describe: 'A secret' }),
    url: setting.url('STORE_URL', { passwordFrom: 'STORE_PASSWORD', describe: 'A store' }),
  }
  expect(describeSettings(spec)).toEqual([
    { name: 'LIMIT', required: false, default: '3', describe: 'A limit' },
    { name: 'SECRET', required: true, default: undefined, describe: 'A secret' },
    { name: 'STORE_URL', required: true, default: undefined, describe: 'A store' },
    {
      name: 'STORE_PASSWORD',
      required: false,
      default: undefined,
      describe: 'Password of STORE_URL as it is, not percent-encoded; takes precedence over one in the URL',
    },
  ])
})
