import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../src/mailbox.ts'
import { mail, openDialog, sender } from './support.ts'

const ANN = 'ann@example.test'
let mailbox: Mailbox
let mailer: ReturnType<typeof sender>

beforeAll(async () => {
  mailbox = await startMailbox()
  mailer = sender(mailbox.smtpUrl, 3_000)
})
afterEach(async () => {
  await mailbox.clearFault()
  await mailbox.deleteMessages()
})
afterAll(async () => {
  mailer.close()
  await mailbox.stop()
})

test('The mailbox keeps a message to any address with its recipients, texts, headers and source', async () => {
  await mailer.sendMail({ ...mail(ANN), bcc: 'bo@example.test', headers: { 'X-Kind': 'trial' } })
  const message = await mailbox.waitForMail({ to: 'Ann@Example.test', subject: 'Hello' })
  expect(message).toMatchObject({
    from: 'Skyfolio <no-reply@skyfolio.test>',
    to: [ANN, 'bo@example.test'],
    headers: { 'x-kind': 'trial', to: ANN, 'message-id': message.messageId },
    source: expect.stringMatching(/^X-Kind: trial\r\nFrom: /),
  })
  expect([message.text.trim(), message.html.trim()]).toEqual(['Hello, Grüße', '<p>Hello, <b>Grüße</b></p>'])
  expect(message.headers.bcc).toBeUndefined()
})

test('The mailbox shows a message that breaks the rules of MIME as text', async () => {
  const { begin, say, socket } = await openDialog(mailbox.smtpUrl)
  await begin()
  const part = (depth: number) => `Content-Type: multipart/mixed; boundary="b${depth}"\r\n\r\n--b${depth}\r\n`
  expect(await say(`${Array.from({ length: 300 }, (_, depth) => part(depth)).join('')}\r\ntext\r\n.`)).toMatch(/^250/)
  socket.destroy()
  expect((await mailbox.waitForMail({ to: 'b@example.test' })).text).toContain('boundary="b299"')
})

test('The mailbox takes a megabyte and 100 recipients a message, and 200 connections', async () => {
  const big = { ...mail(ANN), html: 'x'.repeat(1_100_000) }
  await expect(mailer.sendMail(big)).rejects.toMatchObject({ responseCode: 552 })
  const { begin, say, socket } = await openDialog(mailbox.smtpUrl)
  await begin()
  // Not announced by its sender.
  expect(await say(`Subject: big\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(11_000)}.`)).toMatch(/^552/)
  await say('MAIL FROM:<a@example.test>')
  for (let count = 0; count < 100; count++) expect(await say(`RCPT TO:<b${count}@example.test>`)).toMatch(/^250/)
  expect(await say('RCPT TO:<b@example.test>')).toMatch(/^452/)
  socket.destroy()
  const dialogs = await Promise.all(Array.from({ length: 205 }, () => openDialog(mailbox.smtpUrl)))
  expect(dialogs.filter(({ greeting }) => greeting.startsWith('421')).length).toBeGreaterThanOrEqual(5)
  for (const dialog of dialogs) dialog.socket.destroy()
  expect(await mailbox.messages()).toEqual([])
})

test.each([
  [{ reply: 'busy' }, { responseCode: 451 }],
  [{ reply: 'busy', at: 'content', code: 421 }, { responseCode: 421 }],
  [{ reply: 'reject' }, { responseCode: 550 }],
  [{ reply: 'reject', at: 'content', code: 554 }, { responseCode: 554 }],
  [{ reply: 'hang' }, { code: 'ETIMEDOUT' }],
  [{ reply: 'connection-refused' }, { code: expect.stringMatching(/ECONN|ESOCKET/) }],
] as const)('The fault %j keeps no message, and ends when it is removed', async (fault, error) => {
  await mailbox.setFault(fault)
  await expect(mailer.sendMail(mail(ANN))).rejects.toMatchObject(error)
  expect(await mailbox.messages()).toEqual([])
  await mailbox.clearFault()
  await mailer.sendMail(mail(ANN))
  expect(await mailbox.messages()).toHaveLength(1)
})

test('A fault hits as often as it says, and messages to its address alone', async () => {
  await mailbox.setFault({ reply: 'reject', times: 2, to: ANN })
  await mailer.sendMail(mail('bo@example.test'))
  for (let count = 0; count < 2; count++) await expect(mailer.sendMail(mail(ANN))).rejects.toThrow()
  await mailer.sendMail(mail(ANN))
  expect(await mailbox.fault()).toMatchObject({ hits: 2 })
  // Kept, and the connection ends without an answer.
  await mailbox.setFault({ reply: 'drop-after-data' })
  await expect(mailer.sendMail(mail(ANN))).rejects.toThrow()
  expect(await mailbox.messages()).toHaveLength(3)
})
