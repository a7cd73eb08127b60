import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import {
  COMPONENTS,
  CONTAINER_PORTS,
  type Component,
  componentNames,
  databaseName,
  databases,
  databasesWithOutbox,
  httpComponents,
  migrationsFolder,
  variableOf,
} from '../components.ts'
import { imageSources } from '../images/image-sources.ts'
import { root } from '../local/paths.ts'

// Compares the files that cannot import deploy/components.ts with it. Each function returns its problems as sentences that
// name the component.

const read = (path: string) => readFileSync(join(root, path), 'utf8')

export const COMPARISONS: Record<string, () => string[]> = {
  'docker-compose.yml': compareCompose,
  'helm/skyfolio/values.yaml': compareChart,
  'deploy/Dockerfile': compareDockerfile,
  'deploy/compose/create-databases.sh': () =>
    compareNames(
      lines('deploy/compose/create-databases.sh', /^create (\S+ "\$\w+")$/gm),
      databases().map((service) => `${service} "$${variableOf(service, 'DATABASE_PASSWORD')}"`),
    ),
  'deploy/backup/common.sh': () => {
    const [names = ''] = lines('deploy/backup/common.sh', /^services=\((.+)\)$/gm)
    // It locks an outbox in each.
    return [...compareNames(names.split(' '), databases()), ...compareNames(names.split(' '), databasesWithOutbox())]
  },
  'deploy/observability/prometheus.yml': () => {
    const [config] = parse(read('deploy/observability/prometheus.yml')).scrape_configs[0].dns_sd_configs
    return [
      ...compareNames(config.names, componentNames()),
      ...compareValue('the port', config.port, CONTAINER_PORTS.ops),
    ]
  },
  'deploy/observability/alerts.yaml': () =>
    compareNames(
      lines('deploy/observability/alerts.yaml', /absent\(skyfolio_build_info\{component="([\w-]+)"\}\)/g),
      componentNames(),
    ),
  'gateway/src/config.ts': () =>
    compareNames(
      lines('gateway/src/config.ts', /setting\.url\('(\w+_URL)'/g).filter((name) => !/^(NATS|REDIS)_/.test(name)),
      componentNames(httpComponents().filter(({ isPublic }) => !isPublic)).map((name) => variableOf(name, 'URL')),
    ),
  'the code': compareCode,
}

function lines(file: string, pattern: RegExp): string[] {
  return [...read(file).matchAll(pattern)].map(([, name]) => name ?? '')
}

function compareNames(found: string[], expected: string[]): string[] {
  return [
    ...expected.filter((name) => !found.includes(name)).map((name) => `${name} is missing`),
    ...found.filter((name) => !expected.includes(name)).map((name) => `${name} is not in the list`),
  ]
}

function compareValue(what: string, found: unknown, expected: unknown): string[] {
  const [is, should] = [found, expected].map((value) => JSON.stringify(value))
  return is === should ? [] : [`${what} is ${is}, in the list ${should}`]
}

interface ComposeService {
  build?: { target: string }
  environment?: Record<string, string>
  depends_on?: Record<string, object>
  deploy: { resources: { limits: { memory: string } } }
}

function compareCompose(): string[] {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, ComposeService>
  }
  const built = Object.keys(services).filter((name) => services[name]?.build)
  const ofMigrations = Object.keys(services.migrations?.environment ?? {})
  return [
    ...compareNames(built, Object.keys(imageSources())),
    ...COMPONENTS.flatMap((component) => compareService(component, services[component.name])),
    ...compareNames(
      ofMigrations,
      databases().flatMap((service) => ['URL', 'PASSWORD'].map((what) => variableOf(service, `DATABASE_${what}`))),
    ),
  ]
}

function compareService(component: Component, service: ComposeService | undefined): string[] {
  if (!service) return []
  const { name, database, calls = [], memory } = component
  const { environment = {} } = service
  const urls = calls.map((called) => environment[variableOf(called, 'URL')])
  const startsAfter = calls.filter((called) => service.depends_on?.[called])
  const expectedUrls = calls.map((called) => `http://${called}:${CONTAINER_PORTS.http}`)
  const ownDatabase = environment.DATABASE_URL?.replace(/.*[/]/, '')
  return [
    ...compareValue(`the memory of ${name}`, service.deploy.resources.limits.memory, memory.compose),
    ...compareValue(`the addresses that ${name} calls`, urls, expectedUrls),
    ...compareNames(startsAfter, calls),
    ...compareValue(`the database of ${name}`, ownDatabase, database && databaseName(database)),
  ]
}

interface ChartComponent {
  http?: boolean
  database?: string
  uses: Record<string, boolean>
  calls?: string[]
  resources: { limits: { memory: string } }
}

function compareChart(): string[] {
  const { components, postgresql } = parse(read('helm/skyfolio/values.yaml')) as {
    components: Record<string, ChartComponent>
    postgresql: { keys: Record<string, string> }
  }
  return [
    ...compareNames(Object.keys(components), componentNames()),
    ...compareNames(Object.keys(postgresql.keys), databases()),
    ...COMPONENTS.flatMap((component) => compareChartComponent(component, components[component.name])),
  ]
}

function compareChartComponent(component: Component, values: ChartComponent | undefined): string[] {
  if (!values) return []
  const { name, uses, calls, database, servesHttp, memory } = component
  const used = Object.keys(values.uses).filter((use) => values.uses[use])
  return [
    ...compareValue(`uses of ${name}`, used.sort(), [...uses].sort()),
    ...compareValue(`calls of ${name}`, values.calls, calls),
    ...compareValue(`the database of ${name}`, values.database, database),
    ...compareValue(`http of ${name}`, values.http ?? true, servesHttp),
    ...compareValue(`the memory of ${name}`, values.resources.limits.memory, memory.chart),
  ]
}

function compareDockerfile(): string[] {
  const text = read('deploy/Dockerfile')
  const images = text.split('# ---- The images.')[1] ?? ''
  const targets = [...images.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name ?? '')
  const [, http, ops] = / PORT=(\d+) OPS_PORT=(\d+) /.exec(text) ?? []
  return [
    ...compareNames(targets, Object.keys(imageSources())),
    ...compareValue('the ports', { http: Number(http), ops: Number(ops) }, CONTAINER_PORTS),
  ]
}

function compareCode(): string[] {
  const owners = globSync('services/*/prisma/migrations', { cwd: root }).map((path) => path.split('/')[1] ?? '')
  const hasOutbox = (service: string) =>
    globSync(`${migrationsFolder(service)}/*.sql`, { cwd: root }).some((path) => read(path).includes('TABLE outbox'))
  const entryPoints = globSync('{gateway,services/*}/src/{main,worker}.ts', { cwd: root })
  const withMetrics = globSync('{gateway,services/!(kit|testkit)}/src/**/*.ts', { cwd: root }).filter((path) =>
    /\bmetrics\.(counter|gauge|histogram)\(/.test(read(path)),
  )
  return [
    ...compareNames(owners, databases()),
    ...compareNames(owners.filter(hasOutbox), databasesWithOutbox()),
    ...compareNames(
      entryPoints,
      COMPONENTS.map(({ entryPoint }) => entryPoint),
    ),
    ...compareNames(
      withMetrics,
      COMPONENTS.flatMap(({ metrics = [] }) => metrics),
    ),
  ]
}
