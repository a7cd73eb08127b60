import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestDatabase } from '@skyfolio/testkit'
import { describe, expect, test } from 'vitest'
import vitestConfig from '../../vitest.config.ts'
import { allowedConnections } from '../checks/cluster/connections.ts'
import { planFaults } from '../checks/faults/fault-plan.ts'
import { seededRandom } from '../checks/faults/random.ts'
import { backupSettings } from '../checks/restore-drill/backup-restore.ts'
import {
  COMPONENTS,
  type Component,
  type ComponentList,
  componentNames,
  databases,
  databasesWithOutbox,
  faultTargets,
  packages,
} from '../components.ts'
import { imageSource, imageSources } from '../images/image-sources.ts'
import { operatorCommands } from '../local/operator-commands.ts'
import { root } from '../local/paths.ts'
import { preparationSteps } from '../local/prepare.ts'
import { planServices } from '../local/services.ts'
import { backupDatabasesFile, renderBackupDatabases } from '../scripts/backup-databases.ts'
import { renderConfiguration } from '../scripts/configuration.ts'
import { generatedPaths, generateSteps } from '../scripts/generate.ts'
import { renderMetricsPage } from '../scripts/metrics.ts'
import { COMPARISONS } from './component-files.ts'
import { PARCELS } from './fixtures/parcels.ts'

const gateway = COMPONENTS[0] as Component
const withParcels: ComponentList = [
  { ...gateway, calls: [...(gateway.calls ?? []), 'parcels'] },
  ...COMPONENTS.slice(1),
  ...PARCELS,
]
const withoutFolders = COMPONENTS.filter(({ name }) => name !== 'folders')

describe('files that cannot import the list', () => {
  test.each(Object.entries(COMPARISONS))('%s agrees with the list', (_, compare) => {
    expect(compare(COMPONENTS)).toEqual([])
  })

  test.each(Object.entries(COMPARISONS))('%s is reported when it lacks a component of the list', (file, compare) => {
    const problems = compare(withParcels).filter((problem) => /parcels/i.test(problem))
    expect(problems).not.toEqual([])
    if (file !== 'deploy/components.ts') for (const problem of problems) expect(problem).toContain(file)
  })

  test.each(Object.entries(COMPARISONS))('%s is reported when it has a component that the list lacks', (_, compare) => {
    expect(compare(withoutFolders).filter((problem) => /folders/i.test(problem))).not.toEqual([])
  })

  test('a wrong memory limit, database or use is reported with file and component', () => {
    const changed = COMPONENTS.map((component) =>
      component.name === 'media'
        ? { ...component, database: 'auth', memory: { compose: '1M', chart: '1Mi' } }
        : component,
    )
    expect(COMPARISONS['docker-compose.yml']?.(changed)).toEqual([
      'docker-compose.yml: the memory of media is "768M", in the list "1M"',
      'docker-compose.yml: the database of media is "skyfolio_media", in the list "skyfolio_auth"',
    ])
    expect(COMPARISONS['helm/skyfolio/values.yaml']?.(changed)).toEqual([
      'helm/skyfolio/values.yaml: the database of media is "media", in the list "auth"',
      'helm/skyfolio/values.yaml: the memory of media is "1Gi", in the list "1Mi"',
    ])
  })
})

describe('a component that is added to the list', () => {
  const ports = Object.fromEntries(
    componentNames(withParcels).map((name, index) => [name, { http: 7000 + index, ops: 7100 + index }]),
  )
  const settings = {
    servers: {
      postgres: 'postgres://127.0.0.1:1',
      redis: 'redis://127.0.0.1:2',
      nats: 'nats://127.0.0.1:3',
      partnerSandbox: 'http://127.0.0.1:4',
      mailbox: 'smtp://127.0.0.1:5',
    },
    secrets: {
      identityKey: 'identity',
      voterKey: 'voter',
      linkKey: 'links',
      printImageKey: 'images',
    },
    publicOrigin: 'http://127.0.0.1:8080',
    gatewayPort: 8080,
    ports,
  }

  test('is started by the local runner before the gateway, with a migrated database and its environment', () => {
    const plan = planServices(settings, withParcels)
    const names = plan.processes.map(({ name }) => name)
    const others = componentNames().filter((name) => name !== 'gateway')
    expect(names).toEqual([...others, 'parcels', 'parcels-worker', 'gateway'])
    expect(plan.processes.find(({ name }) => name === 'parcels')).toEqual({
      name: 'parcels',
      entryPoint: 'services/parcels/src/main.ts',
      opsPort: ports.parcels?.ops,
    })
    expect(plan.migrations.at(-1)).toEqual({
      service: 'parcels',
      url: 'postgres://127.0.0.1:1/skyfolio_parcels',
      folder: 'services/parcels/prisma/migrations',
    })
    expect(plan.env.parcels).toEqual({
      PUBLIC_ORIGIN: 'http://127.0.0.1:8080',
      OPS_PORT: String(ports.parcels?.ops),
      PORT: String(ports.parcels?.http),
      DATABASE_URL: 'postgres://127.0.0.1:1/skyfolio_parcels',
      NATS_URL: 'nats://127.0.0.1:3',
      IDENTITY_KEYS: 'identity',
      PARCEL_DEADLINE_MINUTES: '1',
    })
    expect(plan.env['parcels-worker']).toMatchObject({ REDIS_URL: 'redis://127.0.0.1:2', OBJECT_STORE: 'dir' })
    expect(plan.env['parcels-worker']).not.toHaveProperty('PORT')
    expect(plan.env.gateway).toMatchObject({
      PORT: '8080',
      PARCELS_URL: `http://127.0.0.1:${ports.parcels?.http}`,
    })
  })

  test('has its database client generated before a start and before the tests', () => {
    const schema = 'services/parcels/prisma/schema.prisma'
    expect(preparationSteps({ web: false }, withParcels)).toContainEqual(
      expect.objectContaining({ command: ['prisma', 'generate', '--schema', schema] }),
    )
  })

  test('is typechecked and tested', () => {
    expect(packages(withParcels)).toContain('services/parcels')
    const { projects } = (vitestConfig as { test: { projects: { test: { include: string[] } }[] } }).test
    const [shared, own] = projects.map(({ test }) => test.include)
    expect(shared).toEqual(packages().map((path) => `${path}/test/**/*.test.{ts,tsx}`))
    expect(own?.filter((path) => !existsSync(join(root, path)))).toEqual([])
    // A database for its tests is created from its migrations, which it lacks.
    return expect(createTestDatabase('parcels')).rejects.toThrow('services/parcels/prisma/migrations')
  })

  test('has images', () => {
    expect(Object.keys(imageSources(withParcels))).toEqual([
      ...componentNames(withParcels),
      'migrations',
      'partner-sandbox',
      'mailbox',
    ])
    expect(imageSource('parcels-worker', withParcels)).toMatchObject({
      workspace: 'services/parcels',
      entryPoint: 'services/parcels/src/worker.ts',
    })
  })

  test('has an OpenAPI document, of which the web application gets types', () => {
    const steps = generateSteps(withParcels).map((step) => step.join(' '))
    expect(steps).toContain('npm run --silent openapi -w services/parcels')
    expect(steps.find((step) => step.includes('generate:api'))).toContain('parcels=services/parcels/openapi.json')
    expect(generatedPaths(withParcels)).toContain('services/parcels/openapi.json')
  })

  test('is in the documents of settings and metrics', async () => {
    expect(await renderConfiguration(withParcels)).toMatch(
      /\| `PARCEL_DEADLINE_MINUTES` +\| `60` +\| Time until a parcel leaves +\| parcels, parcels-worker +\|/,
    )
    const metrics = await renderMetricsPage(withParcels)
    expect(metrics).toContain('`skyfolio_parcels_total`')
    expect(metrics).toContain('`parcels-worker`')
  })

  test('is backed up at the same point in time as the others, with its outbox locked', () => {
    expect(renderBackupDatabases(withParcels)).toContain(
      `services=(${databases().join(' ')} parcels)\nservices_with_outbox=(${databasesWithOutbox().join(' ')} parcels)\n`,
    )
    const env = Object.fromEntries(databases(withParcels).map((service) => [service, { DATABASE_URL: service }]))
    expect(backupSettings(env, withParcels)).toMatchObject({ PARCELS_DATABASE_URL: 'parcels' })
  })

  test('is killed by the fault runs that it names', () => {
    for (const [run, name] of [
      ['votes', 'parcels'],
      ['upload', 'parcels-worker'],
    ] as const) {
      const services = faultTargets(run, withParcels)
      const faults = planFaults(seededRandom(1), 60_000, { services, servers: ['postgres'] })
      expect(faults.map(({ target }) => target)).toContain(name)
    }
  })

  test('may connect in a cluster to what it uses and nothing else', () => {
    const connections = allowedConnections(withParcels)
    expect(connections.parcels).toEqual(['postgresql', 'nats'])
    expect(connections['parcels-worker']).toEqual(['postgresql', 'redis', 'nats', 'minio'])
    expect(connections.gateway).toContain('parcels')
  })

  test('can run the dead-letter command', () => {
    expect(operatorCommands(PARCELS).deadletters?.steps).toMatchObject([{ component: 'parcels' }])
  })
})

// Written out, so that each new permission is a decision: a new component is added here by hand.
test('the real components may connect only as in this table', () => {
  expect(allowedConnections()).toEqual({
    gateway: ['auth', 'media', 'folders', 'print-orders', 'redis', 'nats'],
    auth: ['postgresql', 'redis', 'nats', 'mailbox'],
    'auth-worker': ['postgresql', 'redis', 'nats', 'minio', 'mailbox'],
    media: ['postgresql', 'redis', 'nats', 'minio'],
    'media-worker': ['postgresql', 'redis', 'nats', 'minio'],
    folders: ['postgresql', 'nats'],
    'print-orders': ['postgresql', 'redis', 'nats', 'partner-sandbox'],
    'print-orders-worker': ['postgresql', 'redis', 'nats', 'partner-sandbox'],
  })
})

test('every operator command runs in a component of the list, or in the checkout', () => {
  const steps = Object.values(operatorCommands()).flatMap((command) => command.steps)
  expect(steps.filter(({ component }) => component && !componentNames().includes(component))).toEqual([])
})

test('deploy/backup/databases.sh is current (npm run generate)', async () => {
  expect(await readFile(backupDatabasesFile, 'utf8')).toBe(renderBackupDatabases())
})

test('no other file lists the components by hand', () => {
  const compared = [
    'deploy/components.ts',
    'deploy/test/components.test.ts',
    ...Object.keys(COMPARISONS),
    backupDatabasesFile,
  ]
  const files = execFileSync('git', ['ls-files', '--', '*.ts', '*.mjs', '*.sh', '*.yml', 'package.json', '.ci'], {
    cwd: root,
    encoding: 'utf8',
  })
  const name = `['"]?\\b(?:${componentNames().join('|')})\\b['"]?`
  const three = new RegExp(`${name}(?:, ?| )${name}(?:, ?| )${name}`, 'g')
  // Lists without auth are those of a scenario, such as the processes that a benchmark measures.
  const listsComponents = (text: string) => (text.match(three) ?? []).some((found) => /\bauth\b/.test(found))
  const found = files
    .trim()
    .split('\n')
    .filter((file) => !/^(web|services|gateway)\//.test(file) && !compared.some((known) => known.endsWith(file)))
    .filter((file) => listsComponents(readFileSync(join(root, file), 'utf8')))
  expect(found).toEqual([])
})
