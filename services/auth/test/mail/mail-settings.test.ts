import { ConfigError } from '@skyfolio/kit'
import { describe, expect, test } from 'vitest'
import { readMailSettings } from '../../src/mail/mail-settings.ts'

const mailFrom = 'Skyfolio <no-reply@example.com>'
const read = (smtpUrl: string) => readMailSettings({ smtpUrl, mailFrom })

describe('the mail server', () => {
  test('is none without both settings', () => {
    expect(readMailSettings({})).toBeNull()
    expect(() => readMailSettings({ smtpUrl: 'smtp://mail' })).toThrow(ConfigError)
    expect(() => readMailSettings({ mailFrom })).toThrow(ConfigError)
  })

  test('is encrypted from the start with smtps:, by STARTTLS with a password, and as offered otherwise', () => {
    expect(read('smtps://mail.example.com')).toMatchObject({ port: 465, secure: true, auth: null })
    expect(read('smtp://mail.example.com')).toMatchObject({ port: 587, secure: false, requireTls: false })
    expect(read('smtp://ann:secret@mail.example.com:25')).toMatchObject({ port: 25, secure: false, requireTls: true })
    expect(read('smtp://ann:secret@127.0.0.1')).toMatchObject({ requireTls: false })
    expect(read('smtp://ann:secret@127.0.0.1.example.com')).toMatchObject({ requireTls: true })
  })

  test('has host and password as they are meant', () => {
    expect(read('smtp://[::1]:25')?.host).toBe('::1')
    expect(read('smtps://ann%40example.com:p%3Aw%2F%C3%BC@mail')?.auth).toEqual({
      user: 'ann@example.com',
      pass: 'p:w/ü',
    })
  })

  test.each(['smtp:mail', 'smtp://mail?logger=true', 'smtp://mail/path', 'smtp://ann@mail'])('is not %s', (url) => {
    expect(() => read(url)).toThrow(ConfigError)
  })
})

describe('the sender', () => {
  const sender = (text: string) => readMailSettings({ smtpUrl: 'smtp://mail', mailFrom: text })?.from

  test('has a name or none', () => {
    expect(sender(mailFrom)).toEqual({ name: 'Skyfolio', address: 'no-reply@example.com' })
    expect(sender('no-reply@example.com')).toEqual({ name: '', address: 'no-reply@example.com' })
  })

  test.each(['Skyfolio', 'a@example.com, b@example.com', '<>', 'group: a@example.com, b@example.com;'])(
    'is not %s',
    (text) => {
      expect(() => sender(text)).toThrow('MAIL_FROM must be one address')
    },
  )
})
