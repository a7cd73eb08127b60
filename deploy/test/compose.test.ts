import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { SERVER_IMAGES } from '@skyfolio/testkit/servers'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { COMPONENTS } from '../components.ts'
import { root } from '../local/paths.ts'
import { SANDBOX_CREDENTIALS as sandbox } from '../local/services.ts'

interface Service {
  image: string
  build?: { target: string; dockerfile: string }
  profiles?: string[]
  ports?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck: { test?: unknown; disable?: boolean }
  deploy: { resources: { limits: Record<string, unknown> } }
  [key: string]: unknown
}

const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
const { services, volumes } = parse(text, { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, null>
}
const all = Object.entries(services)
const ofProfile = (service: Service) => service.profiles !== undefined
const oneShots = ['check-secrets', 'create-databases', 'migrations']

test('publishes one port for users, on loopback by default, and the pages of sandbox and mailbox on loopback', () => {
  const published = all.filter(([, service]) => !ofProfile(service) && service.ports)
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
    ['gateway', [`\${SKYFOLIO_ADDRESS:-127.0.0.1}:\${SKYFOLIO_PORT:-8080}:8080`]],
    ['partner-sandbox', [`127.0.0.1:\${SKYFOLIO_SANDBOX_PORT:-8096}:8081`]],
    ['mailbox', [`127.0.0.1:\${SKYFOLIO_MAILBOX_PORT:-8025}:8080`]],
  ])
  const further = all.filter(([name, service]) => ofProfile(service) && name !== 'published-store')
  for (const port of further.flatMap(([, { ports = [] }]) => ports)) expect(port).toMatch(/^127\.0\.0\.1:/)
})

test('publishes the store only with its profile, as the gateway is published', () => {
  const { profiles, ports, depends_on, networks } = services['published-store'] as Service
  expect(profiles).toEqual(['publish-store'])
  expect(ports).toEqual([`\${SKYFOLIO_ADDRESS:-127.0.0.1}:\${SKYFOLIO_STORE_PORT:-8090}:8080`])
  expect(Object.keys(depends_on ?? {})).toEqual(['minio'])
  expect(networks).toEqual(['edge', 'data'])
  const informed = all.filter(([, { environment = {} }]) => 'S3_PUBLIC_ENDPOINT' in environment)
  expect(informed.map(([name]) => name)).toEqual(['gateway', 'media'])
})

/** They open nothing but the local sandbox, which prints nothing. */
const SANDBOX_CREDENTIALS: Record<string, string> = {
  PARTNER_API_KEY: `\${PARTNER_API_KEY:-${sandbox.apiKey}}`,
  PARTNER_AFFILIATE_ID: `\${PARTNER_AFFILIATE_ID:-${sandbox.affiliateId}}`,
}

test('takes every secret from .env, and names the command that creates a missing one', () => {
  const required = [...text.matchAll(/\$\{([A-Z0-9_]+):\?([^}]*)\}/g)]
  for (const [, , sentence] of required) expect(sentence).toBe('run deploy/make-secrets.sh env .env')
  const names = new Set(required.map(([, name]) => name))
  const made = parseEnv(execFileSync(join(root, 'deploy/make-secrets.sh'), ['env'], { encoding: 'utf8' }))
  // Grafana checks its own password, and only with its profile.
  expect(Object.keys(made).sort()).toEqual([...names, 'GRAFANA_PASSWORD'].sort())

  const values = all.flatMap(([, { environment = {} }]) => Object.entries(environment))
  const isSecret = (name: string) => /KEY|PASSWORD|SECRET|AUTH$/.test(name) && !(name in SANDBOX_CREDENTIALS)
  for (const [name, value] of values.filter(([key]) => isSecret(key)))
    expect(value, name).toMatch(/^\$\{[A-Z0-9_]+(:\?[^}]+|:-)\}$/)
  // A password in a URL would have to be percent-encoded.
  for (const [name, value] of values) expect(value, name).not.toMatch(/:\/\/[^/]*:[^/]*@/)
})

const addressesAndKeys = {
  redis: 'REDIS_URL',
  nats: 'NATS_URL',
  objectStore: 'S3_SECRET_KEY',
  identity: 'IDENTITY_KEYS',
  voter: 'VOTER_KEYS',
  links: 'LINK_KEYS',
  loadTest: 'LOAD_TEST_KEY',
  printImages: 'PRINT_IMAGE_KEYS',
  partner: 'PARTNER_API_KEY',
  mail: 'SMTP_URL',
}

test.each(COMPONENTS)('$name gets the addresses and keys that it uses', ({ name, uses }) => {
  const { environment = {} } = services[name] as Service
  const given = Object.entries(addressesAndKeys).filter(([, variable]) => variable in environment)
  expect(given.map(([use]) => use).sort()).toEqual([...uses].sort())
})

test.each(all)('%s has limits, minimal rights and a restart policy', (name, service) => {
  const { limits } = service.deploy.resources
  expect(Object.keys(limits).sort()).toEqual(['cpus', 'memory', 'pids'])
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    logging: { options: { 'max-size': '10m', 'max-file': '3' } },
  })
  expect(service.privileged).toBeUndefined()
  if (oneShots.includes(name)) {
    expect(service).toMatchObject({ restart: 'no', healthcheck: { disable: true } })
  } else {
    expect(service.restart).toBe('unless-stopped')
    expect(service.healthcheck.test).toBeInstanceOf(Array)
  }
})

test('stores keep data in named volumes and are reachable by services only', () => {
  for (const name of Object.keys(SERVER_IMAGES)) {
    const { volumes: mounted = [], networks } = services[name] as Service
    expect(mounted.filter((mount) => mount.startsWith(`${name}:/`))).toHaveLength(1)
    expect(networks).toEqual(['data'])
    expect(Object.keys(volumes)).toContain(name)
  }
})
