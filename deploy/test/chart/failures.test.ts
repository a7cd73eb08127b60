import { beforeAll, expect, test } from 'vitest'
import { renderError, toolPath, type Values } from '../../checks/chart/render.ts'

beforeAll(() => toolPath('helm'), 900_000)

const files = ['ci/external-values.yaml']
const ingress = 'ci/ingress-values.yaml'

const SHORT = { 'identity-keys': 'short', 'voter-keys': 'short', 'link-keys': 'short', 'print-image-keys': 'short' }

/** The mistake, the values, and what the message must contain: the name of the value, and what to do. */
const cases: [string, Values, RegExp[], string?][] = [
  ['no origin', { publicOrigin: '' }, [/publicOrigin is missing/, /--set publicOrigin=https:/]],
  ['an origin with a path', { publicOrigin: 'https://a.example/photos' }, [/nothing after it/]],
  ['no secrets', { secrets: { existingSecret: '' } }, [/make-secrets\.sh manifest/, /--set secrets.existingSecret=/]],
  ['short keys', { secrets: { existingSecret: '', values: SHORT } }, [/32 characters/]],
  [
    'inline secrets of a release without keys of links',
    {
      secrets: {
        existingSecret: '',
        values: { 'identity-keys': 'short', 'voter-keys': 'short', 'print-image-keys': 'short' },
      },
    },
    [/secrets\.values has no "link-keys"/],
  ],
  [
    'a page without a key',
    { mailbox: { enabled: true }, secrets: { existingSecret: '', values: SHORT } },
    [/secrets\.values has no "page-key"/],
  ],
  [
    'no address of PostgreSQL',
    { postgresql: { existingSecret: '' } },
    [/postgresql\.existingSecret/, /kubectl create secret/],
  ],
  ['no address of Redis', { redis: { existingSecret: '' } }, [/redis\.existingSecret/, /noeviction/, /appendonly yes/]],
  ['no address of NATS', { nats: { existingSecret: '' } }, [/nats\.existingSecret/, /JetStream/]],
  ['no endpoint of the object store', { objectStore: { endpoint: '' } }, [/--set objectStore\.endpoint=/]],
  ['no keys of the object store', { objectStore: { existingSecret: '' } }, [/--set objectStore\.existingSecret=/]],
  ['copies of streams on one server', { nats: { mode: 'deploy', replicas: 3 } }, [/nats\.replicas=1/]],
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
    'a share of a budget that forbids every eviction',
    { components: { auth: { replicas: 2, pdb: { minAvailable: '51%' } } } },
    [/minAvailable is 51%/, /drained/],
  ],
  [
    'half of one pod as a budget',
    { components: { auth: { autoscaling: { enabled: true, min: 1 }, pdb: { minAvailable: '50%' } } } },
    [/only 1 pods/, /drained/],
  ],
  ['a budget of 0', { components: { auth: { pdb: { maxUnavailable: 0 } } } }, [/drained/, /pdb\.enabled=false/]],
  ['a budget of 100 %', { components: { auth: { pdb: { minAvailable: '100%' } } } }, [/drained/]],
  [
    'KEDA and an HPA for one component',
    { keda: { enabled: true }, components: { 'media-worker': { autoscaling: { enabled: true } } } },
    [/keda\.enabled=false/, /components\.media-worker\.autoscaling\.enabled=false/],
  ],
  [
    'an HPA without a request to compare with',
    { components: { auth: { autoscaling: { enabled: true }, resources: { requests: { cpu: null } } } } },
    [/components\.auth\.resources\.requests\.cpu/],
  ],
  ['images of nobody', { image: { registry: '' } }, [/--set image\.registry=/, /--set image\.tag=dev/]],
  ['an object store without a scheme', { objectStore: { endpoint: 's3.example' } }, [/http:\/\/ or https:\/\//]],
  [
    'an address of the store for browsers with a path',
    { objectStore: { publicEndpoint: 'https://s3.example/photos' } },
    [/objectStore\.publicEndpoint/, /nothing after it/],
  ],
  [
    'a store that browsers cannot use from a secure page',
    { objectStore: { publicEndpoint: 'http://s3.example' } },
    [/publicOrigin is https/, /Use https/],
  ],
  [
    'the store at the address of the gateway',
    { objectStore: { publicEndpoint: 'https://photos.example' } },
    [/of its own/, /--set objectStore\.publicEndpoint=/],
  ],
  [
    'a key of uploads without an address',
    { objectStore: { uploadSecret: 'uploads' } },
    [/objectStore\.uploadSecret/, /--set objectStore\.publicEndpoint=/],
  ],
  [
    "somebody else's store published by the chart",
    { objectStore: { publicEndpoint: 'https://s3.example', publish: { enabled: true } } },
    [/objectStore\.mode is external/, /publish\.enabled=false/],
  ],
  [
    'a published store without an address',
    { objectStore: { mode: 'deploy', publish: { enabled: true } } },
    [/--set objectStore\.publicEndpoint=/],
  ],
  [
    'an address of a store that nobody reaches',
    { objectStore: { mode: 'deploy', publicEndpoint: 'https://store.photos.example' } },
    [/--set objectStore\.publish\.enabled=true/],
  ],
  [
    'tiles of another map without an attribution',
    { map: { tileUrl: 'https://tiles.example/{z}/{x}/{y}.png' } },
    [/--set map\.tileAttribution=/],
  ],
  ['an attribution without tiles', { map: { tileAttribution: '© Example' } }, [/map\.tileUrl=https:/]],
  [
    'tiles without a row',
    { map: { tileUrl: 'https://tiles.example/{z}/{x}.png', tileAttribution: '© Example' } },
    [/lacks \{y\}/],
  ],
  [
    'tiles that a secure page cannot load',
    { map: { tileUrl: 'http://tiles.example/{z}/{x}/{y}.png', tileAttribution: '© Example' } },
    [/must be https/],
  ],
  [
    'a route to the store without a Gateway',
    {
      objectStore: {
        mode: 'deploy',
        publicEndpoint: 'https://store.photos.example',
        publish: { enabled: true, httpRoute: { enabled: true } },
      },
    },
    [/publish\.httpRoute\.parentRefs/],
  ],
  ['a proxy that is no network', { trustedProxies: ['10.0.0.0/99'] }, [/"10\.0\.0\.0\/99"/, /--set 'trustedProxies=/]],
  ['an address of too much', { trustedProxies: ['10.0.0.256'] }, [/"10\.0\.0\.256"/]],
  ['an IPv6 network of too much', { trustedProxies: ['fd00::/129'] }, [/"fd00::\/129"/]],
  ['a host as a proxy', { trustedProxies: ['proxy.example'] }, [/"proxy\.example"/]],
  ['a component that is misspelt', { components: { worker: { replicas: 3 } } }, [/worker misspelt/, /media-worker/]],
  ['what the chart sets itself', { config: { PUBLIC_ORIGIN: 'https://a.example' } }, [/config\.PUBLIC_ORIGIN/]],
  ['another port', { config: { PORT: 80 } }, [/config\.PORT/, /servicePort/]],
  [
    'calls of a component that does not answer',
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
    'a database whose name is none',
    { components: { prints: { database: 'My prints' } } },
    [/components\.prints\.database/, /small letters/],
  ],
  [
    'the sandbox of the chart beside the real partner',
    { partnerSandbox: { enabled: true }, partner: { existingSecret: 'partner' } },
    [/partner\.existingSecret/, /partnerSandbox\.enabled=false/],
  ],
  [
    'an address of the partner without credentials',
    { partner: { sandboxUrl: 'https://partner.example' } },
    [/kubectl create secret/, /--set partner\.existingSecret=/],
  ],
  ['credentials without an address', { partner: { existingSecret: 'partner' } }, [/--set partner\.sandboxUrl=/]],
  [
    'an unencrypted production address',
    { partner: { productionUrl: 'http://partner.example', existingSecret: 'partner' } },
    [/partner\.productionUrl/, /https/],
  ],
  [
    'an address of the partner with a path',
    { partner: { sandboxUrl: 'https://partner.example/api', existingSecret: 'partner' } },
    [/nothing after it/],
  ],
  [
    'the mailbox of the chart beside a real mail server',
    { mailbox: { enabled: true }, mail: { existingSecret: 'mail' } },
    [/mail\.existingSecret/, /mailbox\.enabled=false/],
  ],
  [
    'two addresses of the mail server',
    { mail: { url: 'smtp://relay.example', existingSecret: 'mail', from: 'a@photos.example' } },
    [/mail\.url and mail\.existingSecret/, /remove the other/],
  ],
  [
    'a password in the address of the mail server',
    { mail: { url: 'smtp://user:secret@relay.example', from: 'a@photos.example' } },
    [/belong into a Secret/, /--set mail\.existingSecret=/],
  ],
  [
    'an address of the mail server with a path',
    { mail: { url: 'smtp://relay.example/mail', from: 'a@photos.example' } },
    [/nothing after it/],
  ],
  [
    'another scheme for mail',
    { mail: { url: 'https://relay.example', from: 'a@photos.example' } },
    [/smtp:\/\/ or smtps/],
  ],
  ['a mail server without a sender', { mail: { existingSecret: 'mail' } }, [/--set mail\.from=/]],
  [
    'a sender without a mail server',
    { mail: { from: 'a@photos.example' } },
    [/kubectl create secret/, /--set mail\.url=/],
  ],
  [
    'a sender that is no address',
    { mail: { existingSecret: 'mail', from: 'Skyfolio' } },
    [/mail\.from is "Skyfolio"/, /angle brackets/],
  ],
  ['fewer at most than at least', { keda: { enabled: true, min: 5, max: 2 } }, [/keda\.min/]],
  ['a proxy that is not trusted', { trustedProxies: [] }, [/--set 'trustedProxies=/], ingress],
  [
    'a route without a Gateway',
    { trustedProxies: ['10.0.0.0/8'], httpRoute: { enabled: true } },
    [/--set httpRoute\.parentRefs/],
  ],
]

test.each(cases)('%s: the failure names the fix', async (_what, values, messages, file) => {
  const message = await renderError({ files: file ? [file] : files, values })
  for (const expected of messages) expect(message).toMatch(expected)
})

const typos: [string, Values, RegExp][] = [
  ['a section', { ingres: { enabled: true } }, /additional properties 'ingres' not allowed/],
  ['a field of a component', { components: { gateway: { replica: 3 } } }, /'replica' not allowed/],
  ['a field of the defaults', { componentDefaults: { presTopSeconds: 3 } }, /'presTopSeconds' not allowed/],
  ['a use', { components: { folders: { uses: { rediss: true } } } }, /rediss/],
  ['a mode', { redis: { mode: 'extern' } }, /must be one of 'deploy', 'external'/],
  ['a broken number for a tag', { image: { tag: 1.1 } }, /got number, want integer or string/],
  ['a number that loses digits', { image: { tag: 1e30 } }, /maximum/],
  ['more copies than NATS makes', { nats: { replicas: 9 } }, /maximum/],
  ['a text for a list', { trustedProxies: '10.0.0.0/8' }, /got string, want array/],
  ['a storage quota of nothing', { accounts: { quotaMegabytes: 0 } }, /minimum/],
  ['no worker at all', { keda: { enabled: true, min: 0 } }, /minimum/],
]

test.each(typos)('the schema of the values rejects %s misspelt', async (_what, values, message) => {
  expect(await renderError({ files, values })).toMatch(message)
})
