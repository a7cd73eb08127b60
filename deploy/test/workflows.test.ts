import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../local/paths.ts'

const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
let actionlint = ''

function lint(input: string) {
  // Without shellcheck, whose verdict would depend on the machine.
  const { status, stdout } = spawnSync(actionlint, ['-shellcheck=', '-pyflakes=', '-no-color', '-'], {
    input,
    cwd: root,
  })
  return { status, said: stdout.toString() }
}

beforeAll(() => {
  actionlint = execFileSync('bash', ['services/testkit/scripts/fetch-tool.sh', 'actionlint'], { cwd: root })
    .toString()
    .trim()
  // Where it is missing it is built first.
}, 180_000)

test.each(workflows)('$name is a workflow that actionlint takes', ({ text }) => {
  expect(lint(text)).toEqual({ status: 0, said: '' })
})

test('actionlint refuses what GitHub would not run', () => {
  const [{ text } = { text: '' }] = workflows
  expect(lint(text.replace('runs-on:', 'run-on:')).status).toBe(1)
})

test('what may publish installs no packages, whose scripts would see the credentials', () => {
  const publishing = workflows.filter(({ text }) => text.includes('packages: write'))
  expect(publishing.map(({ name }) => name).sort()).toEqual(['chart.yml', 'images.yml'])
  const scripts = ['chart', 'images'].map((name) =>
    readFileSync(join(root, `deploy/releases/publish-${name}.sh`), 'utf8'),
  )
  for (const text of [...publishing.map((workflow) => workflow.text), ...scripts]) {
    expect(text).not.toMatch(/^[^#\n]*\bnp[mx] /m)
  }
})

test('secrets are given to single steps', () => {
  for (const { name, text } of workflows) {
    for (const [line] of text.matchAll(/^.*\$\{\{ secrets\..*$/gm)) expect(line, name).toMatch(/^ {10}\S/)
  }
})

test.each(workflows)('$name pins actions by commit, says what it may, and runs scripts that are there', ({ text }) => {
  const uses = [...text.matchAll(/uses: (\S+)(.*)/g)]
  expect(uses.length).toBeGreaterThan(0)
  for (const [line, action, comment] of uses) {
    expect.soft(action, line).toMatch(/@[0-9a-f]{40}$/)
    expect.soft(comment, line).toMatch(/^ # v\d+\.\d+\.\d+$/)
  }
  expect(text).toMatch(/^permissions:\n {2}contents: read\n(?! )/m)
  expect(text).toMatch(/^concurrency:\n/m)
  const commands = [...text.matchAll(/npm run (\S+)/g)].map(([, name]) => name ?? '')
  expect(commands.filter((name) => !scripts[name])).toEqual([])
  const files = [...text.matchAll(/(?:^|[ '])((?:deploy|services|\.ci)\/[\w./-]+)(?=[ \n'])/gm)].map(
    ([, file]) => file ?? '',
  )
  expect(files.filter((file) => !file.includes('*') && !existsSync(join(root, file)))).toEqual([])
})
