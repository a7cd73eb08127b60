import { beforeAll, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'
import { COMPONENTS, componentNames } from '../../components.ts'

beforeAll(() => toolPath('helm'), 900_000)

const evaluation = (values: Values = {}) => render({ files: ['ci/evaluation-values.yaml'], values })
const production = (values: Values = {}) => render({ files: ['ci/external-values.yaml'], values })

const SENDERS = componentNames(COMPONENTS.filter(({ uses }) => uses.includes('mail')))
const from = 'Skyfolio <no-reply@photos.example>'

/** The variables of a component: plain values, and the Secret's name and key for the others. */
function environment(manifests: Manifest[], component: string): Record<string, string> {
  const { spec } = findObject(manifests, 'Deployment', `sky-skyfolio-${component}`).spec.template
  const variables: Manifest[] = spec.containers[0].env
  return Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => {
      const { name: secret, key } = valueFrom?.secretKeyRef ?? {}
      return [name, value ?? `${secret} ${key}`]
    }),
  )
}

const mailVariables = (manifests: Manifest[], component: string) =>
  Object.entries(environment(manifests, component)).filter(([name]) => /^(SMTP|MAIL_FROM)/.test(name))

test('without a mail server none is configured, and no mailbox runs', async () => {
  const manifests = await production()
  for (const component of componentNames()) expect(mailVariables(manifests, component), component).toEqual([])
  expect(manifests.filter(({ metadata }) => metadata.name.endsWith('mailbox'))).toEqual([])
})

test('the senders, and no other component, get the address of the mail server from a Secret', async () => {
  const manifests = await production({ mail: { existingSecret: 'mail', keys: { url: 'address' }, from } })
  for (const component of componentNames()) {
    const expected = [
      ['SMTP_URL', 'mail address'],
      ['MAIL_FROM', from],
    ]
    expect(mailVariables(manifests, component), component).toEqual(SENDERS.includes(component) ? expected : [])
  }
})

test('a mail server without a password is named in the values', async () => {
  const manifests = await production({ mail: { url: 'smtp://relay.example:25', from: 'no-reply@photos.example' } })
  expect(environment(manifests, 'auth-worker')).toMatchObject({
    SMTP_URL: 'smtp://relay.example:25',
    MAIL_FROM: 'no-reply@photos.example',
  })
})

test('in an evaluation the senders have the address of the mailbox, whose page is a port of its Service', async () => {
  const manifests = await evaluation()
  const mailbox = environment(manifests, 'mailbox')
  for (const component of SENDERS)
    expect(environment(manifests, component).SMTP_URL).toBe('smtp://sky-skyfolio-mailbox:1025')
  expect(findObject(manifests, 'Service', 'sky-skyfolio-mailbox').spec.ports).toMatchObject([
    { name: 'smtp', port: Number(mailbox.SMTP_PORT) },
    { name: 'http', port: Number(mailbox.PORT) },
  ])
})

test('the page of the mailbox requires a key of the Secret, and a changed inline one restarts it', async () => {
  expect(environment(await evaluation(), 'mailbox').PAGE_KEY).toBe('skyfolio-secrets page-key')
  const podWith = async (key: string) => {
    const values = { mailbox: { enabled: true }, secrets: { values: { 'page-key': key } } }
    const manifests = await render({ files: ['ci/inline-values.yaml'], values })
    return findObject(manifests, 'Deployment', 'sky-skyfolio-mailbox').spec.template
  }
  expect(await podWith('one')).not.toEqual(await podWith('another'))
})

test('the mailbox connects to nothing, and only its SMTP port is open to the senders', async () => {
  const { spec } = findObject(await evaluation(), 'NetworkPolicy', 'sky-skyfolio-mailbox')
  expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: [] })
  const [rule, ...others] = spec.ingress
  expect(others).toEqual([])
  expect(rule.ports).toEqual([{ protocol: 'TCP', port: 'smtp' }])
  const peers = rule.from.map((peer: Manifest) => peer.podSelector.matchLabels['app.kubernetes.io/component'])
  expect(peers.sort()).toEqual([...SENDERS].sort())
})

test('limits of accounts reach the components that enforce them, and only when they are set', async () => {
  const LIMITS = /^(USER_QUOTA|REGISTRATIONS|PASSWORD_RESETS|ADDRESS_MAILS)|^UPLOAD_SESSION|_(PER|OF)_USER$/
  const limits = (manifests: Manifest[], component: string) =>
    Object.fromEntries(Object.entries(environment(manifests, component)).filter(([name]) => LIMITS.test(name)))
  const unset = await production()
  for (const component of componentNames()) expect(limits(unset, component), component).toEqual({})
  const manifests = await production({
    accounts: {
      quotaMegabytes: 2_000_000,
      sessionsPerUser: 20,
      foldersPerUser: 300,
      uploadsPerUser: 8,
      photosPerMinuteOfUser: 600,
      uploadSessionsPerUser: 100,
      uploadSessionMegabytesPerUser: 10_240,
      uploadSessionHours: 48,
      registrationsPerHour: 10,
      passwordResetsPerHour: 3,
      passwordResetsPerAddress: 6,
      addressMailsPerHour: 9,
    },
  })
  const expected: Record<string, Record<string, string>> = {
    media: {
      USER_QUOTA_MEGABYTES: '2000000',
      UPLOADS_PER_USER: '8',
      PHOTOS_PER_MINUTE_OF_USER: '600',
      UPLOAD_SESSIONS_PER_USER: '100',
      UPLOAD_SESSION_MEGABYTES_PER_USER: '10240',
      UPLOAD_SESSION_HOURS: '48',
    },
    'media-worker': { UPLOAD_SESSION_HOURS: '48' },
    folders: { FOLDERS_PER_USER: '300' },
    auth: {
      SESSIONS_PER_USER: '20',
      REGISTRATIONS_PER_HOUR: '10',
      PASSWORD_RESETS_PER_HOUR: '3',
      PASSWORD_RESETS_PER_ADDRESS: '6',
      ADDRESS_MAILS_PER_HOUR: '9',
    },
  }
  for (const component of componentNames())
    expect(limits(manifests, component), component).toEqual(expected[component] ?? {})
})
