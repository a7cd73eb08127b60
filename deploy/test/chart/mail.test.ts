import { beforeAll, expect, test } from 'vitest'
import { findObject, type Manifest, render, toolPath, type Values } from '../../checks/chart/render.ts'
import { COMPONENTS, componentNames } from '../../components.ts'
import { environment } from './support.ts'

beforeAll(() => toolPath('helm'), 900_000)

const evaluation = (values: Values = {}) => render({ files: ['ci/evaluation-values.yaml'], values })
const production = (values: Values = {}) => render({ files: ['ci/external-values.yaml'], values })

const SENDERS = componentNames(COMPONENTS.filter(({ uses }) => uses.includes('mail')))
const from = 'Skyfolio <no-reply@photos.example>'

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
