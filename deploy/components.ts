// Every process of the system as deployed, declared once. Plain data without imports: image builds read this file before
// any package is installed. Files that cannot import it (YAML, shell, the Dockerfile, the chart) are compared with it by
// deploy/test/components.test.ts.

/** A server, or a secret, whose address or value a component needs. The chart calls them `uses` too. */
export type Use =
  | 'redis'
  | 'nats'
  | 'objectStore'
  | 'identity'
  | 'voter'
  | 'links'
  | 'loadTest'
  | 'printImages'
  | 'partner'
  | 'mail'

/** The fault runs that kill components: deploy/checks/faults. */
export type FaultRun = 'upload' | 'votes' | 'orders'

export interface Component {
  /** Of the process, its image, its container, its Deployment, and the metric label `component`. */
  name: string
  /** Path of its package. */
  workspace: string
  /** Path of the file that starts it. */
  entryPoint: string
  /** The service whose database it uses; `services/<database>/prisma` holds schema and migrations. */
  database?: string
  /** Commits events to an outbox in its database. One component per database says so. */
  hasOutbox?: boolean
  uses: Use[]
  /** Components that it sends HTTP requests to; it reads their addresses from AUTH_URL and so on. */
  calls?: string[]
  /** Serves HTTP requests; its package has an `openapi.json`, written by its script `openapi`. */
  servesHttp: boolean
  /** Serves the web application on the port that people open. */
  isPublic?: boolean
  /** What it reads from the environment: the module, and the name of its export. */
  settings: { module: string; name: string }
  /** Further modules that define metrics when they are imported. */
  metrics?: string[]
  /** Environment in the local system, besides what follows from the fields above. */
  localEnvironment?: Record<string, string>
  /** Most memory of its container, by docker-compose.yml and by the chart. */
  memory: { compose: string; chart: string }
  /** The fault runs that kill it. */
  faultRuns?: FaultRun[]
}

/** Inside a container. */
export const CONTAINER_PORTS = { http: 8080, ops: 9090 }

/** The local system registers whoever uses this machine: the public limit would only be in the way. */
export const LOCAL_REGISTRATIONS_PER_HOUR = '1000'

export const COMPONENTS: readonly Component[] = [
  {
    name: 'gateway',
    workspace: 'gateway',
    entryPoint: 'gateway/src/main.ts',
    uses: ['redis', 'nats', 'identity', 'loadTest'],
    calls: ['auth', 'media', 'folders', 'print-orders'],
    servesHttp: true,
    isPublic: true,
    settings: { module: 'gateway/src/config.ts', name: 'settings' },
    metrics: [
      'gateway/src/limits/limits.ts',
      'gateway/src/live/live-events.ts',
      'gateway/src/pictures/picture-metrics.ts',
      'gateway/src/proxy/proxy-metrics.ts',
    ],
    memory: { compose: '512M', chart: '768Mi' },
    faultRuns: ['upload', 'votes'],
  },
  {
    name: 'auth',
    workspace: 'services/auth',
    entryPoint: 'services/auth/src/main.ts',
    database: 'auth',
    hasOutbox: true,
    uses: ['redis', 'nats', 'identity', 'mail'],
    servesHttp: true,
    settings: { module: 'services/auth/src/config.ts', name: 'settings' },
    localEnvironment: { REGISTRATIONS_PER_HOUR: LOCAL_REGISTRATIONS_PER_HOUR },
    memory: { compose: '384M', chart: '512Mi' },
  },
  {
    name: 'auth-worker',
    workspace: 'services/auth',
    entryPoint: 'services/auth/src/worker.ts',
    database: 'auth',
    uses: ['redis', 'nats', 'objectStore', 'mail'],
    servesHttp: false,
    settings: { module: 'services/auth/src/config.ts', name: 'workerSettings' },
    metrics: [
      'services/auth/src/deletion/erasures.ts',
      'services/auth/src/mail/mails-table.ts',
      'services/auth/src/mail/send-mail.ts',
      'services/auth/src/worker-tasks.ts',
    ],
    memory: { compose: '384M', chart: '384Mi' },
  },
  {
    name: 'media',
    workspace: 'services/media',
    entryPoint: 'services/media/src/main.ts',
    database: 'media',
    hasOutbox: true,
    uses: ['redis', 'nats', 'objectStore', 'identity', 'links', 'printImages'],
    servesHttp: true,
    settings: { module: 'services/media/src/config.ts', name: 'apiSettings' },
    metrics: [
      'services/media/src/limits.ts',
      'services/media/src/upload-sessions/receive-part.ts',
      'services/media/src/photos/status.ts',
      'services/media/src/uploads/save-upload.ts',
    ],
    memory: { compose: '768M', chart: '1Gi' },
    faultRuns: ['upload', 'orders'],
  },
  {
    name: 'media-worker',
    workspace: 'services/media',
    entryPoint: 'services/media/src/worker.ts',
    database: 'media',
    uses: ['redis', 'nats', 'objectStore'],
    servesHttp: false,
    settings: { module: 'services/media/src/config.ts', name: 'workerSettings' },
    metrics: [
      'services/media/src/jobs/backlog-metrics.ts',
      'services/media/src/print-images/render-print-image.ts',
      'services/media/src/processing/process-photo.ts',
      'services/media/src/upload-sessions/upkeep.ts',
    ],
    memory: { compose: '4G', chart: '3584Mi' },
    faultRuns: ['upload', 'orders'],
  },
  {
    name: 'folders',
    workspace: 'services/folders',
    entryPoint: 'services/folders/src/main.ts',
    database: 'folders',
    hasOutbox: true,
    uses: ['nats', 'identity', 'voter', 'links'],
    servesHttp: true,
    settings: { module: 'services/folders/src/config.ts', name: 'settings' },
    metrics: ['services/folders/src/voting/cast-vote.ts'],
    memory: { compose: '512M', chart: '768Mi' },
    faultRuns: ['votes'],
  },
  {
    name: 'print-orders',
    workspace: 'services/print-orders',
    entryPoint: 'services/print-orders/src/main.ts',
    database: 'print-orders',
    hasOutbox: true,
    uses: ['redis', 'nats', 'identity', 'partner'],
    servesHttp: true,
    settings: { module: 'services/print-orders/src/config.ts', name: 'settings' },
    metrics: [
      'services/print-orders/src/partner/send-request.ts',
      'services/print-orders/src/orders/place-order.ts',
      'services/print-orders/src/orders/unresolved-orders.ts',
    ],
    memory: { compose: '384M', chart: '512Mi' },
    faultRuns: ['orders'],
  },
  {
    name: 'print-orders-worker',
    workspace: 'services/print-orders',
    entryPoint: 'services/print-orders/src/worker.ts',
    database: 'print-orders',
    uses: ['redis', 'nats', 'partner'],
    servesHttp: false,
    settings: { module: 'services/print-orders/src/config.ts', name: 'workerSettings' },
    metrics: ['services/print-orders/src/status/apply-reports.ts', 'services/print-orders/src/status/due-orders.ts'],
    memory: { compose: '384M', chart: '384Mi' },
    faultRuns: ['orders'],
  },
]

export function componentNames(list = COMPONENTS): string[] {
  return list.map(({ name }) => name)
}

/** @throws Error when there is no such component */
export function componentNamed(name: string): Component {
  const found = COMPONENTS.find((component) => component.name === name)
  if (!found) throw new Error(`There is no component ${name}; there are ${componentNames().join(', ')}.`)
  return found
}

/** Components that are called come before those that call them. */
export function inStartOrder(list = COMPONENTS): Component[] {
  return [...list.filter(({ calls }) => !calls), ...list.filter(({ calls }) => calls)]
}

/** Components that serve HTTP, the public one first; each has an OpenAPI document. */
export function httpComponents(): Component[] {
  return COMPONENTS.filter(({ servesHttp }) => servesHttp)
}

/** Path of the OpenAPI document of a component that serves HTTP. */
export function openApiDocument({ workspace }: Component): string {
  return `${workspace}/openapi.json`
}

/** Services that own a database. */
export function databases(): string[] {
  return [...new Set(COMPONENTS.flatMap(({ database }) => database ?? []))]
}

/** Databases with an outbox: those whose changes others learn of. */
export function databasesWithOutbox(): string[] {
  return COMPONENTS.flatMap(({ hasOutbox, database }) => (hasOutbox && database ? database : []))
}

/** Name of a service's database. */
export function databaseName(service: string): string {
  return `skyfolio_${service}`
}

/** Path of the folder with the migrations of a service's database. */
export function migrationsFolder(service: string): string {
  return `services/${service}/prisma/migrations`
}

/** Name of an environment variable about a component or service: `MEDIA_URL`, `AUTH_DATABASE_URL`. */
export function variableOf(name: string, suffix: string): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_${suffix}`
}

/** Components that a fault run kills. */
export function faultTargets(run: FaultRun): string[] {
  return componentNames(COMPONENTS.filter(({ faultRuns }) => faultRuns?.includes(run)))
}

/** Packages with TypeScript sources and tests, those that others depend on first. */
export function packages(): string[] {
  const first = ['proto', 'services/kit', 'services/testkit', 'deploy/partner-sandbox', 'deploy/mailbox']
  return [...new Set([...first, ...COMPONENTS.map(({ workspace }) => workspace), 'web', 'deploy'])]
}
