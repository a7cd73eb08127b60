import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../src/mailbox.ts'
import { beginMessage, mail, openDialog, sender } from './support.ts'

let mailbox: Mailbox
let mailer: ReturnType<typeof sender>

beforeAll(async () => {
  mailbox = await startMailbox()
  mailer = sender(mailbox.smtpUrl)
})
afterEach(async () => {
  await mailbox.deleteMessages()
  await mailbox.resetStats()
})
afterAll(async () => {
  mailer.close()
  await mailbox.stop()
})

describe('a message', () => {
  test('to any address is kept with its recipients, texts and headers', async () => {
    await mailer.sendMail({ ...mail('ann@example.test'), bcc: 'bo@example.test', headers: { 'X-Kind': 'trial' } })
    const message = await mailbox.waitForMail({ to: 'Ann@Example.test', subject: 'Hello' })
    expect(message).toMatchObject({
      from: 'Skyfolio <no-reply@skyfolio.test>',
      sender: 'no-reply@skyfolio.test',
      to: ['ann@example.test', 'bo@example.test'],
      headers: { 'x-kind': 'trial', to: 'ann@example.test' },
      attachments: [],
    })
    expect(message.text.trim()).toBe('Hello, Grüße')
    expect(message.html.trim()).toBe('<p>Hello, <b>Grüße</b></p>')
    expect(message.headers.bcc).toBeUndefined()
    expect(message.messageId).toBe(message.headers['message-id'])
    expect(Math.abs(Date.now() - Date.parse(message.date))).toBeLessThan(60_000)
  })

  test('is kept as it was sent, with attachments described', async () => {
    await mailer.sendMail({ ...mail('ann@example.test'), attachments: [{ filename: 'a.txt', content: 'four' }] })
    const { id, attachments } = await mailbox.waitForMail({ to: 'ann@example.test' })
    expect(attachments).toEqual([{ name: 'a.txt', type: 'text/plain', bytes: 4 }])
    const { raw } = (await (await fetch(`${mailbox.url}/api/messages/${id}`)).json()) as { raw: string }
    expect(raw).toMatch(/^From: Skyfolio <no-reply@skyfolio.test>\r\n/)
  })

  test('that breaks the rules of MIME is kept, and shown as text', async () => {
    const dialog = await openDialog(mailbox.smtpUrl)
    await beginMessage(dialog)
    const part = (depth: number) => `Content-Type: multipart/mixed; boundary="b${depth}"\r\n\r\n--b${depth}\r\n`
    const nested = Array.from({ length: 300 }, (_, depth) => part(depth)).join('')
    expect(await dialog.say(`Subject: Deep\r\n${nested}\r\ntext\r\n.`)).toMatch(/^250/)
    dialog.socket.destroy()
    const message = await mailbox.waitForMail({ to: 'b@example.test', subject: 'Deep' })
    expect(message.text).toContain('boundary="b299"')
  })

  test('may be sent with any name and password', async () => {
    const named = sender(mailbox.smtpUrl, { auth: { user: 'someone', pass: 'anything' } })
    await named.sendMail(mail('ann@example.test'))
    named.close()
    expect((await mailbox.stats()).accepted).toBe(1)
  })
})

describe('limits', () => {
  test('a message above 1 MB is rejected, announced or not', async () => {
    const big = { ...mail('ann@example.test'), html: 'x'.repeat(1_100_000) }
    await expect(mailer.sendMail(big)).rejects.toMatchObject({ responseCode: 552 })
    const dialog = await openDialog(mailbox.smtpUrl)
    expect(await beginMessage(dialog)).toMatch(/^354/)
    expect(await dialog.say(`Subject: big\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(11_000)}.`)).toMatch(/^552/)
    dialog.socket.destroy()
    expect(await mailbox.summaries()).toEqual([])
  })

  test('a client that goes on far above the limit loses its connection', async () => {
    const dialog = await openDialog(mailbox.smtpUrl)
    await beginMessage(dialog)
    for (let count = 0; count < 10; count++) dialog.socket.write(`${'x'.repeat(98)}\r\n`.repeat(10_500))
    await dialog.closed
    expect(await mailbox.summaries()).toEqual([])
  })

  test('a message has at most 100 recipients', async () => {
    const dialog = await openDialog(mailbox.smtpUrl)
    await dialog.say('EHLO test')
    await dialog.say('MAIL FROM:<a@example.test>')
    for (let count = 1; count <= 100; count++)
      expect(await dialog.say(`RCPT TO:<b${count}@example.test>`)).toMatch(/^250/)
    expect(await dialog.say('RCPT TO:<b@example.test>')).toMatch(/^452/)
    dialog.socket.destroy()
  })

  test('of more than 200 connections the last ones are told to come later', async () => {
    const dialogs = await Promise.all(Array.from({ length: 205 }, () => openDialog(mailbox.smtpUrl)))
    const greetings = dialogs.map(({ greeting }) => greeting.slice(0, 3))
    for (const { socket } of dialogs) socket.destroy()
    await Promise.all(dialogs.map(({ closed }) => closed))
    // The client of the other tests has connections, too.
    expect(greetings.filter((code) => code === '421').length).toBeGreaterThanOrEqual(5)
    expect(greetings.filter((code) => code === '220').length).toBeGreaterThan(150)
  })

  test('a client that leaves amid a message leaves nothing', async () => {
    const dialog = await openDialog(mailbox.smtpUrl)
    await beginMessage(dialog)
    dialog.socket.end('Subject: half\r\n\r\nhal')
    await dialog.closed
    await mailer.sendMail(mail('ann@example.test', 'Whole'))
    expect((await mailbox.summaries()).map(({ subject }) => subject)).toEqual(['Whole'])
  })
})
