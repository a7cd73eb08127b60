import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { mailboxAt, startMailbox } from '../src/mailbox.ts'
import { readSettings } from '../src/settings.ts'
import { freePort, mail, sender } from './support.ts'

let folder: string
let dataFile: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailbox-'))
  dataFile = join(folder, 'data/mailbox.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

async function start(options: Parameters<typeof startMailbox>[0] = {}) {
  const mailbox = await startMailbox(options)
  const mailer = sender(mailbox.smtpUrl)
  const stop = async () => {
    mailer.close()
    await mailbox.stop()
  }
  onTestFinished(stop)
  const subjects = async () => (await mailbox.summaries()).map(({ subject }) => subject)
  return { mailbox, stop, subjects, send: (subject: string) => mailer.sendMail(mail('ann@example.test', subject)) }
}

describe('messages', () => {
  test('are listed from the newest, by recipient, as many as asked for', async () => {
    const { mailbox, send, subjects } = await start()
    for (const subject of ['one', 'two', 'three']) await send(subject)
    expect(await subjects()).toEqual(['three', 'two', 'one'])
    expect(await mailbox.messages('nobody@example.test')).toEqual([])
    const answer = await fetch(`${mailbox.url}/api/messages?to=ANN@example.test&limit=1&raw=true`)
    expect(await answer.json()).toMatchObject([{ subject: 'three', raw: expect.stringContaining('Subject: three') }])
    for (const query of ['limit=0', 'limit=x', 'subject=one']) {
      expect((await fetch(`${mailbox.url}/api/messages?${query}`)).status).toBe(400)
    }
    expect((await fetch(`${mailbox.url}/api/messages/1`)).status).toBe(404)
  })

  test('that are awaited are the newest with this subject, or come later than another', async () => {
    const { mailbox, send } = await start()
    const coming = mailbox.waitForMail({ to: 'ann@example.test', subject: /^Confirm/ })
    await send('Welcome')
    await send('Confirm it')
    const first = await coming
    expect(first.subject).toBe('Confirm it')
    const wanted = { to: 'ann@example.test', subject: 'Confirm it', after: first }
    await expect(mailbox.waitForMail({ ...wanted, withinMs: 100 })).rejects.toThrow(
      'there are: "Confirm it", "Welcome"',
    )
    await send('Confirm it')
    expect((await mailbox.waitForMail(wanted)).id).not.toBe(first.id)
  })

  test('above the limit push out the oldest', async () => {
    const { send, subjects } = await start({ maxMessages: 2 })
    for (const subject of ['one', 'two', 'three']) await send(subject)
    expect(await subjects()).toEqual(['three', 'two'])
  })

  test('that are large push out the oldest, too', async () => {
    const { mailbox, subjects } = await start({ maxMessages: 20 })
    const mailer = sender(mailbox.smtpUrl)
    onTestFinished(() => mailer.close())
    for (const subject of ['one', 'two']) {
      await mailer.sendMail({ ...mail('ann@example.test', subject), text: 'x'.repeat(600_000) })
    }
    expect(await subjects()).toEqual(['two'])
  })
})

describe('the file', () => {
  test('has a message before it is accepted, and keeps it over a restart', async () => {
    const before = await start({ dataFile })
    await before.send('one')
    expect(await readFile(dataFile, 'utf8')).toContain('"subject":"one"')
    await before.send('two')
    const [kept] = await before.mailbox.messages()
    await before.stop()

    const after = await start({ dataFile })
    expect(await after.subjects()).toEqual(['two', 'one'])
    expect((await after.mailbox.messages())[0]).toEqual(kept)
    await after.mailbox.deleteMessages()
    await after.send('three')
    await after.stop()
    expect(await (await start({ dataFile })).subjects()).toEqual(['three'])
  })

  test('may end amid a line that was being written', async () => {
    const before = await start({ dataFile })
    await before.send('one')
    await before.stop()
    await appendFile(dataFile, '{"id":"half')
    const after = await start({ dataFile })
    await after.send('two')
    await after.stop()
    expect(await (await start({ dataFile })).subjects()).toEqual(['two', 'one'])
  })

  test('that is no mailbox stops the start', async () => {
    dataFile = join(folder, 'other.json')
    await writeFile(dataFile, '{"orders":[]}\n')
    await expect(startMailbox({ dataFile })).rejects.toThrow(
      /other\.json cannot be read \(line 1: .+\)\. Repair or delete it\./,
    )
  })

  test('does not grow with messages that are no longer kept', async () => {
    const { send, mailbox, subjects } = await start({ dataFile, maxMessages: 3 })
    for (let count = 1; count <= 110; count++) await send(`mail ${count}`)
    expect(await subjects()).toEqual(['mail 110', 'mail 109', 'mail 108'])
    expect((await readFile(dataFile, 'utf8')).split('\n').length).toBeLessThan(30)
    expect((await mailbox.stats()).accepted).toBe(110)
  })

  test('that cannot be written makes a message come later', async () => {
    const [smtpPort, port] = [await freePort(), await freePort()]
    const env = { ...process.env, SMTP_PORT: String(smtpPort), PORT: String(port), DATA_FILE: dataFile }
    // So many blocks a file may have.
    const command = 'ulimit -f 8; exec "$0" deploy/mailbox/src/main.ts'
    const child = spawn('sh', ['-c', command, process.execPath], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill())
    await once(child.stdout, 'data')
    const mailer = sender(`smtp://127.0.0.1:${smtpPort}`)
    onTestFinished(() => mailer.close())
    await mailer.sendMail(mail('ann@example.test', 'one'))
    const large = { ...mail('ann@example.test'), text: 'x'.repeat(9_000) }
    await expect(mailer.sendMail(large)).rejects.toMatchObject({ responseCode: 452 })
    await mailer.sendMail(mail('ann@example.test', 'two'))
    const mailbox = mailboxAt(`http://127.0.0.1:${port}`)
    expect(await mailbox.stats()).toMatchObject({ accepted: 2, failed: 1, kept: 2 })
    child.kill()
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await (await start({ dataFile })).subjects()).toEqual(['two', 'one'])
  })
})

describe('settings', () => {
  test('are read from the environment', () => {
    expect(readSettings({ SMTP_PORT: '1025' })).toEqual({
      host: '127.0.0.1',
      smtpPort: 1025,
      port: 8025,
      dataFile: undefined,
      maxMessages: 2000,
      pageHosts: [],
    })
    const env = { HOST: '0.0.0.0', SMTP_PORT: '1025', PORT: '8080', DATA_FILE: '/data/m', MAX_MESSAGES: '50' }
    expect(readSettings({ ...env, PAGE_HOSTS: 'Mail.example.com, b.example.com' })).toEqual({
      host: '0.0.0.0',
      smtpPort: 1025,
      port: 8080,
      dataFile: '/data/m',
      maxMessages: 50,
      pageHosts: ['mail.example.com', 'b.example.com'],
    })
  })

  test('that are missing or wrong are named', () => {
    expect(() => readSettings({})).toThrow('SMTP_PORT is required')
    expect(() => readSettings({ SMTP_PORT: '25x' })).toThrow('SMTP_PORT is "25x"; it must be a whole number.')
  })
})
