import { appendFile, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type MailboxOptions, startMailbox } from '../src/mailbox.ts'
import { mail, sender } from './support.ts'

async function start(options: MailboxOptions) {
  const mailbox = await startMailbox(options)
  const mailer = sender(mailbox.smtpUrl)
  const stop = async () => {
    mailer.close()
    await mailbox.stop()
  }
  onTestFinished(stop)
  const subjects = async () => (await mailbox.messages()).map(({ subject }) => subject)
  const send = (subject: string, text = '') => mailer.sendMail({ ...mail('ann@example.test', subject), text })
  return { mailbox, stop, subjects, send }
}

const newFile = async () => join(await mkdtemp(join(tmpdir(), 'mailbox-')), 'mailbox.jsonl')

test('The oldest messages give way to new ones, by their number and by their size, also in the file', async () => {
  const dataFile = await newFile()
  const { send, subjects } = await start({ dataFile, maxMessages: 3 })
  for (const subject of ['one', 'two', 'three', 'four']) await send(subject)
  expect(await subjects()).toEqual(['four', 'three', 'two'])
  for (const subject of ['large', 'larger']) await send(subject, 'x'.repeat(600_000))
  expect(await subjects()).toEqual(['larger'])
  for (let count = 1; count <= 110; count++) await send(`mail ${count}`)
  expect((await readFile(dataFile, 'utf8')).split('\n').length).toBeLessThan(30)
})

test('Messages survive a restart in the file, also after a line that was cut off', async () => {
  const dataFile = await newFile()
  const before = await start({ dataFile })
  await before.send('one')
  expect(await readFile(dataFile, 'utf8')).toContain('"subject":"one"')
  await appendFile(dataFile, '\n{"id":"half')
  await before.send('two')
  await before.stop()
  const after = await start({ dataFile })
  expect(await after.subjects()).toEqual(['two', 'one'])
  await after.mailbox.deleteMessages()
  await after.stop()
  expect(await (await start({ dataFile })).subjects()).toEqual([])
})

test('A message that cannot be written is to come later', async () => {
  const { mailbox, send } = await start({ dataFile: '/proc/none/mailbox.jsonl' })
  await expect(send('one')).rejects.toMatchObject({ responseCode: 452 })
  expect(await mailbox.messages()).toEqual([])
})
