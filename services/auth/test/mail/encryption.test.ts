import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { promisify } from 'node:util'
import { testDirectory, waitFor } from '@skyfolio/testkit'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type MailSystem, openMailSystem } from './support.ts'

/* Servers with certificates and passwords. */

let system: MailSystem
let certificate: { key: string; cert: string }
const trusted = tls.getCACertificates('default')
beforeAll(async () => {
  system = await openMailSystem()
  certificate = await makeCertificate()
})
afterEach(async () => {
  tls.setDefaultCACertificates(trusted)
  await system.stopAll()
  await system.db.mail.deleteMany({})
})
afterAll(() => system.close())

/** Of localhost, signed by itself. */
async function makeCertificate() {
  const [key, cert] = [join(testDirectory(), 'mail-key.pem'), join(testDirectory(), 'mail-cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert])
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
}

interface Seen {
  recipients: string[]
  passwords: string[]
  isSecure: boolean[]
}

/** A server that takes the password `right`. Returns its port, and what it was sent. */
async function startServer(options: SMTPServerOptions = {}): Promise<Seen & { port: number }> {
  const seen: Seen = { recipients: [], passwords: [], isSecure: [] }
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      seen.passwords.push(password ?? '')
      if (password === 'right') done(null, { user: username })
      else done(Object.assign(new Error(`no ${password} of ${username}`), { responseCode: 535 }))
    },
    onRcptTo({ address }, { secure }, done) {
      seen.recipients.push(address)
      seen.isSecure.push(secure)
      done()
    },
    ...options,
  })
  server.on('error', () => {})
  const listening = server.listen(0, 'localhost')
  await once(listening, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(resolve)))
  return Object.assign(seen, { port: (listening.address() as AddressInfo).port })
}

async function requestMail(): Promise<string> {
  const { id, email } = await system.addUser()
  await system.request({ kind: 'password-changed', userId: id, address: null })
  return email ?? ''
}

const isUnavailable = (log: string[]) => log.some((line) => line.includes('mail server unavailable'))

describe.each([
  { scheme: 'smtps', secure: true },
  { scheme: 'smtp', secure: false },
])('$scheme', ({ scheme, secure }) => {
  test('encrypts, and sends the password only then', async () => {
    tls.setDefaultCACertificates([...trusted, certificate.cert])
    const server = await startServer({ secure })
    await system.start({ smtpUrl: `${scheme}://ann:right@localhost:${server.port}` })
    const to = await requestMail()
    await system.settled('sent')
    expect(server).toMatchObject({ recipients: [to], passwords: ['right'], isSecure: [true] })
  })

  test('does not accept a certificate that nobody trusts', async () => {
    const log: string[] = []
    const server = await startServer({ secure })
    await system.start({ log, smtpUrl: `${scheme}://ann:right@localhost:${server.port}` })
    await requestMail()
    await waitFor(() => isUnavailable(log), { what: 'the certificate is not accepted' })
    expect(server).toMatchObject({ recipients: [], passwords: [] })
    expect((await system.mails())[0]).toMatchObject({ status: 'waiting', address: null })
  })
})

test('a password is not sent when the server offers no encryption', async () => {
  const log: string[] = []
  const server = await startServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
  // As for a server on another machine.
  const settings = { requireTls: true }
  await system.start({ log, smtpUrl: `smtp://ann:right@localhost:${server.port}`, settings })
  await requestMail()
  await waitFor(() => isUnavailable(log), { what: 'the connection is not used' })
  expect(server).toMatchObject({ recipients: [], passwords: [] })
})

test('mails wait for a server that does not accept the password, and no log repeats it', async () => {
  const log: string[] = []
  const server = await startServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
  await system.start({ log, smtpUrl: `smtp://ann:wrong-one@localhost:${server.port}` })
  await requestMail()
  await waitFor(() => isUnavailable(log), { what: 'the failure is logged' })
  expect(server.passwords[0]).toBe('wrong-one')
  const line = log.find((entry) => entry.includes('unavailable')) ?? ''
  expect(JSON.parse(line)).toMatchObject({ failure: { code: 'EAUTH', reply: 535 } })
  expect(log.join('')).not.toMatch(/wrong-one|ann/)
  expect((await system.mails())[0]).toMatchObject({ status: 'waiting' })
})

test('a server without encryption that demands no password gets the mail as it is', async () => {
  const server = await startServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  await system.start({ smtpUrl: `smtp://localhost:${server.port}` })
  const to = await requestMail()
  await system.settled('sent')
  expect(server).toMatchObject({ recipients: [to], isSecure: [false] })
})
