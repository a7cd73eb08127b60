import {
  ConfigError,
  commonSettings,
  databaseSettings,
  identitySettings,
  natsSettings,
  opsSettings,
  originSettings,
  redisSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'

const http = ['http:', 'https:']

/** The base address of an API: no secret may be in it, since administrators see it. */
function baseUrl<const O extends Parameters<typeof setting.url>[1]>(
  name: string,
  options: O,
  isSafe: (url: URL) => boolean,
) {
  const field = setting.url(name, { ...options, protocols: http })
  return {
    ...field,
    read(raw: string | undefined) {
      const value = field.read(raw)
      const url = value === undefined ? undefined : new URL(value)
      if (url?.username || url?.password || url?.search || url?.hash) {
        throw new Error('must be a URL without user, password, query and fragment')
      }
      if (url && !isSafe(url)) throw new Error('must be a URL that starts with https:, or with http: on loopback')
      return value
    },
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const isEncrypted = ({ protocol, hostname }: URL) => protocol === 'https:' || LOOPBACK.test(hostname)

/** The settings of connections, for the service and its commands. */
export const serverSettings = { ...databaseSettings, ...natsSettings, ...streamSettings }

/** The settings of the partner's API. */
export const partnerSettings = {
  partnerSandboxUrl: baseUrl(
    'PARTNER_SANDBOX_URL',
    { optional: true, describe: "Base URL of the print partner's sandbox" },
    () => true,
  ),
  partnerProductionUrl: baseUrl(
    'PARTNER_PRODUCTION_URL',
    { optional: true, describe: "Base URL of the print partner's production API; https, or http on loopback" },
    isEncrypted,
  ),
  partnerApiKey: setting.string('PARTNER_API_KEY', { optional: true, describe: "Key of the print partner's API" }),
  partnerAffiliateId: setting.string('PARTNER_AFFILIATE_ID', {
    optional: true,
    describe: "Affiliate id of the print partner's API",
  }),
  partnerTimeoutMs: setting.integer('PARTNER_TIMEOUT_MS', {
    default: 10_000,
    min: 100,
    max: 15_000,
    describe: 'Time limit of one call to the partner, in milliseconds',
  }),
  partnerRequestsPerMinute: setting.integer('PARTNER_REQUESTS_PER_MINUTE', {
    default: 300,
    min: 1,
    describe: 'Calls to the partner per minute by all replicas together, a third of them for coupons',
  }),
  partnerProcesses: setting.integer('PARTNER_PROCESSES', {
    default: 4,
    min: 1,
    describe: 'Processes that call the partner: they divide a fifth of its limits among them, for outages of Redis',
  }),
}

/** The settings of the print-orders service (main.ts). */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...redisSettings,
  ...identitySettings,
  ...originSettings,
  ...partnerSettings,
  printImageOrigin: setting.url('PRINT_IMAGE_ORIGIN', {
    optional: true,
    protocols: http,
    describe: 'Origin at which the partner reaches the images of orders; PUBLIC_ORIGIN by default',
  }),
}

/** The settings of the worker (worker.ts). */
export const workerSettings = {
  ...opsSettings,
  ...serverSettings,
  ...redisSettings,
  ...partnerSettings,
}

interface PartnerAddresses {
  partnerSandboxUrl: string | undefined
  partnerProductionUrl: string | undefined
  /** Where the partner finds images; a process that sends no orders has none. */
  imageOrigin?: string
}

/** Hosts that only this machine or its network knows. */
const PRIVATE_HOST = /^(?:[^.:]+|.*\.(?:local|localhost|internal)|(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))[.\d]+)$/

/**
 * Checks that a process with access to real orders sends nothing to a stand-in, and that the partner can fetch the images.
 * A production URL on loopback is a stand-in itself.
 * @throws ConfigError
 */
export function checkPartnerAddresses({
  partnerSandboxUrl,
  partnerProductionUrl,
  imageOrigin,
}: PartnerAddresses): void {
  if (partnerProductionUrl === undefined || new URL(partnerProductionUrl).protocol === 'http:') return
  const problems: string[] = []
  if (partnerSandboxUrl !== undefined && new URL(partnerSandboxUrl).protocol !== 'https:') {
    problems.push(
      'PARTNER_SANDBOX_URL must start with https: beside PARTNER_PRODUCTION_URL, since it gets the same API key',
    )
  }
  if (imageOrigin !== undefined && !isPublic(new URL(imageOrigin))) {
    problems.push(
      'PRINT_IMAGE_ORIGIN (PUBLIC_ORIGIN by default) must be a public https: address with PARTNER_PRODUCTION_URL, where the partner fetches images',
    )
  }
  if (problems.length > 0) throw new ConfigError(`The configuration is not valid:\n  ${problems.join('\n  ')}`)
}

function isPublic({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' && (hostname.startsWith('[') ? hostname !== '[::1]' : !PRIVATE_HOST.test(hostname))
}
