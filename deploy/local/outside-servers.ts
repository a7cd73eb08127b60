const PARTNER_URLS = ['PARTNER_SANDBOX_URL', 'PARTNER_PRODUCTION_URL']
const PARTNER_CREDENTIALS = ['PARTNER_API_KEY', 'PARTNER_AFFILIATE_ID']
export const PARTNER_VARIABLES = [
  ...PARTNER_URLS,
  ...PARTNER_CREDENTIALS,
  'PARTNER_TIMEOUT_MS',
  'PRINT_IMAGE_ORIGIN',
] as const
export const MAIL_VARIABLES = ['SMTP_URL', 'MAIL_FROM'] as const

/** Stores that the system uses instead of its own (migrations go past a pooler), and JSON of further environment by component. */
const TOPOLOGY_VARIABLES = [
  'SKYFOLIO_POSTGRES_URL',
  'SKYFOLIO_MIGRATIONS_URL',
  'SKYFOLIO_REDIS_URL',
  'SKYFOLIO_NATS_URL',
  'SKYFOLIO_COMPONENT_ENV',
] as const

/** The settings of the print partner, of a mail server and of outside stores as nobody has set them. */
export const NO_OUTSIDE_SERVERS = Object.fromEntries(
  [...PARTNER_VARIABLES, ...MAIL_VARIABLES, ...TOPOLOGY_VARIABLES].map((name) => [name, '']),
)

/** Those of these variables that the runner's own environment sets. */
export function settingsNamed(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']).filter(([, value]) => value))
}

/** Print orders go to the partner, so that the local sandbox is not needed. */
export function hasPartner(): boolean {
  return isAnySet(PARTNER_URLS)
}

/** Mails go to a mail server, so that the local mailbox is not needed. */
export function hasMailServer(): boolean {
  return isAnySet(['SMTP_URL'])
}

/** @throws Error when credentials of a real account would go to the local sandbox, or mails had no sender */
export function checkOutsideServers(): void {
  const [credential] = Object.keys(settingsNamed(PARTNER_CREDENTIALS))
  if (credential && !hasPartner()) {
    throw new Error(
      `${credential} is set without ${PARTNER_URLS.join(' or ')}: it never goes to the local stand-in. Set the partner's URL, too, or unset it.`,
    )
  }
  if (hasMailServer() && !process.env.MAIL_FROM) {
    throw new Error('MAIL_FROM is missing beside SMTP_URL: the sender, such as Skyfolio <no-reply@photos.example>.')
  }
}

function isAnySet(names: readonly string[]): boolean {
  return Object.keys(settingsNamed(names)).length > 0
}
