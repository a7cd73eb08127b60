import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const proto = join(dirname(fileURLToPath(import.meta.url)), '..')
const output = mkdtempSync(join(tmpdir(), 'skyfolio-proto-'))
afterAll(() => rmSync(output, { recursive: true }))

const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

test('the contracts pass the linter', () => {
  execFileSync('buf', ['lint'], { cwd: proto })
})

test('the generated TypeScript is current', () => {
  execFileSync('buf', ['generate', '--output', output], { cwd: proto })
  expect(contents(join(proto, 'src/generated'))).toEqual(contents(join(output, 'src/generated')))
})
