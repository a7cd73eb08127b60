import {
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

/** The settings of connections, for the service and its commands. */
export const serverSettings = { ...databaseSettings, ...natsSettings, ...streamSettings }

/** The settings of the partner's API. */
export const partnerSettings = {
  partnerSandboxUrl: setting.url('PARTNER_SANDBOX_URL', {
    optional: true,
    protocols: http,
    describe: "Base URL of the print partner's sandbox",
  }),
  partnerProductionUrl: setting.url('PARTNER_PRODUCTION_URL', {
    optional: true,
    protocols: http,
    describe: "Base URL of the print partner's production API; https, or http on loopback",
  }),
  partnerApiKey: setting.string('PARTNER_API_KEY', { optional: true, describe: "API key of the print partner's API" }),
  partnerAffiliateId: setting.string('PARTNER_AFFILIATE_ID', {
    optional: true,
    describe: "Affiliate id of the print partner's API",
  }),
  partnerTimeoutMs: setting.integer('PARTNER_TIMEOUT_MS', {
    default: 10_000,
    min: 100,
    max: 15_000,
    describe: 'Time limit of one call to the partner in milliseconds',
  }),
  partnerRequestsPerMinute: setting.integer('PARTNER_REQUESTS_PER_MINUTE', {
    default: 300,
    min: 1,
    describe: 'Calls to the partner per minute of all replicas together',
  }),
  partnerCouponsPerMinute: setting.integer('PARTNER_COUPONS_PER_MINUTE', {
    default: 100,
    min: 1,
    describe: 'Coupon calls to the partner per minute of all replicas together',
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
