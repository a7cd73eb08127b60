import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import {
  CONTAINER_PORTS,
  type Component,
  type ComponentList,
  componentNames,
  databaseName,
  databases,
  databasesWithOutbox,
  httpComponents,
  migrationsFolder,
  openApiDocument,
  variableOf,
} from '../components.ts'
import { imageSources } from '../images/image-sources.ts'
import { root } from '../local/paths.ts'

// Compares the files that cannot import deploy/components.ts with it. Each function returns its problems as sentences that
// name file and component.

const read = (path: string) => readFileSync(join(root, path), 'utf8')

export const COMPARISONS: Record<string, (list: ComponentList) => string[]> = {
  'docker-compose.yml': compareCompose,
  'helm/skyfolio/values.yaml': compareChart,
  'deploy/Dockerfile': compareDockerfile,
  'deploy/compose/create-databases.sh': (list) =>
    compareNames(
      'deploy/compose/create-databases.sh',
      lines('deploy/compose/create-databases.sh', /^create (\S+ "\$\w+")$/gm),
      databases(list).map((service) => `${service} "$${variableOf(service, 'DATABASE_PASSWORD')}"`),
    ),
  'deploy/compose/check-secrets.sh': (list) => comparePasswords('deploy/compose/check-secrets.sh', list),
  'deploy/make-secrets.sh': (list) => comparePasswords('deploy/make-secrets.sh', list),
  'deploy/observability/prometheus.yml': (list) => {
    const file = 'deploy/observability/prometheus.yml'
    const [config] = parse(read(file)).scrape_configs[0].dns_sd_configs
    const wrongPort = config.port === CONTAINER_PORTS.ops ? [] : [`${file}: the port is ${config.port}`]
    return [...compareNames(file, config.names, componentNames(list)), ...wrongPort]
  },
  'deploy/observability/alerts.yaml': (list) =>
    compareNames(
      'deploy/observability/alerts.yaml',
      lines('deploy/observability/alerts.yaml', /absent\(skyfolio_build_info\{component="([\w-]+)"\}\)/g),
      componentNames(list),
    ),
  'gateway/src/proxy/route-table.ts': (list) => {
    const [, union = ''] = /type ServiceName = (.+)/.exec(read('gateway/src/proxy/route-table.ts')) ?? []
    const names = [...union.matchAll(/'([\w-]+)'/g)].map(([, name]) => name ?? '')
    return compareNames('gateway/src/proxy/route-table.ts', names, routed(list))
  },
  'gateway/src/config.ts': (list) =>
    compareNames(
      'gateway/src/config.ts',
      lines('gateway/src/config.ts', /setting\.url\('(\w+_URL)'/g).filter((name) => !/^(NATS|REDIS)_/.test(name)),
      routed(list).map((name) => variableOf(name, 'URL')),
    ),
  'web/src/api/generated': (list) =>
    compareNames(
      'web/src/api/generated',
      globSync('*.d.ts', { cwd: join(root, 'web/src/api/generated') }).map((name) => name.replace('.d.ts', '')),
      componentNames(httpComponents(list)),
    ),
  'deploy/components.ts': comparePaths,
}

/** Services whose routes the gateway proxies. */
function routed(list: ComponentList): string[] {
  return componentNames(httpComponents(list).filter(({ isPublic }) => !isPublic))
}

function lines(file: string, pattern: RegExp): string[] {
  return [...read(file).matchAll(pattern)].map(([, name]) => name ?? '')
}

function compareNames(file: string, found: string[], expected: string[]): string[] {
  return [
    ...expected.filter((name) => !found.includes(name)).map((name) => `${file} lacks ${name}`),
    ...found.filter((name) => !expected.includes(name)).map((name) => `${file} has ${name}, which is not in the list`),
  ]
}

function comparePasswords(file: string, list: ComponentList): string[] {
  const found = [...new Set(lines(file, /\b(\w+_DATABASE_PASSWORD)\b/g))]
  return compareNames(
    file,
    found,
    databases(list).map((service) => variableOf(service, 'DATABASE_PASSWORD')),
  )
}

function compareValue(file: string, what: string, found: unknown, expected: unknown): string[] {
  const [is, should] = [found, expected].map((value) => JSON.stringify(value))
  return is === should ? [] : [`${file}: ${what} is ${is}, in the list ${should}`]
}

interface ComposeService {
  build?: { target: string }
  environment?: Record<string, string>
  depends_on?: Record<string, object>
  deploy: { resources: { limits: { memory: string } } }
}

function compareCompose(list: ComponentList): string[] {
  const file = 'docker-compose.yml'
  const { services } = parse(read(file), { merge: true }) as { services: Record<string, ComposeService> }
  const built = Object.keys(services).filter((name) => services[name]?.build)
  const environment = (name: string) => Object.keys(services[name]?.environment ?? {})
  return [
    ...compareNames(file, built, Object.keys(imageSources(list))),
    ...list.flatMap((component) => compareService(file, component, services[component.name])),
    ...compareNames(
      `${file}, migrations`,
      environment('migrations'),
      databases(list).map((service) => variableOf(service, 'DATABASE_URL')),
    ),
    ...['create-databases', 'check-secrets'].flatMap((name) =>
      compareNames(
        `${file}, ${name}`,
        environment(name).filter((variable) => variable.endsWith('_DATABASE_PASSWORD')),
        databases(list).map((service) => variableOf(service, 'DATABASE_PASSWORD')),
      ),
    ),
  ]
}

function compareService(file: string, component: Component, service: ComposeService | undefined): string[] {
  if (!service) return []
  const { name, database, calls = [], memory } = component
  const { environment = {} } = service
  const urls = Object.entries(environment).filter(([variable]) =>
    calls.some((called) => variable === variableOf(called, 'URL')),
  )
  const startsAfter = calls.filter((called) => service.depends_on?.[called])
  const expectedUrls = calls.map((called) => [variableOf(called, 'URL'), `http://${called}:${CONTAINER_PORTS.http}`])
  return [
    ...compareValue(file, `the memory of ${name}`, service.deploy.resources.limits.memory, memory.compose),
    ...compareValue(file, `the addresses that ${name} calls`, urls, expectedUrls),
    ...compareNames(`${file}, depends_on of ${name}`, startsAfter, calls),
    ...compareValue(
      file,
      `the database of ${name}`,
      environment.DATABASE_URL?.replace(/.*[/]/, ''),
      database && databaseName(database),
    ),
  ]
}

interface ChartComponent {
  http?: boolean
  database?: string
  uses: Record<string, boolean>
  calls?: string[]
  resources: { limits: { memory: string } }
}

function compareChart(list: ComponentList): string[] {
  const file = 'helm/skyfolio/values.yaml'
  const { components, postgresql } = parse(read(file)) as {
    components: Record<string, ChartComponent>
    postgresql: { keys: Record<string, string> }
  }
  return [
    ...compareNames(file, Object.keys(components), componentNames(list)),
    ...compareNames(`${file}, postgresql.keys`, Object.keys(postgresql.keys), databases(list)),
    ...list.flatMap((component) => compareChartComponent(file, component, components[component.name])),
  ]
}

function compareChartComponent(file: string, component: Component, values: ChartComponent | undefined): string[] {
  if (!values) return []
  const { name, uses, calls, database, servesHttp, memory } = component
  const used = Object.keys(values.uses).filter((use) => values.uses[use])
  return [
    ...compareValue(file, `uses of ${name}`, used.sort(), [...uses].sort()),
    ...compareValue(file, `calls of ${name}`, values.calls, calls),
    ...compareValue(file, `the database of ${name}`, values.database, database),
    ...compareValue(file, `http of ${name}`, values.http ?? true, servesHttp),
    ...compareValue(file, `the memory of ${name}`, values.resources.limits.memory, memory.chart),
  ]
}

function compareDockerfile(list: ComponentList): string[] {
  const file = 'deploy/Dockerfile'
  const text = read(file)
  const images = text.split('# ---- The images.')[1] ?? ''
  const targets = [...images.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name ?? '')
  const [, http, ops] = / PORT=(\d+) OPS_PORT=(\d+) /.exec(text) ?? []
  return [
    ...compareNames(file, targets, Object.keys(imageSources(list))),
    ...compareValue(file, 'the ports', { http: Number(http), ops: Number(ops) }, CONTAINER_PORTS),
  ]
}

/** Paths and facts of the list itself. */
function comparePaths(list: ComponentList): string[] {
  const file = 'deploy/components.ts'
  const missing = list.flatMap((component) => {
    const { workspace, entryPoint, settings, metrics = [], servesHttp } = component
    const paths = [`${workspace}/package.json`, entryPoint, settings.module, ...metrics]
    if (servesHttp) paths.push(openApiDocument(component))
    return paths
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: ${component.name} lacks ${path}`)
  })
  const owners = globSync('services/*/prisma/migrations', { cwd: root }).map((path) => path.split('/')[1] ?? '')
  const withOutbox = owners.filter((service) =>
    globSync(`${migrationsFolder(service)}/*.sql`, { cwd: root }).some((path) =>
      /CREATE TABLE outbox/.test(read(path)),
    ),
  )
  const entryPoints = globSync('{gateway,services/*}/src/{main,worker}.ts', { cwd: root })
  const withMetrics = globSync('{gateway,services/!(kit|testkit)}/src/**/*.ts', { cwd: root }).filter((path) =>
    /\bmetrics\.(counter|gauge|histogram)\(/.test(read(path)),
  )
  return [
    ...missing,
    ...compareNames(
      'modules with metrics',
      withMetrics,
      list.flatMap(({ metrics = [] }) => metrics),
    ),
    ...compareNames('services/*/prisma/migrations', owners, databases(list)),
    ...compareNames('services/*/prisma/migrations with an outbox', withOutbox, databasesWithOutbox(list)),
    ...compareNames(
      '{gateway,services/*}/src/{main,worker}.ts',
      entryPoints,
      list.map(({ entryPoint }) => entryPoint),
    ),
  ]
}
