import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../src/mailbox.ts'
import { mail, sender } from './support.ts'

let mailbox: Mailbox
let mailer: ReturnType<typeof sender>

beforeAll(async () => {
  mailbox = await startMailbox()
  mailer = sender(mailbox.smtpUrl)
})
afterEach(async () => {
  await mailbox.clearFault()
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
      html: '<p>Hello, <b>Grüße</b></p>\n',
      headers: { 'x-kind': 'trial' },
      attachments: [],
    })
    expect(message.text.trim()).toBe('Hello, Grüße')
    expect(message.headers.bcc).toBeUndefined()
    expect(Date.now() - Date.parse(message.date)).toBeLessThan(60_000)
  })
})
