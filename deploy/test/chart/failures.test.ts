import { beforeAll, expect, test } from 'vitest'
import { renderError, toolPath, type Values } from '../../checks/chart/render.ts'

beforeAll(() => toolPath('helm'), 900_000)

const files = ['ci/external-values.yaml']
const ingress = 'ci/ingress-values.yaml'

const SHORT = { 'identity-keys': 'short', 'voter-keys': 'short', 'link-keys': 'short', 'print-image-keys': 'short' }

/** The mistake, the values, and what the message must contain: the name of the value, and what to do. */
const cases: [string, Values, RegExp[], string?][] = [
  ['no origin', { publicOrigin: '' }, [/publicOrigin is missing/, /--set publicOrigin=https:/]],
  ['no secrets', { secrets: { existingSecret: '' } }, [/make-secrets\.sh manifest/, /--set secrets.existingSecret=/]],
  ['short keys', { secrets: { existingSecret: '', values: SHORT } }, [/32 characters/]],
  [
    'no address of PostgreSQL',
    { postgresql: { existingSecret: '' } },
    [/postgresql\.existingSecret/, /kubectl create secret/],
  ],
  ['no endpoint of the object store', { objectStore: { endpoint: '' } }, [/--set objectStore\.endpoint=/]],
  [
    'a hook before the database',
    { migrations: { mode: 'hook' }, postgresql: { mode: 'deploy' } },
    [/migrations\.mode=job/],
  ],
  [
    'two kinds of budget',
    { components: { auth: { pdb: { minAvailable: 1, maxUnavailable: 1 } } } },
    [/components\.auth\.pdb/, /Kubernetes takes one/],
  ],
  [
    'a budget that forbids every eviction',
    { components: { auth: { replicas: 1, pdb: { minAvailable: 1 } } } },
    [/drained/, /components\.auth\.pdb\.minAvailable/],
  ],
  [
    'KEDA and an HPA for one component',
    { keda: { enabled: true }, components: { 'media-worker': { autoscaling: { enabled: true } } } },
    [/keda\.enabled=false/, /components\.media-worker\.autoscaling\.enabled=false/],
  ],
  ['images of nobody', { image: { registry: '' } }, [/--set image\.registry=/, /--set image\.tag=dev/]],
  [
    'a store that browsers cannot use from a secure page',
    { objectStore: { publicEndpoint: 'http://s3.example' } },
    [/publicOrigin is https/, /Use https/],
  ],
  [
    'an address of a store that nobody reaches',
    { objectStore: { mode: 'deploy', publicEndpoint: 'https://store.photos.example' } },
    [/--set objectStore\.publish\.enabled=true/],
  ],
  [
    'a map of another server without an attribution',
    { map: { layers: [{ name: 'Streets', url: 'https://tiles.example/{z}/{x}/{y}.png' }] } },
    [/map.layers.0/, /attribution/],
  ],
  ['a proxy that is no network', { trustedProxies: ['10.0.0.0/99'] }, [/"10\.0\.0\.0\/99"/, /--set 'trustedProxies=/]],
  ['a component that is misspelt', { components: { worker: { replicas: 3 } } }, [/worker misspelt/, /media-worker/]],
  ['what the chart sets itself', { config: { PUBLIC_ORIGIN: 'https://a.example' } }, [/config\.PUBLIC_ORIGIN/]],
  [
    'calls of a component that serves no requests',
    { components: { gateway: { calls: ['auth', 'media-worker'] } } },
    [/components\.gateway\.calls/, /components\.media-worker\.http=true/],
  ],
  ...['ops', 'smoke-test', 'deny-all', 'migrations', 'partner-sandbox', 'mailbox'].map(
    (name): [string, Values, RegExp[]] => [
      `a component named ${name}`,
      { components: { [name]: { image: { name: 'media' } } } },
      [/taken by the chart/],
    ],
  ),
  [
    'the sandbox of the chart beside the real partner',
    { partnerSandbox: { enabled: true }, partner: { existingSecret: 'partner' } },
    [/partner\.existingSecret/, /partnerSandbox\.enabled=false/],
  ],
  [
    'an unencrypted production address',
    { partner: { productionUrl: 'http://partner.example', existingSecret: 'partner' } },
    [/partner\.productionUrl/, /https/],
  ],
  [
    'the mailbox of the chart beside a real mail server',
    { mailbox: { enabled: true }, mail: { existingSecret: 'mail' } },
    [/mail\.existingSecret/, /mailbox\.enabled=false/],
  ],
  [
    'a password in the address of the mail server',
    { mail: { url: 'smtp://user:secret@relay.example', from: 'a@photos.example' } },
    [/belong into a Secret/, /--set mail\.existingSecret=/],
  ],
  ['a mail server without a sender', { mail: { existingSecret: 'mail' } }, [/--set mail\.from=/]],
  ['a proxy that is not trusted', { trustedProxies: [] }, [/--set 'trustedProxies=/], ingress],
  [
    'a route without a Gateway',
    { trustedProxies: ['10.0.0.0/8'], httpRoute: { enabled: true } },
    [/--set httpRoute\.parentRefs/],
  ],
]

test.each(cases)('rejects %s, and names the fix', async (_what, values, messages, file) => {
  const message = await renderError({ files: file ? [file] : files, values })
  for (const expected of messages) expect(message).toMatch(expected)
})

const typos: [string, Values, RegExp][] = [
  ['a section', { ingres: { enabled: true } }, /additional properties 'ingres' not allowed/],
  ['a field of a component', { components: { gateway: { replica: 3 } } }, /'replica' not allowed/],
  ['a use', { components: { folders: { uses: { rediss: true } } } }, /rediss/],
  ['a broken number for a tag', { image: { tag: 1.1 } }, /got number, want integer or string/],
  ['a text for a list', { trustedProxies: '10.0.0.0/8' }, /got string, want array/],
]

test.each(typos)('rejects %s that the schema of the values does not know', async (_what, values, message) => {
  expect(await renderError({ files, values })).toMatch(message)
})
