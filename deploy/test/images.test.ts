import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import dockerignore from '@balena/dockerignore'
import { expect, test } from 'vitest'
import { componentNames } from '../components.ts'
import { imageSource, withoutCredentials } from '../images/image-sources.ts'
import { type Lock, productionLock } from '../images/production-lockfile.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const ignore = dockerignore.default().add(read('.dockerignore'))
const inContext = (path: string) => !ignore.ignores(path)
const lock: Lock = JSON.parse(read('package-lock.json'))
const packagesOf = (component: string) => Object.keys(productionLock(lock, imageSource(component).workspace).packages)

test.each([
  '.env.production',
  'services/auth/src/.env',
  'gateway/src/tls.key',
  'web/src/ca.pem',
  '.git/config',
  '.data/postgres/PG_VERSION',
  'services/media/node_modules/x/index.js',
  'services/auth/test/support.ts',
  'services/media/data/places.bin',
  'services/auth/src/generated/client.ts',
  'web/dist/index.html',
  'gateway/src/debug.log',
])('%s never reaches a build', (path) => {
  expect(inContext(path)).toBe(false)
})

test('an image has the packages of its workspace and dependencies, and no others', () => {
  const auth = packagesOf('auth')
  expect(auth).toEqual(expect.arrayContaining(['services/auth', 'services/kit', 'proto', 'node_modules/@skyfolio/kit']))
  expect(auth).toEqual(expect.arrayContaining(['node_modules/fastify', 'node_modules/@node-rs/argon2']))
  for (const foreign of ['sharp', 'dbmate', 'prisma', 'vitest', 'testcontainers', 'typescript', 'react']) {
    expect(auth).not.toContain(`node_modules/${foreign}`)
  }
  expect(packagesOf('migrations')).toContain('node_modules/dbmate')
  expect(packagesOf('auth-worker')).toContain('node_modules/nodemailer')
  for (const image of componentNames()) {
    const packages = packagesOf(image)
    for (const standIn of ['smtp-server', 'postal-mime', '@skyfolio/mailbox', '@skyfolio/partner-sandbox'])
      expect(packages, image).not.toContain(`node_modules/${standIn}`)
  }
  for (const standIn of ['mailbox', 'partner-sandbox'])
    expect(packagesOf(standIn).filter((path) => /@skyfolio\/(kit|proto)|^(services|proto)/.test(path))).toEqual([])
})

test.each([
  ['https://x-access-token:ghp_1@git.example/team/skyfolio.git', 'https://git.example/team/skyfolio.git'],
  ['https://ghp_1@git.example:8443/team/skyfolio', 'https://git.example:8443/team/skyfolio'],
  ['https://us@er:p@ss@git.example/skyfolio', 'https://git.example/skyfolio'],
  ['https://git.example/@team/skyfolio', 'https://git.example/@team/skyfolio'],
  ['git@git.example:team/skyfolio.git', 'git@git.example:team/skyfolio.git'],
])('the label of the remote %s is only %s', (remote, label) => {
  expect(withoutCredentials(remote)).toBe(label)
})
