import { expect, test } from 'vitest'
import { oneLine } from '../src/http/validation.ts'

test('a line keeps letters of any language and loses line breaks and direction marks', () => {
  expect(oneLine('  Lake\r\nConstance \u202Etxt.exe\u0000 ')).toBe('Lake Constance txt.exe')
  expect(oneLine('👩‍✈️ میدان می‌روم')).toBe('👩‍✈️ میدان می‌روم')
})

test('a line without a visible character is empty', () => {
  for (const text of ['\u200b', '\u202e\u2066', '\u00ad', '\u200d\u200c', '\u3164', '\u2800', ' \n\t']) {
    expect(oneLine(text)).toBe('')
  }
})
